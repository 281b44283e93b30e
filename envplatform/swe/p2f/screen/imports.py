"""Which files of a repository use which others, read off their import statements.

A name that a package takes from one of its modules counts as a use of that module, not
of the package: else every file of most packages would use every other. For the same
reason a package does not use what it imports only to pass it on. What can't be
followed counts as a use of all that the named module itself uses. Imports that are
worked out while running are not seen; their lines are, by coverage.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from envplatform.swe.parsing import parse_or_none
from envplatform.tree import Tree

_BINDERS = frozenset(
    {"__getattr__", "exec", "globals", "locals", "setattr", "vars", "modules"}
)
"""Names in a file that binds others without an assignment to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What one file says of imports."""

    exports: Mapping[str, tuple[str, str]]
    """Name bound at the top to (module, name in it); name `` for the module itself."""
    stars: tuple[str, ...]
    """Modules all of whose names are taken over."""
    own: frozenset[str]
    """Names bound at the top by anything but an import."""
    is_dynamic: bool
    """Whether it may bind names that no statement of it shows."""
    passes_on: frozenset[tuple[str, str]]
    """(module, name): what a package imports and does not use itself."""
    uses: frozenset[tuple[str, str]]
    """(module, name): what the file takes, wherever in it; name `` for all of it."""


@dataclass(frozen=True, slots=True)
class Imports:
    """The files of one tree and what they import from each other."""

    modules: Mapping[str, str]
    """Dotted name to path."""
    facts: Mapping[str, _Facts]
    """By path; without files that can't be parsed."""
    _edges: dict[str, frozenset[str]] = field(default_factory=dict)

    def used_by(self, path: str) -> frozenset[str]:
        """Return all files that `path` uses, directly or not, itself included."""
        found: set[str] = set()
        todo = [path]
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                todo += self._direct(at)
        return frozenset(found)

    def named_by(self, path: str) -> frozenset[str]:
        """As `used_by`, but for a file that only hands whole modules on.

        A `conftest.py` that gives a package to doctests by name says nothing of what in
        it a test uses. Lines that its fixtures run count for each test, by coverage.
        """
        facts = self.facts.get(path)
        uses = [use for use in facts.uses if use[1]] if facts else []
        named = {hit for use in uses for hit in self._defining(*use, set())}
        return frozenset({path}).union(*map(self.used_by, named))

    def _direct(self, path: str) -> frozenset[str]:
        if path not in self._edges:
            facts = self.facts.get(path)
            uses = facts.uses if facts else ()
            self._edges[path] = frozenset(
                hit
                for module, name in uses
                for hit in (
                    self._defining(module, name, set())
                    if name
                    else self._whole(module, set())
                )
            )
        return self._edges[path]

    def _whole(self, module: str, seen: set[str]) -> frozenset[str]:
        """Return the files that may answer for `module` as a value; `seen`: asked."""
        path = self.modules.get(module)
        if path is None or module in seen:
            return frozenset()
        seen.add(module)
        facts = self.facts.get(path)
        found = {path}
        for inner, name in facts.passes_on if facts else ():
            found |= self._defining(inner, name, set())
            if not name or f"{inner}.{name}" in self.modules:
                found |= self._whole(f"{inner}.{name}" if name else inner, seen)
        return frozenset(found)

    def _defining(
        self, module: str, name: str, seen: set[tuple[str, str]]
    ) -> frozenset[str]:
        """Return the files that `name` of `module` may come from; `seen`: asked."""
        if (module, name) in seen:
            return frozenset()
        seen.add((module, name))
        below = f"{module}.{name}" if name else module
        if below in self.modules:
            return frozenset({self.modules[below]})
        path = self.modules.get(module)
        if path is None:
            return frozenset()
        facts = self.facts.get(path)
        if not name or facts is None or name in facts.own:
            return frozenset({path})
        if name in facts.exports:
            return self._defining(*facts.exports[name], seen) or frozenset({path})
        found = [
            self._defining(star, name, seen)
            for star in facts.stars
            if self._may_define(star, name, set())
        ]
        return frozenset().union(*found) or frozenset({path})

    def _may_define(self, module: str, name: str, seen: set[str]) -> bool:
        """Whether `from module import *` can bring `name`; `seen`: asked."""
        if module in seen:
            return False
        seen.add(module)
        path = self.modules.get(module)
        facts = self.facts.get(path) if path else None
        if facts is None or facts.is_dynamic or name in {*facts.own, *facts.exports}:
            return True
        return any(self._may_define(star, name, seen) for star in facts.stars)


