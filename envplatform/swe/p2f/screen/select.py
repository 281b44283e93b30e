"""Which changes a fork can judge, and which tests it takes. Runs nothing."""

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change, affected_tests
from envplatform.swe.p2f.screen.imports import Imports
from envplatform.swe.parsing import parse_or_none
from envplatform.swe.targets.prepare import HealthyRepository
from envplatform.tree import File

STARTS_PROCESSES = re.compile(
    rb"\b(subprocess|multiprocessing|ProcessPoolExecutor|pytester|testdir|runpy"
    rb"|os\.(system|popen|fork|exec\w*|spawn\w*|posix_spawn)|create_subprocess\w*)\b"
)
"""What in a file's text means that its tests may run code that coverage can't see."""


_WIDER = 6
"""Times as many files as the stage before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The tests that a change can reach, as far as lines tell."""

    stages: tuple[tuple[str, ...], ...]
    """Stable tests whose lines it touches or that start processes, whole files to a
    stage: files with touched tests first, those that take the least time before."""
    share: float
    """Of all stable tests, those that run a changed line."""


def select_tests(
    repository: HealthyRepository, baseline: Baseline, change: Change
) -> Selection | None:
    """Return what the screen runs for `change`; None: a fork can't judge it.

    A fork is asked only about the insides of functions of files that are there before
    and after, none of which runs at import or in a fixture wider than a test. Forks
    stand at the root of the tree, so a suite in a folder of its own goes cold; so does
    one that a command of its own runs, or that talks to services.
    """
    target = repository.target
    if target.suite.directory != "." or target.suite.results != "pytest":
        return None
    if target.services:
        return None
    if not all(
        repository.target.code.holds(path)
        and changes_bodies_only(repository.tree.get(path), change.tree.get(path))
        for path in change.lines
    ):
        return None
    touched = affected_tests(baseline, repository.tree, change)
    if not touched:
        return None
    tests = touched | process_tests(repository, baseline, change)
    return Selection(
        stages=tuple(_staged(tests, touched, baseline)),
        share=len(touched) / len(baseline.stable),
    )


def process_tests(
    repository: HealthyRepository, baseline: Baseline, change: Change
) -> frozenset[str]:
    """Return stable tests that may run the changed files in processes of their own.

    Nothing counts lines there, so all tests of files that mention such processes are
    meant, and all tests that run any line of changed files that do.
    """
    tree = repository.tree
    starters = {path for path in change.lines if _starts(tree.get(path))}
    files = {test.split("::")[0] for test in baseline.stable}
    starting = {
        path
        for path in files
        if any(_starts(tree.get(at)) for at in (path, *_conftests(path)))
    }
    by_test = baseline.coverage.by_test
    return frozenset(
        test
        for test in baseline.stable
        if test.split("::")[0] in starting
        or any(path in starters for path in by_test.get(test, ()))
    )


def affected_by(
    repository: HealthyRepository,
    baseline: Baseline,
    imports: Imports,
    change: Change,
) -> frozenset[str]:
    """Return all stable tests that `change` could affect: what confirmation runs.

    Those that the screen selects, and all tests of files that use a changed file,
    directly, through others, or through a `conftest.py` above them.
    """
    touched = affected_tests(baseline, repository.tree, change)
    if touched is None:
        return frozenset(baseline.stable)
    using = {
        file
        for file in {test.split("::")[0] for test in baseline.stable}
        if _used(imports, repository, file) & set(change.lines)
    }
    return (
        touched
        | process_tests(repository, baseline, change)
        | {test for test in baseline.stable if test.split("::")[0] in using}
    )


def _used(imports: Imports, repository: HealthyRepository, file: str) -> frozenset[str]:
    conftests = [path for path in _conftests(file) if path in repository.tree]
    named = map(imports.named_by, conftests)
    return imports.used_by(file).union(*named)


def _conftests(file: str) -> Iterator[str]:
    for folder in PurePosixPath(file).parents:
        yield str(folder / "conftest.py")


def changes_bodies_only(before: File | None, after: File | None) -> bool:
    """Whether two versions of a file differ inside functions and nowhere else."""
    if before is None or after is None or before.executable != after.executable:
        return False
    old, new = _skeleton(before.data), _skeleton(after.data)
    if new is None and old is not None:
        return True  # the compiler in the sandbox refuses it, or knows a newer grammar
    return old is not None and old == new


@functools.lru_cache(maxsize=64)
def _skeleton(data: bytes) -> str | None:
    """Return what is left of a file without the insides of functions; None: no Python."""
    module = parse_or_none(data)
    if module is None:
        return None
    for function in _outer_functions(module):
        docstring = ast.get_docstring(function, clean=False)
        function.body = [ast.Expr(ast.Constant(docstring))]
    return ast.dump(module)


def _outer_functions(
    node: ast.AST,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _outer_functions(child)


def _starts(file: File | None) -> bool:
    return file is not None and STARTS_PROCESSES.search(file.data) is not None


def _staged(
    tests: frozenset[str], touched: frozenset[str], baseline: Baseline
) -> Iterator[tuple[str, ...]]:
    """Yield stages of more files each: most bugs are seen by the first.

    In a file, what fails soonest for the least time comes first.
    """
    files: dict[str, list[str]] = {}
    for test in sorted(tests):
        files.setdefault(test.split("::")[0], []).append(test)
    seconds = baseline.seconds_by_test

    def cost(file: str) -> tuple[bool, float, str]:
        of = files[file]
        total = sum(seconds.get(test, 0.0) for test in of)
        return touched.isdisjoint(of), total, file

    ordered, size = sorted(files, key=cost), 1
    while ordered:
        yield tuple(
            test for file in ordered[:size] for test in _quickest(files[file], seconds)
        )
        ordered, size = ordered[size:], _WIDER * size


def _quickest(tests: list[str], seconds: Mapping[str, float]) -> list[str]:
    """Order tests of one file by time, each function once before any is there twice.

    Classes stay together, since fixtures may be theirs.
    """
    turns: dict[str, int] = {}
    keys: dict[str, tuple[int, float]] = {}
    for test in sorted(tests, key=lambda one: (seconds.get(one, 0.0), one)):
        function = test.partition("[")[0]
        turns[function] = turns.get(function, 0) + 1
        keys[test] = turns[function], seconds.get(test, 0.0)
    return sorted(tests, key=lambda one: (_class_of(one), *keys[one], one))


def _class_of(test: str) -> str:
    return test.partition("[")[0].rpartition("::")[0]
