"""Parsing of Python that anybody may have written, within bounds. Nothing is executed.

Python's parser gives up on hostile nesting with an exception. What it does not bound is
the cost of dotted names after `import` and `from`, which grows with the square of their
length (200 KB took 10 GB); those are refused before. How large a file may be is for the
caller to say: a syntax tree takes some 350 times the bytes of its source.
"""

import ast
import re
import tokenize
import warnings
from io import BytesIO

_MAX_DOTTED_COST = 2**24
_CONTINUED = re.compile(rb"\\(?:\r\n|\r|\n)")
_ENDS = re.compile(rb"[\r\n;]")


def parse_python(source: bytes | str) -> ast.Module:
    """Parse with the running Python, without the warnings that old escapes raise.

    Raises:
        SyntaxError: it is no Python, or a dotted name is too long to be parsed.
        ValueError: a NUL, or bytes that are not as their declared encoding says.
        RecursionError: nested too deep; MemoryError likewise, from the parser's own
            stack.
    """
    if not _is_bounded(_as_utf8(source)):
        msg = "a dotted name is too long to be parsed"
        raise SyntaxError(msg)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def parse_or_none(source: bytes | str) -> ast.Module | None:
    """Parse as `parse_python`; None if that can't be done."""
    try:
        return parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def first_line(statement: ast.stmt) -> int:
    """The line, from 1, on which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _as_utf8(source: bytes | str) -> bytes:
    """Return the text as the parser will see it: an encoding can hide its dots."""
    if isinstance(source, bytes):
        encoding, _ = tokenize.detect_encoding(BytesIO(source).readline)
        if encoding.startswith("utf-8"):
            return source
        try:
            source = source.decode(encoding)
        except LookupError as error:  # a codec of bytes or text only, as `rot13`
            msg = f"unknown encoding {encoding}"
            raise SyntaxError(msg) from error
    return source.encode("utf-8", "replace")


def _is_bounded(data: bytes) -> bool:
    if data.count(b".") * len(data) <= _MAX_DOTTED_COST:
        return True
    return all(
        line.count(b".") * len(line) <= _MAX_DOTTED_COST
        for line in _ENDS.split(_CONTINUED.sub(b"", data))
        if b"import" in line or b"from" in line
    )
