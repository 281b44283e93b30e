"""Changes to a file's bytes, and the few shapes of change the operators share.

An edit replaces a span; a `Mutation` is one or more edits that do not overlap. Shapes:
drop or blank a statement, exchange two spans, find an operator's token between two
nodes. No operator lives here.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from envplatform.swe.inducers.mutation.source import ParsedSource, Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes of `span` by `text`."""

    span: Span
    text: bytes


@dataclass(frozen=True, slots=True)
class Mutation:
    """One proposed change to a file."""

    edits: tuple[Edit, ...]
    lines: range
    """Lines, from 1; the change can only show if a test runs one of them."""


def apply_edits(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return the changed bytes.

    Raises:
        ValueError: two edits overlap; an operator is wrong.
    """
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < at:
            msg = f"edits overlap at byte {edit.span.start}"
            raise ValueError(msg)
        pieces += [data[at : edit.span.start], edit.text]
        at = edit.span.end
    return b"".join([*pieces, data[at:]])


def replace(source: ParsedSource, node: ast.AST, text: bytes) -> Mutation:
    """Replace one node's bytes."""
    return Mutation((Edit(source.span(node), text),), source.own_lines(node))


def swap(first: Span, second: Span, data: bytes) -> tuple[Edit, Edit]:
    """Exchange the bytes of two spans."""
    return (
        Edit(first, data[second.start : second.end]),
        Edit(second, data[first.start : first.end]),
    )


def find_token(source: ParsedSource, start: int, end: int, token: bytes) -> Span | None:
    """Find the first match of the pattern `token` from `start` to `end`, not in comments."""
    pattern = re.compile(rb"#[^\r\n]*|(" + token + rb")")
    for match in pattern.finditer(source.data, start, end):
        if match.group(1) is not None:
            return Span(*match.span(1))
    return None


def operator_between(
    source: ParsedSource, left: ast.AST, right: ast.AST, token: bytes
) -> Span | None:
    """Find the operator's token between two operands."""
    return find_token(source, source.span(left).end, source.span(right).start, token)


def trimmed(source: ParsedSource, start: int, end: int) -> Span | None:
    """Cut white space off both ends; None if a comment or line joint is inside."""
    text = source.data[start:end]
    if b"#" in text or b"\\\n" in text or b"\\\r" in text:
        return None
    lead = len(text) - len(text.lstrip())
    return Span(start + lead, start + len(text.rstrip())) if text.strip() else None


def block_span(source: ParsedSource, body: Sequence[ast.stmt]) -> Span:
    """Bytes from the first statement to the last one's end, trailing comment included.

    A comment is only included if the last statement ends its line.
    """
    start, end = source.span(body[0]).start, source.span(body[-1]).end
    return (
        Span(start, end + _tail(source, end))
        if _ends_line(source, end)
        else Span(start, end)
    )


def is_block(source: ParsedSource, body: Sequence[ast.stmt]) -> bool:
    """Tell whether the statements have their lines to themselves."""
    start, end = source.span(body[0]).start, source.span(body[-1]).end
    return _begins_line(source, start) and _ends_line(source, end)


def indentation(source: ParsedSource, statement: ast.stmt) -> bytes:
    """White space before a statement that begins its line."""
    start = source.span(statement).start
    return source.data[source.starts[source.line_of(start)] : start]


def drop_statement(source: ParsedSource, statement: ast.stmt) -> tuple[Edit, ...]:
    """Delete a statement's lines; where its block would be empty, leave `pass`."""
    span = source.span(statement)
    if len(_siblings(source, statement)) == 1 or not is_block(source, [statement]):
        return (Edit(span, b"pass"),)
    return (Edit(whole_lines(source, span), b""),)


def whole_lines(source: ParsedSource, span: Span) -> Span:
    """Extend to the start of the first and past the end of the last line."""
    first, last = source.line_of(span.start), source.line_of(max(span.end - 1, 0))
    return Span(source.starts[first], source.starts[last + 1])


def _siblings(source: ParsedSource, statement: ast.stmt) -> list[ast.stmt]:
    for _, value in ast.iter_fields(source.parents[statement]):
        if isinstance(value, list) and statement in value:
            return value
    return [statement]


def _begins_line(source: ParsedSource, start: int) -> bool:
    line_start = source.starts[source.line_of(start)]
    return not source.data[line_start:start].strip()


def _ends_line(source: ParsedSource, end: int) -> bool:
    match = _TAIL.match(source.data, end)
    after = match.end() if match else end
    return after == len(source.data) or source.data[after : after + 1] in {b"\r", b"\n"}


def _tail(source: ParsedSource, end: int) -> int:
    match = _TAIL.match(source.data, end)
    return match.end() - end if match else 0


_TAIL = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?")
