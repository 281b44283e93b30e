"""One side of one code file as the classifier takes it. Never raises."""

import ast
from dataclasses import dataclass

from envplatform.swe.parsing import parse_or_none

MAX_CLASSIFIED_BYTES = 2**20
"""Larger files are tables or generated, and say nothing of a bug's kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Text and syntax tree of one file on one side."""

    lines: tuple[str, ...]
    """Without line ends, as Python's tokenizer counts them: LF, CRLF and CR end one.

    Any decoding will do that keeps ASCII: lines are compared, never shown.
    """
    module: ast.Module


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One code file on both sides. If both are None, neither could be read."""

    path: str
    buggy: Source | None
    """None: the fix creates the file."""
    fixed: Source | None
    """None: the fix deletes the file."""


def source_of(data: bytes, module: ast.Module) -> Source:
    """Put the bytes of a file and the tree that `ast.parse` made of them together."""
    text = data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")
    return Source(lines=tuple(text.split("\n")), module=module)


def read_source(data: bytes) -> Source | None:
    """Parse a file; None if it is too large or no Python of the running version."""
    if len(data) > MAX_CLASSIFIED_BYTES:
        return None
    module = parse_or_none(data)
    return None if module is None else source_of(data, module)
