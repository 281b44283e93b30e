"""Expressions: another operator, operands swapped, a chain broken.

Three of SWE-smith's operators. Chains are taken in the wide sense: `a + b + c`, `x and
y`, and `name.strip().lower()` all lose a link.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from envplatform.swe.inducers.mutation.edits import (
    Edit,
    Mutation,
    operator_between,
    replace,
    trimmed,
)
from envplatform.swe.inducers.mutation.source import ParsedSource, Span


@dataclass(frozen=True, slots=True)
class Token:
    """How an operator is written, and a pattern that finds no longer one."""

    text: bytes
    pattern: bytes


TOKENS: dict[type[ast.operator], Token] = {
    ast.Add: Token(b"+", rb"\+"),
    ast.Sub: Token(b"-", rb"-"),
    ast.Mult: Token(b"*", rb"\*"),
    ast.Div: Token(b"/", rb"/"),
    ast.FloorDiv: Token(b"//", rb"//"),
    ast.Mod: Token(b"%", rb"%"),
    ast.Pow: Token(b"**", rb"\*\*"),
    ast.LShift: Token(b"<<", rb"<<"),
    ast.RShift: Token(b">>", rb">>"),
    ast.BitAnd: Token(b"&", rb"&"),
    ast.BitOr: Token(b"|", rb"\|"),
    ast.BitXor: Token(b"^", rb"\^"),
}
_GROUPS: tuple[tuple[type[ast.operator], ...], ...] = (
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    (ast.BitAnd, ast.BitOr, ast.BitXor),
    (ast.LShift, ast.RShift),
    (ast.Pow, ast.Mult),
)
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_LOOSEST = (ast.BoolOp, ast.IfExp, ast.Lambda)
_LOOSE: dict[type[ast.expr], tuple[type[ast.expr], ...]] = {
    ast.BinOp: (ast.BinOp, ast.UnaryOp, ast.Compare, *_LOOSEST),
    ast.Compare: (ast.Compare, *_LOOSEST),
    ast.BoolOp: _LOOSEST,
}
"""Operands that would fall apart beside another operator of that kind."""


def is_formatting(node: ast.BinOp) -> bool:
    """Tell whether `%` formats a string: another operator there is no likely slip."""
    left = node.left
    text = isinstance(left, ast.JoinedStr) or (
        isinstance(left, ast.Constant) and isinstance(left.value, str | bytes)
    )
    return isinstance(node.op, ast.Mod) and text


def operator_change(source: ParsedSource, random: Random) -> Iterator[Mutation]:
    """An arithmetic or bit operator becomes another one of its group."""
    for node in source.live:
        if not isinstance(node, ast.BinOp) or is_formatting(node):
            continue
        group = next((group for group in _GROUPS if type(node.op) in group), ())
        others = [kind for kind in group if kind is not type(node.op)]
        if not others:
            continue
        other = random.choice(others)
        pattern = TOKENS[type(node.op)].pattern
        span = operator_between(source, node.left, node.right, pattern)
        if span:
            edit = Edit(span, TOKENS[other].text)
            yield Mutation((edit,), source.own_lines(node))


def operand_swap(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """The two sides of an operator change places."""
    for node in source.live:
        match node:
            case ast.BinOp(left=left, op=operator, right=right):
                pattern = TOKENS[type(operator)].pattern if _matters(node) else b""
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                pattern = rb"[<>]=?" if isinstance(operator, _ORDERED) else b""
            case ast.BoolOp(values=[left, right]):
                pattern = rb"\b(?:and|or)\b"
            case _:
                continue
        span = operator_between(source, left, right, pattern) if pattern else None
        if span:
            yield from _swap_around(source, node, (left, span, right))


def _matters(node: ast.BinOp) -> bool:
    """Tell whether order can matter; to `+` and `*` with a number it does not."""
    numbers = [
        isinstance(side, ast.Constant) and isinstance(side.value, int | float)
        for side in (node.left, node.right)
    ]
    commutes = isinstance(node.op, ast.Add | ast.Mult)
    return (
        type(node.op) in TOKENS and not all(numbers) and not (commutes and any(numbers))
    )


def _swap_around(
    source: ParsedSource, node: ast.expr, parts: tuple[ast.expr, Span, ast.expr]
) -> Iterator[Mutation]:
    left, operator, right = parts
    whole = source.span(node)
    first = trimmed(source, whole.start, operator.start)
    second = trimmed(source, operator.end, whole.end)
    if first is None or second is None:
        return
    edits = (
        Edit(first, _guarded(source, node, right, second)),
        Edit(second, _guarded(source, node, left, first)),
    )
    yield Mutation(edits, source.own_lines(node))


def _guarded(
    source: ParsedSource, node: ast.expr, operand: ast.expr, span: Span
) -> bytes:
    """Text of an operand, in parentheses where a new neighbour could tear it apart."""
    text = source.data[span.start : span.end]
    bare = span == source.span(operand)
    return b"(%b)" % text if bare and isinstance(operand, _LOOSE[type(node)]) else text


def chain_break(source: ParsedSource, random: Random) -> Iterator[Mutation]:
    """A chain of operators, conditions or method calls loses one link."""
    for node in source.live:
        match node:
            case ast.BinOp(left=ast.BinOp(left=kept) as inner):
                yield from _keep_first(source, inner, kept)
            case ast.BinOp(right=ast.BinOp(left=kept) as inner):
                yield from _keep_first(source, inner, kept)
            case ast.BoolOp(values=values):
                yield from _drop_value(source, node, random.randrange(len(values)))
            case ast.Call(func=ast.Attribute(value=ast.Call() as kept)):
                yield replace(source, node, source.text(kept))


def _keep_first(
    source: ParsedSource, inner: ast.BinOp, kept: ast.expr
) -> Iterator[Mutation]:
    pattern = TOKENS[type(inner.op)].pattern if type(inner.op) in TOKENS else None
    operator = operator_between(source, kept, inner.right, pattern) if pattern else None
    span = source.span(inner)
    text = trimmed(source, span.start, operator.start) if operator else None
    if text:
        edit = Edit(span, source.data[text.start : text.end])
        yield Mutation((edit,), source.own_lines(inner))


def _drop_value(
    source: ParsedSource, node: ast.BoolOp, index: int
) -> Iterator[Mutation]:
    """Drop one condition and the `and` or `or` beside it."""
    token = rb"\band\b" if isinstance(node.op, ast.And) else rb"\bor\b"
    beside = index - 1 if index else 0
    pair = node.values[beside : beside + 2]
    operator = operator_between(source, pair[0], pair[1], token)
    if operator is None:
        return
    whole = source.span(node)
    if index:
        after = _next_operator(source, node, index, token)
        kept_end = len(source.data[: operator.start].rstrip())
        cut = Span(kept_end, after if after is not None else whole.end)
    else:
        rest = source.data[operator.end : whole.end]
        cut = Span(whole.start, operator.end + len(rest) - len(rest.lstrip()))
    if b"#" not in source.data[cut.start : cut.end]:
        yield Mutation((Edit(cut, b""),), source.own_lines(node))


def _next_operator(
    source: ParsedSource, node: ast.BoolOp, index: int, token: bytes
) -> int | None:
    if index + 1 == len(node.values):
        return None
    span = operator_between(source, node.values[index], node.values[index + 1], token)
    if span is None:
        return None
    return len(source.data[: span.start].rstrip())
