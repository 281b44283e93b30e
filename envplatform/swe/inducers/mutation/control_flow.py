"""Control flow: branches exchanged, statements out of order."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from envplatform.swe.inducers.mutation.edits import (
    Mutation,
    block_span,
    find_token,
    indentation,
    is_block,
    swap,
    trimmed,
)
from envplatform.swe.inducers.mutation.source import (
    Function,
    ParsedSource,
    first_statement,
)

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete)


def if_else_invert(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """The two branches of an `if`, or of a conditional expression, change places."""
    for node in source.live:
        match node:
            case ast.If(body=body, orelse=[ast.If(body=other) as branch]) if (
                source.text(branch).startswith(b"elif")
            ):
                yield from _exchange_blocks(source, node, body, other)
            case ast.If(body=body, orelse=[_, *_] as other):
                yield from _exchange_blocks(source, node, body, other)
            case ast.IfExp():
                yield from _exchange_values(source, node)


def _exchange_blocks(
    source: ParsedSource,
    node: ast.If,
    first: Sequence[ast.stmt],
    second: Sequence[ast.stmt],
) -> Iterator[Mutation]:
    blocks = is_block(source, first), is_block(source, second)
    aligned = blocks == (True, True) and indentation(source, first[0]) == indentation(
        source, second[0]
    )
    inline = blocks == (False, False)
    if aligned or inline:
        spans = block_span(source, first), block_span(source, second)
        yield Mutation(swap(*spans, source.data), source.own_lines(node))


def _exchange_values(source: ParsedSource, node: ast.IfExp) -> Iterator[Mutation]:
    body, test, other = map(source.span, (node.body, node.test, node.orelse))
    whole = source.span(node)
    first = find_token(source, body.end, test.start, rb"\bif\b")
    second = find_token(source, test.end, other.start, rb"\belse\b")
    if first is None or second is None:
        return
    spans = (
        trimmed(source, whole.start, first.start),
        trimmed(source, second.end, whole.end),
    )
    if spans[0] and spans[1]:
        yield Mutation(swap(spans[0], spans[1], source.data), source.own_lines(node))


def statement_shuffle(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """Two neighbours of which one needs what the other sets change places."""
    heads = [node for node in source.static if isinstance(node, Function)]
    for node in (*heads, *source.live):
        for body in _bodies(node):
            start = first_statement(body) if isinstance(node, Function) else 0
            statements = body[start:]
            for first, second in pairwise(statements):
                if _depend(first, second):
                    yield from _exchange_neighbours(source, first, second)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.ClassDef | ast.Lambda | ast.IfExp):
        return
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list) and len(body) > 1:
            yield body


def _exchange_neighbours(
    source: ParsedSource, first: ast.stmt, second: ast.stmt
) -> Iterator[Mutation]:
    if is_block(source, [first]) and is_block(source, [second]):
        spans = block_span(source, [first]), block_span(source, [second])
        lines = source.own_lines(first)
        yield Mutation(swap(*spans, source.data), lines)


def _depend(first: ast.stmt, second: ast.stmt) -> bool:
    """Tell whether order can matter: one writes a name that the other mentions."""
    if not isinstance(first, _SIMPLE) or isinstance(second, Function | ast.ClassDef):
        return False
    names = [_names(statement) for statement in (first, second)]
    writes = [_written(statement) for statement in (first, second)]
    return bool(writes[0] & names[1] or writes[1] & names[0])


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _written(statement: ast.stmt) -> set[str]:
    """Names assigned, and names whose object is assigned into or called upon."""
    written: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                written.add(name)
            case (
                ast.Attribute(value=ast.Name(id=name), ctx=ast.Store())
                | ast.Subscript(value=ast.Name(id=name), ctx=ast.Store())
                | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
            ):
                written.add(name)
    return written
