"""Constants: a number or a text is slightly another one. Module tables included."""

import ast
import re
from collections.abc import Iterator
from random import Random

from envplatform.swe.inducers.mutation.edits import Mutation, replace
from envplatform.swe.inducers.mutation.source import ParsedSource

_INTEGER = re.compile(rb"(?:0[xX][0-9a-fA-F_]+|[0-9_]+)")
_TEXT = re.compile(rb"([rRbB]{0,2})(['\"])((?:(?!\2)[^\r\n])+)\2")
_LONGEST_TEXT = 80
_LOGGING = frozenset({"debug", "info", "warning", "warn", "error", "exception"})


def constant_change(source: ParsedSource, random: Random) -> Iterator[Mutation]:
    """An integer is one off, a float doubled, a text loses its last letter or blanks."""
    for node in (*source.live, *source.static):
        if isinstance(node, ast.Constant):
            text = _changed(source, node, random)
            if text is not None:
                yield replace(source, node, text)


def _changed(source: ParsedSource, node: ast.Constant, random: Random) -> bytes | None:
    written = source.text(node)
    match node.value:
        case bool():
            return None
        case int(value) if _INTEGER.fullmatch(written):
            other = value + 1 if random.random() < 0.5 or not value else value - 1  # noqa: PLR2004
            return (
                hex(other).encode() if written[:2].lower() == b"0x" else b"%d" % other
            )
        case float(value):
            return repr(value * 2 if value else 1.0).encode()
        case str() | bytes():
            return None if _is_message(source, node) else _shortened(written)
    return None


def _shortened(written: bytes) -> bytes | None:
    """Drop outer blanks, else the last character; None if the rest would not close."""
    match = _TEXT.fullmatch(written)
    if match is None or len(written) > _LONGEST_TEXT:
        return None
    prefix, quote, body = match.groups()
    short = body.strip(b" ")
    if short == body:
        short = body.decode()[:-1].encode()
    if short.endswith(b"\\"):
        return None
    return prefix + quote + short + quote


def _is_message(source: ParsedSource, node: ast.AST) -> bool:
    """Tell whether a text is only for people: of an exception, an assert, or a log."""
    while not isinstance(node, ast.stmt):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in _LOGGING:
                return True
        node = source.parents[node]
    return isinstance(node, ast.Raise | ast.Assert)
