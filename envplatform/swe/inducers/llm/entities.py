"""Functions of a file that a model may be asked about, and where their bodies lie."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envplatform.swe.inducers.mutation.source import (
    Function,
    ParsedSource,
    Span,
    first_statement,
    is_dead,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One function or method with a body of its own.

    Head and body are whole lines: the head from the first decorator up to the first
    statement after the docstring, the body from there to the end of its last line.
    """

    name: str
    """Dotted, from the module: `Span.inside`, `outer.inner`."""
    kind: str
    """`function`, `method`; with `async_` or `nested_` before it."""
    node: Function
    head: Span
    body: Span
    """Without the last line's end."""
    lines: range
    """Lines of the body, from 1."""
    outer: str
    """What `def` is indented by."""
    indent: str
    """What the body is indented by."""
    newline: str
    """How the body's first line ends."""


def find_entities(source: ParsedSource) -> tuple[Entity, ...]:
    """Find the functions that have something to get wrong, in source order."""
    found = (
        _entity(source, node, path) for node, path in _functions(source.tree, (), ())
    )
    return tuple(entity for entity in found if entity is not None)


_Path = tuple[ast.AST, ...]


def _functions(
    node: ast.AST, path: _Path, names: tuple[str, ...]
) -> Iterator[tuple[Function, tuple[_Path, str]]]:
    for child in ast.iter_child_nodes(node):
        if is_dead(child):
            continue
        if isinstance(child, Function | ast.ClassDef):
            inner = (*names, child.name)
            if isinstance(child, Function):
                yield child, (path, ".".join(inner))
            yield from _functions(child, (*path, child), inner)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _functions(child, path, names)


def _entity(
    source: ParsedSource, node: Function, where: tuple[_Path, str]
) -> Entity | None:
    """None: a stub, or a body that shares a line with the head."""
    path, name = where
    body = node.body[first_statement(node.body) :]
    if _is_stub(body):
        return None
    begin, end = _first_line(source, body[0]), node.end_lineno or node.lineno
    top = _first_line(source, node)
    start = source.starts[begin - 1]
    before = source.data[start : source.span(body[0]).start]
    indent, outer = _blanks(before), _blanks(source.data[source.starts[top - 1] :])
    if len(indent) < len(before) or not indent.startswith(outer) or indent == outer:
        return None
    return Entity(
        name=name,
        kind=_kind(node, path),
        node=node,
        head=Span(source.starts[top - 1], start),
        body=Span(start, _line_end(source, end)),
        lines=range(begin, end + 1),
        outer=outer,
        indent=indent,
        newline=_newline(source, top),
    )


def _first_line(source: ParsedSource, node: ast.AST) -> int:
    """Line, from 1, of a node's first byte, decorators included."""
    return source.line_of(source.span(node).start) + 1


def _is_stub(body: Sequence[ast.stmt]) -> bool:
    """Tell whether there is nothing in it: `pass`, `...`, `raise NotImplementedError`."""
    match body:
        case [] | [ast.Pass()] | [ast.Expr(value=ast.Constant())]:
            return True
        case [ast.Raise(exc=ast.Name(id="NotImplementedError"))]:
            return True
        case [ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def _kind(node: Function, path: _Path) -> str:
    parent = path[-1] if path else None
    kind = "method" if isinstance(parent, ast.ClassDef) else "function"
    if isinstance(parent, Function):
        kind = f"nested_{kind}"
    return f"async_{kind}" if isinstance(node, ast.AsyncFunctionDef) else kind


def _blanks(line: bytes) -> str:
    """Return the blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(b" \t"))].decode("ascii")


def _line_end(source: ParsedSource, line: int) -> int:
    """Offset behind a line's last byte, its line end left out."""
    start, after = source.starts[line - 1], source.starts[line]
    return start + len(source.data[start:after].rstrip(b"\r\n"))


def _newline(source: ParsedSource, line: int) -> str:
    """How a line ends that is not the last."""
    return source.data[_line_end(source, line) : source.starts[line]].decode("ascii")
