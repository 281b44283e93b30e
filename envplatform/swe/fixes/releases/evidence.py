"""Which tests of a newer release are new or changed, and which names they use.

Lexical only: no test is run. A test that names a function may still not test it.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from envplatform.swe.fixes.releases.units import code_of, parse
from envplatform.tree import File


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTest:
    """A test function that the newer release has and the older has not, or not so."""

    path: str
    name: str
    """Qualified, as `TestClass.test_method`."""
    mentions: frozenset[str]
    """Identifiers and attribute names in it."""

    @property
    def node_id(self) -> str:
        """As pytest writes it."""
        return f"{self.path}::{self.name.replace('.', '::')}"


def changed_tests(
    old: Mapping[str, File], new: Mapping[str, File]
) -> tuple[ChangedTest, ...]:
    """Compare the test files of two releases; by path, then in the order of the file."""
    found: list[ChangedTest] = []
    for path in sorted(new):
        before = _tests(old[path].data) if path in old else {}
        found += (
            ChangedTest(path=path, name=name, mentions=_mentions(node))
            for name, node in _tests(new[path].data).items()
            if name not in before or code_of(before[name]) != code_of(node)
        )
    return tuple(found)


def _tests(data: bytes) -> dict[str, ast.AST]:
    module = parse(data)
    return dict(_functions(module.body, "")) if module else {}


def _functions(body: list[ast.stmt], outer: str) -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test"):
                    yield outer + name, node
            case ast.ClassDef(name=name):
                yield from _functions(node.body, f"{outer}{name}.")


def _mentions(test: ast.AST) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(test):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                names.add(name)
    return frozenset(names)
