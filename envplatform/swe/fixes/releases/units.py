"""A Python file taken apart into what can be changed alone.

A unit is a function, a method, or an assignment to one name in a module or class. It
owns whole lines. What two units share, or what stands twice under one name, is none.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from envplatform.swe.parsing import parse_or_none

_LONE_CR = re.compile(rb"\r(?!\n)")
_VERSION_NAME = re.compile(
    r"_{0,2}(version|author|date|copyright|all)\w*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One definition and the lines that it owns."""

    name: str
    """Qualified, as `Class.method`."""
    kind: str
    """`function`, `method` or `assignment`."""
    first: int
    """Index of its first line from 0, decorators included."""
    end: int
    """Index after its last line."""
    code: str
    """Its syntax tree without docstrings, types, places and comments; empty if too deep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFile:
    """A file that parses, and its units."""

    lines: tuple[bytes, ...]
    """Each with its LF, but for a last one that has none."""
    units: Mapping[str, Unit]
    """By name."""

    def with_lines_of(self, unit: Unit, other: "UnitFile", theirs: Unit) -> bytes:
        """Return the file's bytes with `theirs` in the place of `unit`."""
        inner = list(other.lines[theirs.first : theirs.end])
        if inner and not inner[-1].endswith(b"\n") and unit.end < len(self.lines):
            inner[-1] += b"\n"
        return b"".join((*self.lines[: unit.first], *inner, *self.lines[unit.end :]))


def take_apart(data: bytes) -> UnitFile | None:
    """Return the units of a file; None if it is no Python of this version.

    Lines that end in a bare CR are not taken: Python counts them, diffs do not.
    """
    module = parse(data)
    if module is None or _LONE_CR.search(data):
        return None
    statements = list(_statements(module.body, ""))
    times = Counter(name for name, _, _ in statements)
    busy = Counter(
        line for _, _, node in statements for line in {_first(node), _last(node)}
    )
    units = {
        name: Unit(
            name=name,
            kind=kind,
            first=_first(node) - 1,
            end=_last(node),
            code=code_of(node),
        )
        for name, kind, node in statements
        if name and kind and times[name] == 1
        if busy[_first(node)] == busy[_last(node)] == 1
    }
    return UnitFile(lines=tuple(_lines(data)), units=units)


def parse(data: bytes) -> ast.Module | None:
    """Return the syntax tree; None if there is none."""
    return parse_or_none(data)


def code_of(node: ast.AST) -> str:
    """Print a syntax tree without docstrings and types in signatures.

    So equal text means equal code. Takes them out of `node` itself. Empty if the tree is too deep to print.
    """
    try:
        return ast.dump(_Undocumented().visit(node))
    except RecursionError:
        return ""


class _Undocumented(ast.NodeTransformer):
    """Takes out strings that are statements, and the types in signatures."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        """Drop a docstring, or a string that stands about like one."""
        value = node.value
        is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        return None if is_text else node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Drop the type of a parameter."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Drop the type of what is returned."""
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Drop the type of what is returned."""
        node.returns = None
        return self.generic_visit(node)


_Place = tuple[str, str, ast.stmt]
"""Qualified name, kind (empty: no unit) and statement."""


def _statements(body: Iterable[ast.stmt], outer: str) -> Iterator[_Place]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield outer + name, "method" if outer else "function", node
            case ast.ClassDef(name=name):
                yield from _statements(node.body, f"{outer}{name}.")
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
            ):
                is_unit = not _VERSION_NAME.fullmatch(name)
                yield outer + name, "assignment" if is_unit else "", node
            case _:
                yield "", "", node


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(node.lineno, *(part.lineno for part in decorators), node.lineno)


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _lines(data: bytes) -> Iterator[bytes]:
    pieces = data.split(b"\n")
    yield from (piece + b"\n" for piece in pieces[:-1])
    if pieces[-1]:
        yield pieces[-1]
