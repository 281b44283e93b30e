"""JSON to frozen dataclasses and back, strictly, with the standard library alone.

Covers what `environment.py` uses: str, int, float, None, Literal, dataclasses,
`tuple[X, ...]`, `Mapping[str, X]`, `X | None`, and `Any` for whatever JSON there is. Unknown and missing keys, wrong
types, NaN and doubled keys are refused with the place named.
"""

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from envplatform.errors import BundleError

T = TypeVar("T")
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def dump(value: Json) -> bytes:
    """One canonical text: sorted keys, two spaces, ASCII, a final newline."""
    text = json.dumps(value, sort_keys=True, indent=2, allow_nan=False)
    return f"{text}\n".encode("ascii")


def load(data: bytes, where: str) -> dict[str, Json]:
    """Parse one JSON object.

    Raises:
        BundleError: not UTF-8, not JSON, nested too deep, not an object, a key twice.
    """
    try:
        value = json.loads(data, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        msg = f"{where}: not a JSON object ({error})"
        raise BundleError(msg) from error
    if not isinstance(value, dict):
        msg = f"{where}: a JSON object is needed, not {type(value).__name__}"
        raise BundleError(msg)
    return value


def encode(value: object) -> Json:
    """Turn dataclasses, tuples and mappings into what `dump` takes."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: encode(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    msg = f"{type(value).__name__} has no place in a record"
    raise TypeError(msg)


def decode(kind: type[T], value: Json, where: str) -> T:
    """Build a `kind` from parsed JSON.

    Raises:
        BundleError: names the place, what was expected and what was found.
    """
    result: T = _decode(kind, value, where)
    return result


# `Any` here: the target type is only known at run time.
def _decode(kind: Any, value: Json, where: str) -> Any:  # noqa: ANN401
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, types.UnionType}:
        present = next(item for item in arguments if item is not type(None))
        return None if value is None else _decode(present, value, where)
    if origin is Literal:
        return _checked(value in arguments, value, where, f"one of {arguments}")
    if origin is tuple:
        _checked(isinstance(value, list), value, where, "a list")
        return tuple(
            _decode(arguments[0], item, f"{where}[{index}]")
            for index, item in enumerate(_list(value))
        )
    if origin is Mapping:
        return {
            key: _decode(arguments[1], item, f"{where}.{key}")
            for key, item in _object(value, where).items()
        }
    if is_dataclass(kind):
        return _decode_dataclass(kind, _object(value, where), where)
    return _scalar(kind, value, where)


def _decode_dataclass(kind: Any, value: Mapping[str, Json], where: str) -> Any:  # noqa: ANN401
    hints = get_type_hints(kind)
    names = {item.name for item in fields(kind)}
    for problem, found in (
        ("unknown", value.keys() - names),
        ("missing", names - value.keys()),
    ):
        if found:
            msg = f"{where}: {problem} key {min(found)!r}"
            raise BundleError(msg)
    return kind(
        **{name: _decode(hints[name], value[name], f"{where}.{name}") for name in names}
    )


def _scalar(kind: Any, value: Json, where: str) -> Json:  # noqa: ANN401
    if kind is Any:
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if isinstance(value, float):
        right = right and math.isfinite(value)
    return _checked(right, value, where, kind.__name__)


def _object(value: Json, where: str) -> Mapping[str, Json]:
    _checked(isinstance(value, dict), value, where, "an object")
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _checked(holds: bool, value: Json, where: str, wanted: str) -> Json:  # noqa: FBT001  reads as an assertion
    if not holds:
        msg = f"{where}: {wanted} is needed, found {str(value)[:80]!r}"
        raise BundleError(msg)
    return value


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "a key occurs twice"
        raise ValueError(msg)
    return found


def _refuse(name: str) -> Json:
    msg = f"{name} is not a number"
    raise ValueError(msg)
