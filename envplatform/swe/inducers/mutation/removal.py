"""Removal: a loop, a condition, an assignment, or a wrapper is missing.

SWE-smith's four. A wrapper (`with`, `try`) leaves its body behind where it can, and
goes with it where the body would not survive.
"""

import ast
from collections.abc import Iterator
from random import Random

from envplatform.swe.inducers.mutation.edits import (
    Edit,
    Mutation,
    block_span,
    drop_statement,
    indentation,
    is_block,
    whole_lines,
)
from envplatform.swe.inducers.mutation.source import ParsedSource, Span, spans_lines

_Wrapper = ast.With | ast.AsyncWith | ast.Try | ast.TryStar


def loop_remove(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """A loop is missing, body and all."""
    for node in source.live:
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            yield Mutation(drop_statement(source, node), source.own_lines(node))


def condition_remove(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """An `if` or `elif` is missing with its branch; other branches stay."""
    for node in source.live:
        if isinstance(node, ast.If):
            yield Mutation(_drop_branch(source, node), source.own_lines(node))


def _drop_branch(source: ParsedSource, node: ast.If) -> tuple[Edit, ...]:
    start = source.span(node).start
    if source.text(node).startswith(b"elif"):
        span = Span(start, block_span(source, node.body).end)
        return (Edit(whole_lines(source, span), b""),)
    if node.orelse and source.text(node.orelse[0]).startswith(b"elif"):
        # What is left of `elif` is the `if` of what is left.
        following = source.span(node.orelse[0]).start
        return (Edit(Span(start, following + len(b"el")), b""),)
    return drop_statement(source, node)


def assignment_remove(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """An assignment is missing. Those that drive a `while` stay: it would not end."""
    for node in source.live:
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            continue
        if node.value is not None and not _drives_loop(source, node):
            yield Mutation(drop_statement(source, node), source.own_lines(node))


def _drives_loop(source: ParsedSource, node: ast.AST) -> bool:
    stored = {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
    while node in source.parents:
        node = source.parents[node]
        if isinstance(node, ast.While):
            tested = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
            if tested & stored:
                return True
    return False


def wrapper_remove(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """A `with` or `try` is missing; its body runs bare, or is missing too."""
    for node in source.live:
        if isinstance(node, _Wrapper):
            edits = _unwrap(source, node) or drop_statement(source, node)
            yield Mutation(edits, _wrapper_lines(source, node))


def _wrapper_lines(source: ParsedSource, node: _Wrapper) -> range:
    """`try` itself is no line that runs: its first statement stands for it."""
    head = source.own_lines(node)
    return range(head.start, node.body[0].lineno + 1)


def _unwrap(source: ParsedSource, node: _Wrapper) -> tuple[Edit, ...] | None:
    names = isinstance(node, ast.With | ast.AsyncWith) and any(
        item.optional_vars for item in node.items
    )
    if names or not is_block(source, node.body) or not is_block(source, [node]):
        return None
    if any(spans_lines(inner) for inner in ast.walk(node)):
        return None
    outer, inner = indentation(source, node), indentation(source, node.body[0])
    span = whole_lines(source, block_span(source, node.body))
    lines = source.data[span.start : span.end].splitlines(keepends=True)
    moved = [
        outer + line[len(inner) :] if line.startswith(inner) else line for line in lines
    ]
    whole = whole_lines(source, source.span(node))
    return (Edit(whole, b"".join(moved)),)
