"""One raw row: its place, its fields, and how a field is read. Knows no layout."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from envplatform.errors import EnvPlatformError
from envplatform.swe.fixes.refusal import QUARANTINE, clipped

MAX_FIELD_BYTES = 16 * 2**20
"""Largest text that is taken from one field; a file of 10 MB as a patch fits."""
MAX_ROW_BYTES = 4 * MAX_FIELD_BYTES
_SHOWN_CHARACTERS = 120


class RowRefused(EnvPlatformError):  # noqa: N818  no error: a value that ends one row
    """Ends the work on one row; caught where the row becomes a `QuarantinedRow`."""

    def __init__(self, *, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {clipped(detail)}")
        if reason not in QUARANTINE:
            msg = f"{reason!r} is no reason to set a row aside"
            raise ValueError(msg)
        self.reason = reason
        self.detail = clipped(detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenRow:
    """A place in a file at which no row can be read."""

    where: str
    reason: str
    """Code from `refusal.QUARANTINE`."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Fields as the file has them, of any type. Nothing in them is trusted."""

    where: str
    """`FILE, row N` or `FILE, line N`, from 1."""
    fields: Mapping[str, object]

    def text(self, *names: str) -> str:
        """Text of the first of `names` that is there; empty if none is.

        Raises:
            RowRefused: no text, larger than `MAX_FIELD_BYTES`, or no UTF-8 text.
        """
        for name in names:
            value = self.fields.get(name)
            if not is_null(value):
                return checked_text(name, value)
        return ""

    def required(self, *names: str) -> str:
        """As `text`, but neither absent nor blank.

        Raises:
            RowRefused: as `text`, or there is none.
        """
        text = self.text(*names)
        if not text.strip():
            raise RowRefused(
                reason="missing_field", detail=f"{' or '.join(names)} is empty"
            )
        return text

    def value(self, *names: str) -> object:
        """First of `names` that is there and not null, as it is; else None."""
        values = (self.fields.get(name) for name in names)
        return next((value for value in values if not is_null(value)), None)


def is_null(value: object) -> bool:
    """Tell whether a value stands for none: null, or the NaN that pandas makes of it."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def checked_text(name: str, value: object) -> str:
    """Return `value` if it is text that can be stored; bytes are decoded.

    Raises:
        RowRefused: names the field, and what stands there.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        detail = f"{name} is {shown(value)}, expected text"
        raise RowRefused(reason="wrong_type", detail=detail)
    if len(value) > MAX_FIELD_BYTES:  # bytes are no fewer than characters
        raise too_large(name, len(value))
    try:
        size = len(value) if value.isascii() else len(_encoded(value))
    except UnicodeEncodeError as error:
        detail = f"{name} holds a lone surrogate at character {error.start}"
        raise RowRefused(reason="wrong_type", detail=detail) from error
    if size > MAX_FIELD_BYTES:
        raise too_large(name, size)
    return value


def too_large(name: str, size: int) -> RowRefused:
    """Refusal of a field of `size` bytes, or more."""
    detail = f"{name} has {size:,} bytes or more; at most {MAX_FIELD_BYTES:,} are taken"
    return RowRefused(reason="too_large", detail=detail)


def shown(value: object) -> str:
    """`value` and its type, short and without control characters, for messages."""
    if isinstance(value, str | bytes):
        value = value[:_SHOWN_CHARACTERS]
    elif not isinstance(value, int | float):
        return f"a {type(value).__name__}"
    return f"{value!a:.{_SHOWN_CHARACTERS}} ({type(value).__name__})"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
