"""`classify`: both sides of a fix in, a bug type and the rules that spoke out."""

from collections.abc import Sequence
from dataclasses import dataclass

from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.source import FileChange, read_source
from envplatform.swe.inducers.base import is_test_path
from envplatform.tree import Tree

REVISION = 1
"""Grows whenever equal files may get another type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BugTypeVerdict:
    """What kind of bug a fix mends."""

    bug_type: BugType
    evidence: tuple[str, ...]
    """Names of the rules that spoke, strongest first; of why none did, if `other`."""


def classify(buggy: Tree, fixed: Tree) -> BugTypeVerdict:
    """Sort a fix by the Python files that differ; tests count only if all are tests.

    Never raises, whatever the files hold, and takes bounded time.
    """
    paths = [
        path
        for path in sorted(buggy.keys() | fixed.keys())
        if path.endswith((".py", ".pyi", ".pyx")) and buggy.get(path) != fixed.get(path)
    ]
    code = [path for path in paths if not is_test_path(path)] or paths
    return classify_parsed(
        [
            FileChange(
                path=path,
                buggy=read_source(buggy[path].data) if path in buggy else None,
                fixed=read_source(fixed[path].data) if path in fixed else None,
            )
            for path in code
        ]
    )


def classify_parsed(changes: Sequence[FileChange]) -> BugTypeVerdict:
    """As `classify`, for callers who parsed the files already (`source_of`).

    All `changes` count, in any order; leave tests out before. Never raises.
    """
    if not changes:
        return BugTypeVerdict(bug_type="other", evidence=("no_code",))
    return BugTypeVerdict(bug_type="other", evidence=("no_rule",))
