"""A test file as syntax: the function, the statement that failed, names and imports.

Static only: test files are read, never imported.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from envplatform.swe.issue.facts import FailingTest
from envplatform.swe.parsing import parse_or_none

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedTest:
    """A failing test's function with the way down to the statement that failed."""

    module: ast.Module
    function: Function
    way: tuple[ast.stmt, ...]
    """Statements from the function's body down to the failing one; never empty."""


@lru_cache(maxsize=8)
def parse_test(source: str) -> ast.Module | None:
    """Parse a test file; None if that can't be done. Nobody changes the tree.

    Kept for a while: one file often holds dozens of failing tests.
    """
    return parse_or_none(source)


def find_function(test: FailingTest) -> tuple[ast.Module, Function] | None:
    """Return a test's file and function; None if either can't be read."""
    module = parse_test(test.source)
    if module is None or not test.names:
        return None
    holder = find_class(test)
    if holder is None and len(test.names) > 1:
        return None
    functions = [
        node
        for node in (holder or module).body
        if isinstance(node, Function) and node.name == test.names[-1]
    ]
    return (module, functions[-1]) if functions else None


def trace(test: FailingTest, shown: Sequence[str]) -> TracedTest | None:
    """Find the statement that `shown`, the report's code lines, point at."""
    found = find_function(test)
    if found is None:
        return None
    module, function = found
    lines = test.source.split("\n")
    for line in reversed(shown):
        ways = [
            way for way in _ways(function.body, ()) if _begins(way[-1], line, lines)
        ]
        if len(ways) == 1:  # a line that stands there twice points nowhere
            return TracedTest(module=module, function=function, way=ways[0])
    return None


def _begins(statement: ast.stmt, line: str, lines: Sequence[str]) -> bool:
    index = statement.lineno - 1
    return bool(line) and index < len(lines) and lines[index].strip() == line


def find_class(test: FailingTest) -> ast.ClassDef | None:
    """Return the class that a test's id names; None for a plain function."""
    module = parse_test(test.source)
    body: Sequence[ast.stmt] = module.body if module else ()
    found: ast.ClassDef | None = None
    for name in test.names[:-1]:
        classes = [n for n in body if isinstance(n, ast.ClassDef) and n.name == name]
        if not classes:
            return None
        found = classes[-1]
        body = found.body
    return found


def _ways(
    body: Sequence[ast.stmt], above: tuple[ast.stmt, ...]
) -> Iterator[tuple[ast.stmt, ...]]:
    for statement in body:
        yield (*above, statement)
        if isinstance(statement, Function | ast.ClassDef):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _ways(getattr(statement, name, []), (*above, statement))


def module_value(module: ast.Module, name: str) -> ast.expr | None:
    """Return what the file itself assigns to a name at its top level."""
    found = [
        statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    return found[-1] if found else None


def loaded(node: ast.AST) -> set[str]:
    """Names a piece of code reads from around it."""
    read: set[str] = set()
    own: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            read.add(inner.id)
        elif isinstance(inner, ast.arg):
            own.add(inner.arg)
        elif isinstance(inner, ast.comprehension):
            own |= stored(inner.target)
    return read - own


def stored(node: ast.AST) -> set[str]:
    """Names a piece of code sets, functions and imports included."""
    names = {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)
    }
    if isinstance(node, Function | ast.ClassDef):
        names.add(node.name)
    if isinstance(node, ast.Import | ast.ImportFrom):
        names |= {_bound(alias) for alias in node.names}
    return names


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A name that an import statement binds."""

    line: str
    """The import that binds this one name."""
    dotted: str
    """Where it comes from, `inflection.pluralize`."""
    ours: bool
    """Whether it is of the package under test."""


@lru_cache(maxsize=8)
def imports(module: ast.Module, modules: frozenset[str]) -> Mapping[str, Imported]:
    """Names bound by the file's imports that anyone could write, by name.

    Of the package under test and the standard library; test helpers are not there.
    """
    found: dict[str, Imported] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                if _available(root, modules):
                    dotted = alias.name if alias.asname else root
                    line = ast.unparse(ast.Import(names=[alias]))
                    found[_bound(alias)] = _imported(line, dotted, modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if alias.name != "*" and _available(node.module.split(".")[0], modules):
                    line = f"from {node.module} import {ast.unparse(alias)}"
                    dotted = f"{node.module}.{alias.name}"
                    found[_bound(alias)] = _imported(line, dotted, modules)
    return found


def _available(root: str, modules: frozenset[str]) -> bool:
    return root in modules or root in sys.stdlib_module_names


def _imported(line: str, dotted: str, modules: frozenset[str]) -> Imported:
    return Imported(
        line=line, dotted=dotted, ours=dotted.split(".", maxsplit=1)[0] in modules
    )
