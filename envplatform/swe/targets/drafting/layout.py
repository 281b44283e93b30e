"""Where code and tests of a repository lie, by the layouts that people use."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from envplatform.swe.targets.drafting.declared import Declared
from envplatform.swe.targets.guess import find_tests
from envplatform.tree import Tree

_ASIDE = frozenset(
    {
        "asv_bench", "bench", "benchmarks", "build_tools", "ci", "doc", "docs",
        "examples", "paper", "performance", "script", "scripts", "test", "testing",
        "tests", "tools", "typing_tests", "util", "utils",
    }
)  # fmt: skip
"""Folders at the top that are seldom what a repository is for."""
_GENERATED = re.compile(r"(^|/)_?version\.py$")
_MARK = "__init__.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Paths and how they were found."""

    paths: tuple[str, ...]
    reason: str


def tests_of(tree: Tree, declared: Declared) -> Found:
    """Return pytest's `testpaths`, or the folders that are usual."""
    named = tuple(
        path.rstrip("/")
        for path in declared.pytest.get("testpaths", ())
        if any(
            p == path.rstrip("/") or p.startswith(path.rstrip("/") + "/") for p in tree
        )
    )
    if named:
        return Found(paths=named, reason=f"testpaths in {declared.pytest_where}")
    found = find_tests(tree)
    return Found(paths=found, reason="where test files lie")


def source_folder(tree: Tree, declared: Declared) -> str:
    """Folder below the tree that packages are imported from; empty for the tree itself."""
    named = declared.source_folder or "src"
    return named if any(_is_code(path, f"{named}/") for path in tree) else ""


def code_of(tree: Tree, declared: Declared, folder: str, used: Iterable[str]) -> Found:
    """Return packages and modules in `folder`: those that tests import, if they do any.

    A folder without `__init__.py` is a namespace package if tests import it, or the
    project is called like it.
    """
    prefix = f"{folder}/" if folder else ""
    heads = _heads(tree, prefix)
    named = {_normal(declared.name.value)} if declared.name else set()
    named |= {name.split("_")[0] for name in named}
    imported = set(used)
    regular = {head for head in heads if _is_regular(tree, prefix, head)}
    spaces = {
        head
        for head in heads - regular
        if head in imported or _normal(head) in named or (folder and head not in _ASIDE)
    }
    mine = {head for head in regular | spaces if head in imported}
    if mine:
        return Found(paths=_sorted(tree, prefix, mine), reason="what the tests import")
    called = {head for head in regular | spaces if _normal(head) in named}
    if called:
        return Found(
            paths=_sorted(tree, prefix, called), reason="called like the project"
        )
    rest = (regular | spaces) - (_ASIDE if not folder else set())
    return Found(
        paths=_sorted(tree, prefix, rest), reason="the packages and modules there are"
    )


def excluded(tree: Tree, roots: Iterable[str]) -> tuple[str, ...]:
    """Globs of what lies below the roots and is no code of the repository's own."""
    below = [
        path
        for path in tree
        if any(path == root or path.startswith(f"{root}/") for root in roots)
    ]
    globs = [
        glob
        for glob, pattern in (
            ("*/tests/*", r"/tests/"),
            ("*/test/*", r"/test/"),
            ("*/test_*.py", r"/test_[^/]*\.py$"),
            ("*/_vendor/*", r"/_vendor/"),
            ("*/vendor/*", r"/vendor/"),
            ("*/vendored/*", r"/vendored/"),
        )
        if any(re.search(pattern, path) for path in below)
    ]
    return (*globs, *sorted(path for path in below if _GENERATED.search(path)))


def _heads(tree: Tree, prefix: str) -> set[str]:
    """First names below `prefix` that hold Python files."""
    found: set[str] = set()
    for path in tree:
        if _is_code(path, prefix):
            head = path.removeprefix(prefix).partition("/")[0].removesuffix(".py")
            if head.isidentifier() and not head.startswith(("test_", "conftest")):
                found.add(head)
    return found - {"setup", "conftest", "noxfile", "tasks", "manage"}


def _is_code(path: str, prefix: str) -> bool:
    return path.startswith(prefix) and path.endswith(".py")


def _is_regular(tree: Tree, prefix: str, head: str) -> bool:
    return f"{prefix}{head}/{_MARK}" in tree or f"{prefix}{head}.py" in tree


def _sorted(tree: Tree, prefix: str, heads: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        sorted(
            f"{prefix}{head}.py" if f"{prefix}{head}.py" in tree else f"{prefix}{head}"
            for head in heads
        )
    )


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
