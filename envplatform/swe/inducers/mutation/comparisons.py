"""Comparison operators: at the boundary, negated, or the other way round."""

import ast
from collections.abc import Iterator
from random import Random

from envplatform.swe.inducers.mutation.edits import Edit, Mutation, operator_between
from envplatform.swe.inducers.mutation.source import ParsedSource

_TOKENS: dict[type[ast.cmpop], tuple[bytes, bytes]] = {  # as written, as pattern
    ast.Eq: (b"==", b"=="),
    ast.NotEq: (b"!=", b"!="),
    ast.Lt: (b"<", b"<"),
    ast.LtE: (b"<=", b"<="),
    ast.Gt: (b">", b">"),
    ast.GtE: (b">=", b">="),
    ast.Is: (b"is", rb"\bis\b"),
    ast.IsNot: (b"is not", rb"\bis\s+not\b"),
    ast.In: (b"in", rb"\bin\b"),
    ast.NotIn: (b"not in", rb"\bnot\s+in\b"),
}
_BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def comparison_boundary(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """`<` and `<=`, `>` and `>=` exchanged."""
    return _exchange(source, _BOUNDARY)


def comparison_negate(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """`==` and `!=`, `in` and `not in`, `is` and `is not`, `<` and `>=` exchanged."""
    return _exchange(source, _NEGATED)


def comparison_swap(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """`<` and `>`, `<=` and `>=` exchanged."""
    return _exchange(source, _TURNED)


def _exchange(
    source: ParsedSource, table: dict[type[ast.cmpop], type[ast.cmpop]]
) -> Iterator[Mutation]:
    for node in source.live:
        if not isinstance(node, ast.Compare):
            continue
        operands = [node.left, *node.comparators]
        for operator, left, right in zip(
            node.ops, operands, operands[1:], strict=False
        ):
            other = table.get(type(operator))
            if other is None:
                continue
            pattern = _TOKENS[type(operator)][1]
            span = operator_between(source, left, right, pattern)
            if span:
                edit = Edit(span, _TOKENS[other][0])
                yield Mutation((edit,), source.own_lines(node))
