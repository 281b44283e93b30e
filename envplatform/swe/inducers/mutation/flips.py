"""Flips: and/or, True/False, `not`, signs, arithmetic, and being off by one."""

import ast
from collections.abc import Iterator
from random import Random

from envplatform.swe.inducers.mutation.edits import (
    Edit,
    Mutation,
    find_token,
    operator_between,
    replace,
)
from envplatform.swe.inducers.mutation.operations import TOKENS, is_formatting
from envplatform.swe.inducers.mutation.source import ParsedSource, Span

_FLIPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def boolean_flip(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """`and` becomes `or` and the other way round, all along one chain."""
    for node in source.live:
        if not isinstance(node, ast.BoolOp):
            continue
        old, new = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
        spans = [
            operator_between(source, left, right, rb"\b" + old + rb"\b")
            for left, right in zip(node.values, node.values[1:], strict=False)
        ]
        edits = tuple(Edit(span, new) for span in spans if span)
        if len(edits) == len(spans):
            yield Mutation(edits, source.own_lines(node))


def literal_flip(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """`True` becomes `False` and the other way round."""
    for node in (*source.live, *source.static):
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield replace(source, node, b"False" if node.value else b"True")


def condition_negate(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """A condition gains or loses its `not`. Loops are spared: they would not end."""
    for node in source.live:
        if isinstance(node, ast.If | ast.IfExp | ast.Assert):
            if isinstance(node.test, ast.UnaryOp):
                yield from _drop_unary(source, node.test, ast.Not, rb"not\b\s*")
            elif isinstance(node.test, _SIMPLE):
                yield replace(source, node.test, b"not " + source.text(node.test))
            elif isinstance(node.test, ast.BoolOp):
                yield replace(source, node.test, b"not (%b)" % source.text(node.test))


def sign_flip(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """A minus sign is lost."""
    for node in source.live:
        if isinstance(node, ast.UnaryOp):
            yield from _drop_unary(source, node, ast.USub, rb"-\s*")


def _drop_unary(
    source: ParsedSource, node: ast.UnaryOp, kind: type[ast.unaryop], token: bytes
) -> Iterator[Mutation]:
    span = source.span(node)
    found = find_token(source, span.start, source.span(node.operand).start, token)
    if isinstance(node.op, kind) and found and found.start == span.start:
        yield Mutation((Edit(found, b""),), source.own_lines(node))


def arithmetic_flip(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """`+` becomes `-`, `*` becomes `/`, `|` becomes `&`, ...; in `+=` and its kin too."""
    for node in source.live:
        if isinstance(node, ast.BinOp) and not is_formatting(node):
            left, right, suffix = node.left, node.right, b""
        elif isinstance(node, ast.AugAssign):
            left, right, suffix = node.target, node.value, b"="
        else:
            continue
        other = _FLIPPED.get(type(node.op))
        if other is None:
            continue
        old, new = TOKENS[type(node.op)], TOKENS[other]
        span = operator_between(source, left, right, old.pattern + suffix)
        if span:
            edit = Edit(span, new.text + suffix)
            yield Mutation((edit,), source.own_lines(node))


def off_by_one(source: ParsedSource, random: Random) -> Iterator[Mutation]:
    """A slice bound, an index, a `range` or a length is one too far or too short."""
    for node in source.live:
        if isinstance(node, ast.Call) and isinstance(source.parents[node], ast.Compare):
            continue  # `len(x) == 1`: to change the constant is the likelier slip
        for bound in _bounds(node):
            up = random.random() < 0.5  # noqa: PLR2004  # a coin
            yield from _shift(source, bound, up=up or _is_negated(source, bound))


def _is_negated(source: ParsedSource, bound: ast.expr) -> bool:
    """Tell whether a minus stands before it: `-1` becomes `-2`, never `-0`."""
    return isinstance(source.parents[bound], ast.UnaryOp)


def _bounds(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Slice(lower=lower, upper=upper):
            yield from (bound for bound in (lower, upper) if bound)
        case ast.Subscript(slice=ast.Constant(value=int()) as index):
            yield index
        case ast.Subscript(
            slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int()) as index)
        ):
            yield index
        case ast.Call(func=ast.Name(id="range"), args=[*arguments]):
            yield from arguments[:2]
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            yield node


def _shift(source: ParsedSource, bound: ast.expr, *, up: bool) -> Iterator[Mutation]:
    match bound:
        case ast.Constant(value=bool()):
            return
        case ast.Constant(value=int(value)):
            shifted = value + 1 if up or not value else value - 1
            yield replace(source, bound, b"%d" % shifted)
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)):
            span = source.span(bound)
            kept = source.span(bound.left)
            cut = Span(kept.end, span.end)
            if source.data[span.start : span.start + 1] != b"(":
                yield Mutation((Edit(cut, b""),), source.own_lines(bound))
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            tail = b" + 1" if up else b" - 1"
            yield replace(source, bound, source.text(bound) + tail)
