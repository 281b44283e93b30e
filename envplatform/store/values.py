"""Rows to plain values (dict, list, str, int, float, bool, None) and back, and digests.

Text of any kind passes: code that was read with `surrogateescape` holds lone
surrogates, which UTF-8, and so Parquet and JSON, can't. They are written as U+10FE00
and four hexadecimal digits; that character itself is doubled.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from envplatform.errors import StoreError
from envplatform.store.shapes import Many, Maybe, Record, Scalar, Shape

Plain = Any
"""JSON-like values, as Arrow and `json` take and give them.

A recursive type would cost a cast at each use and prove nothing about foreign files.
"""

_ESCAPE = "\U0010fe00"
_NEEDS_ESCAPE = re.compile(f"[\ud800-\udfff{_ESCAPE}]")
_ESCAPED = re.compile(f"{_ESCAPE}({_ESCAPE}|[0-9a-f]{{4}})")
_INT64 = range(-(2**63), 2**63)


def encode(row: object, record: Record, where: str) -> dict[str, Plain]:
    """Return a row's plain values by field.

    Raises:
        StoreError: a value is not what the field declares; names `where` and the field.
    """
    if type(row) is not record.row_type:
        msg = f"{where} is a {type(row).__name__}, not a {record.name}"
        raise StoreError(msg)
    return {
        member.name: _encode(
            getattr(row, member.name), member.shape, f"{where}, field {member.name}"
        )
        for member in record.members
    }


def decode(plain: Mapping[str, Plain], record: Record, where: str) -> object:
    """Return the row; a field that `plain` lacks takes its default.

    Raises:
        StoreError: a value is not what the field declares.
    """
    values = {}
    for member in record.members:
        if member.name in plain:
            values[member.name] = _decode(
                plain[member.name], member.shape, f"{where}, field {member.name}"
            )
        elif not member.has_default:
            msg = f"{where}: field {member.name} of {record.name} is missing"
            raise StoreError(msg)
    return record.row_type(**values)


def text_size(value: Plain) -> int:
    """Characters of all text in a plain value: roughly what it takes in memory."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(text_size(item) for item in value.values())
    if isinstance(value, list):
        return sum(text_size(item) for item in value)
    return 0


class RowsDigest:
    """SHA-256 over row type, order and content of plain rows, one after the other.

    Independent of the Parquet writer; fields that are no identity are left out.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._digest = hashlib.sha256(f"{record.name} {record.version}\n".encode())

    def add(self, row: Mapping[str, Plain]) -> None:
        """Take in the next row."""
        self._digest.update(_canonical(_identity(row, self._record)) + b"\n")

    @property
    def hex(self) -> str:
        """Of the rows so far."""
        return self._digest.hexdigest()


def digest_rows(rows: Iterable[Mapping[str, Plain]], record: Record) -> str:
    """SHA-256 (hex) of plain rows, as `RowsDigest`."""
    digest = RowsDigest(record)
    for row in rows:
        digest.add(row)
    return digest.hex


def digest_json(value: Plain) -> str:
    """SHA-256 (hex) of a JSON value, keys in any order."""
    return hashlib.sha256(_canonical(value)).hexdigest()


def _canonical(value: Plain) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def _identity(value: Plain, shape: Shape) -> Plain:
    match shape:
        case Record(members=members):
            return {
                member.name: _identity(value[member.name], member.shape)
                for member in members
                if member.identity
            }
        case Many(item=item):
            return [_identity(element, item) for element in value]
        case Maybe(inner=inner):
            return None if value is None else _identity(value, inner)
        case _:
            return value


def _encode(value: object, shape: Shape, where: str) -> Plain:
    match shape:
        case Scalar():
            return _scalar(value, shape, where)
        case Maybe(inner=inner):
            return None if value is None else _encode(value, inner, where)
        case Many(item=item):
            if not isinstance(value, tuple):
                raise _wrong(value, "a tuple", where)
            return [_encode(element, item, where) for element in value]
        case Record():
            return encode(value, shape, where)


def _scalar(value: object, shape: Scalar, where: str) -> Plain:
    kind = shape.kind
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (kind is int and value not in _INT64):
        raise _wrong(value, f"a {kind.__name__} of 64 bits or text", where)
    if shape.choices is not None and value not in shape.choices:
        raise _wrong(value, f"one of {shape.choices}", where)
    return escape(value) if isinstance(value, str) else value


def _decode(value: Plain, shape: Shape, where: str) -> object:
    match shape:
        case Maybe(inner=inner):
            return None if value is None else _decode(value, inner, where)
        case _ if value is None:
            raise _wrong(value, "a value", where)
        case Many(item=item):
            return tuple(_decode(element, item, where) for element in value)
        case Record():
            return decode(value, shape, where)
        case Scalar(choices=choices):
            text = unescape(value) if isinstance(value, str) else value
            if choices is not None and text not in choices:
                raise _wrong(text, f"one of {choices}", where)
            return cast("object", text)


def _wrong(value: object, wanted: str, where: str) -> StoreError:
    return StoreError(f"{where}: {str(value)[:80]!r} is not {wanted}")


def escape(text: str) -> str:
    """Return text that UTF-8 can hold; any other text for any other text."""
    if text.isascii():
        return text
    return _NEEDS_ESCAPE.sub(
        lambda found: (
            _ESCAPE + (_ESCAPE if found[0] == _ESCAPE else f"{ord(found[0]):04x}")
        ),
        text,
    )


def unescape(text: str) -> str:
    """Undo `escape`."""
    if _ESCAPE not in text:
        return text
    return _ESCAPED.sub(
        lambda found: _ESCAPE if found[1] == _ESCAPE else chr(int(found[1], 16)), text
    )
