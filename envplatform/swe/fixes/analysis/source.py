"""One side of one code file: decoded and parsed within bounds, never executed.

What Python's parser bounds and what it does not is in `swe.parsing`.
"""

import ast
from dataclasses import dataclass
from typing import Literal

from envplatform.swe.parsing import parse_or_none
from envplatform.tree import File

MAX_PARSED_BYTES = 2**20
"""Larger files are over any context budget, and are not looked into."""

SourceState = Literal["parsed", "absent", "not_utf8", "too_large", "does_not_parse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One side of one file."""

    data: bytes
    """Empty if the file is absent on this side."""
    text: str
    """Without BOM, lines ended as Python sees them (LF); empty unless UTF-8."""
    state: SourceState
    module: ast.Module | None
    """Set exactly where the state is `parsed`."""


def read_source(file: File | None) -> Source:
    """Decode and parse one side; declared encodings count for nothing: UTF-8 only."""
    if file is None:
        return Source(data=b"", text="", state="absent", module=None)
    data = file.data
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Source(data=data, text="", state="not_utf8", module=None)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(data) > MAX_PARSED_BYTES:
        return Source(data=data, text=text, state="too_large", module=None)
    module = parse_or_none(text)
    state: SourceState = "does_not_parse" if module is None else "parsed"
    return Source(data=data, text=text, state=state, module=module)
