"""One side of one code file: decoded and parsed within bounds, never executed.

Python's parser gives up on hostile nesting with an exception, which is caught. What
it does not bound is checked before: the size of the file (a syntax tree takes some 350
times the bytes of its source) and dotted names after `import` and `from`, whose cost
grows with the square of their length (200 KB took 10 GB).
"""

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Literal

from envplatform.tree import File

MAX_PARSED_BYTES = 2**20
"""Larger files are over any context budget, and are not looked into."""

_MAX_DOTTED_COST = 2**24
_CONTINUED = re.compile(rb"\\\r?\n")

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
    module = parse_text(text) if _is_safe(data) else None
    state: SourceState = "does_not_parse" if module is None else "parsed"
    return Source(data=data, text=text, state=state, module=module)


def parse_text(text: str) -> ast.Module | None:
    """Parse with the running Python, silently; None if it does not take the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_safe(data: bytes) -> bool:
    """Whether no dotted name can be so long that parsing it takes all memory."""
    if data.count(b".") * len(data) <= _MAX_DOTTED_COST:
        return True
    lines = re.split(rb"[\r\n;]", _CONTINUED.sub(b"", data))
    return all(
        line.count(b".") * len(line) <= _MAX_DOTTED_COST
        for line in lines
        if b"import" in line or b"from" in line
    )
