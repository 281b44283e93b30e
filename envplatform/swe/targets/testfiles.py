"""In which file of the tree a test lies, as far as its id tells. Runs nothing."""

import re
from collections.abc import Iterable, Mapping

from envplatform.swe.targets.target import Target
from envplatform.tree import Tree


def files_of_tests(
    target: Target, tree: Tree, tests: Iterable[str]
) -> Mapping[str, tuple[str, ...]]:
    """Return the test files that may hold each of `tests`, sorted; empty: none is known.

    pytest's ids begin with the file. Those of a JUnit report begin with the dotted name
    of a module, seen from a folder that only the command knows, or with a class alone:
    where several files fit, all are returned.
    """
    if target.suite.results == "pytest":
        return {test: _named(target, tree, test) for test in tests}
    files = _python_tests(target, tree)
    return {test: _fitting(files, test)[0] for test in tests}


def pytest_id(target: Target, tree: Tree, test: str) -> str:
    """Return what pytest would call `test`; as it is where that can't be known."""
    if target.suite.results == "pytest":
        return test
    paths, rest = _fitting(_python_tests(target, tree), test)
    return "::".join((paths[0], *rest)) if len(paths) == 1 else test


def _python_tests(target: Target, tree: Tree) -> dict[str, str]:
    """Return the text of each test file that is Python, by path."""
    return {
        path: tree[path].data.decode("utf-8", "replace")
        for path in sorted(tree)
        if path.endswith(".py") and target.is_test_file(path)
    }


def _named(target: Target, tree: Tree, test: str) -> tuple[str, ...]:
    path = test.split("::", maxsplit=1)[0]
    return (path,) if path in tree and target.is_test_file(path) else ()


def _fitting(
    files: Mapping[str, str], test: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files, and what of the id is left beside their name."""
    group, _, name = test.partition("::")
    parts = group.split(".")
    for length in range(len(parts), 0, -1):
        end = "/".join(parts[:length]) + ".py"
        found = tuple(p for p in files if p == end or p.endswith(f"/{end}"))
        if found:
            return found, (*parts[length:], name)
    holder = re.compile(rf"^\s*class\s+{re.escape(parts[-1])}\b", re.MULTILINE)
    return tuple(p for p, text in files.items() if holder.search(text)), (
        parts[-1],
        name,
    )
