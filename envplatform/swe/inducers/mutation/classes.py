"""Classes: a base lost, two methods' bodies exchanged, a method lost.

SWE-smith's class operators; where it reorders whole methods, which Python hardly ever
notices, bodies of methods with the same parameters change owners here.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from random import Random

from envplatform.swe.inducers.mutation.edits import (
    Edit,
    Mutation,
    block_span,
    drop_statement,
    find_token,
    is_block,
    swap,
)
from envplatform.swe.inducers.mutation.source import (
    Function,
    ParsedSource,
    Span,
    first_statement,
    is_dead,
)

_BLANK_LINE = re.compile(rb"[ \t\f]*(?:\r\n|\r|\n)")


def class_remove_base(source: ParsedSource, random: Random) -> Iterator[Mutation]:
    """A class loses one of its bases."""
    for node in _classes(source):
        names = [getattr(base, "id", "") for base in node.bases]
        if not names or names == ["object"] or getattr(node, "type_params", None):
            continue
        cut = _base_cut(source, node, random.randrange(len(names)))
        if cut and b"#" not in source.data[cut.start : cut.end]:
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            yield Mutation((Edit(cut, b""),), lines)


def _base_cut(source: ParsedSource, node: ast.ClassDef, index: int) -> Span | None:
    items = [*node.bases, *node.keywords]
    span = source.span(items[index])
    if index + 1 < len(items):
        return Span(span.start, source.span(items[index + 1]).start)
    if index:
        return Span(source.span(items[index - 1]).end, span.end)
    opening = find_token(source, _keyword_start(source, node), span.start, rb"\(")
    closing = find_token(source, span.end, source.span(node.body[0]).start, rb"\)")
    return Span(opening.start, closing.end) if opening and closing else None


def _keyword_start(source: ParsedSource, node: ast.ClassDef) -> int:
    return source.starts[node.lineno - 1] + node.col_offset


def class_shuffle_methods(source: ParsedSource, random: Random) -> Iterator[Mutation]:
    """Two methods with the same parameters exchange their bodies."""
    for node in _classes(source):
        methods = [method for method in _methods(node) if _rest(method)]
        for index, first in enumerate(methods):
            same = [other for other in methods[index + 1 :] if _alike(first, other)]
            if same:
                yield from _exchange(source, first, random.choice(same))


def _exchange(
    source: ParsedSource, first: Function, second: Function
) -> Iterator[Mutation]:
    bodies = _rest(first), _rest(second)
    if not all(is_block(source, body) for body in bodies):
        return
    spans = [block_span(source, body) for body in bodies]
    yield Mutation(swap(spans[0], spans[1], source.data), _body_lines(first))


def class_remove_method(source: ParsedSource, _: Random) -> Iterator[Mutation]:
    """A class loses a method, decorators included."""
    for node in _classes(source):
        for method in _methods(node):
            edits = drop_statement(source, method)
            if len(edits) == 1 and not edits[0].text:
                edits = (Edit(_with_blank_lines(source, edits[0].span), b""),)
            yield Mutation(edits, _body_lines(method))


def _with_blank_lines(source: ParsedSource, span: Span) -> Span:
    end = span.end
    while match := _BLANK_LINE.match(source.data, end):
        end = match.end()
    return Span(span.start, end)


def _classes(source: ParsedSource) -> Iterator[ast.ClassDef]:
    for node in (*source.static, *source.live):
        if isinstance(node, ast.ClassDef):
            yield node


def _methods(node: ast.ClassDef) -> list[Function]:
    return [
        item for item in node.body if isinstance(item, Function) and not is_dead(item)
    ]


def _rest(method: Function) -> Sequence[ast.stmt]:
    return method.body[first_statement(method.body) :]


def _alike(first: Function, second: Function) -> bool:
    """Same parameters and decorators, so that either body fits under either head."""
    heads = [
        (type(method), ast.dump(method.args), *map(ast.dump, method.decorator_list))
        for method in (first, second)
    ]
    return heads[0] == heads[1]


def _body_lines(method: Function) -> range:
    rest = _rest(method) or method.body
    return range(rest[0].lineno, (method.end_lineno or method.lineno) + 1)
