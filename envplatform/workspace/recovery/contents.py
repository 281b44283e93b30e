"""Contents as texts and bytes, and as they were before a note or a schema drew them anew.

Standard library alone, as all of this package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

_ENCODING = ("utf-8", "surrogateescape")


class RecoveryError(LookupError):
    """The content can't be had this way; says at which step."""


def fail(why: str) -> NoReturn:
    """Raise RecoveryError."""
    raise RecoveryError(why)


def decode_numbers(text: str, note: Mapping[str, Any]) -> str:
    """Return a text with its numbers as they were; `note` as `encode_numbers` takes it."""
    mark, base = re.escape(str(note["mark"])), int(note["base"])

    def decoded(found: re.Match[str]) -> str:
        number, rest = divmod(
            int(found[1], base) - int(note["plus"]), int(note["times"])
        )
        if rest:
            fail(f"{found[0]} is no number by the note")
        return str(number)

    return re.sub(f"{mark}([0-9a-z]+){mark}", decoded, text)


def decode_rows(rows: list[list[str]], schema: Mapping[str, Any]) -> str:
    """Return a table as text: `columns`, `order` of the cells, `delimiter`, `end`."""
    columns, order = schema["columns"], schema["order"]
    lines = [columns] + [[row[order.index(i)] for i in range(len(row))] for row in rows]
    text = "\n".join(schema["delimiter"].join(line) for line in lines)
    return text + str(schema["end"])


def as_text(content: bytes) -> str:
    """Return a content as text, whatever bytes it has."""
    return content.decode(*_ENCODING)


def as_bytes(text: Any) -> bytes:  # noqa: ANN401  what an expression came to
    """Return what `as_text` took; RecoveryError if it is no text."""
    if not isinstance(text, str):
        fail(f"came to {type(text).__name__}, no content")
    return text.encode(*_ENCODING)