def read_imports(tree: Tree, pythonpath: tuple[str, ...]) -> Imports:
    """Read every Python file of `tree`. Runs nothing."""
    modules: dict[str, str] = {}
    names: dict[str, str] = {}
    for path in sorted(tree):
        if path.endswith(".py"):
            for name in _names_of(path, tree, pythonpath):
                modules.setdefault(name, path)
                names.setdefault(path, name)
    facts: dict[str, _Facts] = {}
    for path, name in names.items():
        parsed = parse_or_none(tree[path].data)
        if parsed is not None:
            is_package = path.endswith("/__init__.py")
            facts[path] = _read(parsed, name, is_package=is_package, modules=modules)
    return Imports(modules, facts)


def _names_of(path: str, tree: Tree, pythonpath: tuple[str, ...]) -> Iterator[str]:
    """Yield dotted names; pytest also imports from folders that are no packages."""
    place = PurePosixPath(path)
    beside = str(place.parent)
    is_packed = f"{beside}/__init__.py" in tree
    for folder in (*pythonpath, ".", *([] if is_packed else [beside])):
        if folder == "." or place.is_relative_to(folder):
            parts = place.relative_to(folder).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            if parts:
                yield ".".join(parts)


def _read(
    module: ast.Module, name: str, *, is_package: bool, modules: Mapping[str, str]
) -> _Facts:
    package = name if is_package else name.rpartition(".")[0]
    is_dynamic = _binds_by_name(module)
    passed_on = _unused(module) if is_package and not is_dynamic else frozenset()
    exports: dict[str, tuple[str, str]] = {}
    stars: list[str] = []
    taken: set[tuple[str, tuple[str, str]]] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                whole = alias.name if alias.asname else first
                exports[alias.asname or first] = (whole, "")
                if first != alias.name:
                    taken.add((alias.asname or first, (alias.name, "")))
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, package)
            names = {a.asname or a.name: a.name for a in node.names if a.name != "*"}
            exports.update({bound: (source, name) for bound, name in names.items()})
            taken |= {(bound, (source, name)) for bound, name in names.items()}
            stars += [source for alias in node.names if alias.name == "*"]
    taken.update(("*", (source, "")) for source in stars)
    passes_on = {use for bound, use in taken if bound in passed_on}
    uses = {use for _, use in taken} - passes_on
    uses.update(_uses_of_modules(module, exports, modules))
    return _Facts(
        exports=exports,
        stars=tuple(stars),
        own=frozenset(_own(module)),
        is_dynamic=is_dynamic,
        passes_on=frozenset(passes_on),
        uses=frozenset(uses),
    )


def _uses_of_modules(
    module: ast.Module,
    exports: Mapping[str, tuple[str, str]],
    modules: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield what is taken from modules by attribute: `package.module.name`."""
    inner: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            inner.add(id(node.value))
    for node in ast.walk(module):
        if id(node) in inner or not isinstance(node, ast.Attribute | ast.Name):
            continue
        chain = _chain(node)
        if chain and chain[0] in exports:
            source, name = exports[chain[0]]
            start = f"{source}.{name}" if name else source
            if start in modules:
                yield _longest(start, chain[1:], modules)


def _chain(node: ast.expr) -> list[str]:
    """Return the names of `a.b.c`; from the inside, if the root is no name: none."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _longest(
    start: str, attributes: list[str], modules: Mapping[str, str]
) -> tuple[str, str]:
    module = start
    for attribute in attributes:
        if f"{module}.{attribute}" not in modules:
            return module, attribute
        module = f"{module}.{attribute}"
    return module, ""


def _source(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _unused(module: ast.Module) -> frozenset[str]:
    """Return names that imports bind and nothing else in the file mentions.

    A package's `__init__.py` passes them on: who takes one from there uses the module
    that it comes from, and the package does not.
    """
    bound = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return frozenset(
        bound - {n.id for n in ast.walk(module) if isinstance(n, ast.Name)}
    )


def _binds_by_name(module: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id in _BINDERS for node in ast.walk(module)
    )


def _own(module: ast.Module) -> Iterator[str]:
    """Yield names bound at the top other than by an import, in branches too."""
    todo: list[ast.AST] = list(module.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, ast.Import | ast.ImportFrom | ast.Lambda):
            todo += ast.iter_child_nodes(node)
