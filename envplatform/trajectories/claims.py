"""What an agent claims of its result when it submits, and whether it is so.

A claim is `{path, field, value}`: in the file `path`, `field` is `value`. Fields by
kind of file: of JSON a pointer (`/total/cents`), of CSV the first cell of a row and the
name of a column (`PO-4107/status`); of any file `exists` (true or false) and
`contains` (a text). What a model says is parsed strictly.
"""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

MAX_CLAIMS = 100
_MAX_VALUE_CHARACTERS = 10_000
_MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim, compared with the final state."""

    path: str
    """Below /workspace, or a name that is served: untrusted."""
    field: str
    value: str
    """What is claimed, as JSON."""
    found: str | None
    """What is there, as JSON; None where there is no such file or field."""
    holds: bool


class Claimed(BaseModel):
    """A claim as a model makes it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    path: str = Field(min_length=1, max_length=1_000)
    field: str = Field(min_length=1, max_length=1_000)
    value: JsonValue


CLAIMS = TypeAdapter(list[Claimed])


class _Found(NamedTuple):
    """What is there, or that nothing is."""

    value: Any
    is_there: bool


_NOTHING = _Found(None, is_there=False)


def read_claims(said: str | bytes) -> tuple[Claimed, ...]:
    """Parse a JSON list of claims.

    Raises:
        ValueError: it is none; the message is for the model.
    """
    try:
        claims = CLAIMS.validate_json(said)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(["claims", *map(str, first["loc"])])
        msg = f"{place}: {first['msg']}"
        raise ValueError(msg) from None
    if len(claims) > MAX_CLAIMS:
        msg = f"claims: {len(claims)} of them; make {MAX_CLAIMS} at most"
        raise ValueError(msg)
    for claim in claims:
        if len(_canonical(claim.value)) > _MAX_VALUE_CHARACTERS:
            msg = f"claims: a value of over {_MAX_VALUE_CHARACTERS} characters"
            raise ValueError(msg)
    return tuple(claims)


def compared(
    claims: tuple[Claimed, ...], files: Mapping[str, bytes]
) -> tuple[Claim, ...]:
    """Compare claims with the final state, path to content."""
    return tuple(_compared(claim, files) for claim in claims)


def _compared(claim: Claimed, files: Mapping[str, bytes]) -> Claim:
    path = claim.path.removeprefix("/workspace/")
    found = _look(claim, files.get(path))
    return Claim(
        path=claim.path,
        field=claim.field,
        value=_canonical(claim.value),
        found=_canonical(found.value) if found.is_there else None,
        holds=found.is_there and _agree(claim.value, found.value),
    )


def _look(claim: Claimed, data: bytes | None) -> _Found:
    if claim.field == "exists":
        return _Found(data is not None, is_there=True)
    text = _text(data)
    if text is None:
        return _NOTHING
    if claim.field == "contains":
        is_in = isinstance(claim.value, str) and claim.value in text
        return _Found(claim.value, is_there=True) if is_in else _NOTHING
    if claim.path.endswith(".json"):
        return _pointed(text, claim.field)
    return _cell(text, claim.field) if claim.path.endswith(".csv") else _NOTHING


def _text(data: bytes | None) -> str | None:
    if data is None or len(data) > _MAX_FILE_BYTES:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _pointed(text: str, pointer: str) -> _Found:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    for part in pointer.removeprefix("/").split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return _NOTHING
    try:
        _canonical(value)
    except (ValueError, RecursionError):  # NaN, or nested beyond measure
        return _NOTHING
    return _Found(value, is_there=True)


def _cell(text: str, field: str) -> _Found:
    """Return a cell by the first of its row and the name of its column."""
    row_name, _, column = field.rpartition("/")
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error:
        return _NOTHING
    if not rows or column not in rows[0]:
        return _NOTHING
    at = rows[0].index(column)
    for row in rows[1:]:
        if row and row[0].strip() == row_name and at < len(row):
            return _Found(row[at].strip(), is_there=True)
    return _NOTHING


def _agree(claimed: object, found: object) -> bool:
    """Whether both are the same value; a cell is text, whatever it was meant to be."""
    if isinstance(found, str) and not isinstance(claimed, str):
        return _canonical(claimed) == found
    if isinstance(claimed, bool) or isinstance(found, bool):
        return claimed is found
    return claimed == found


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)
