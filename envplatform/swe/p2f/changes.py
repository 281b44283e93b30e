"""What a patch changes in a tree, and whether any test would notice. Runs nothing.

Parses Python with this interpreter's grammar where that works; where it does not, a
line stands for itself and the sandbox has the last word.
"""

import ast
import functools
import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from envplatform.patches import Hunk, apply_patch, diff_trees, parse_patch
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.parsing import parse_or_none
from envplatform.tree import File, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A patch applied to the healthy tree."""

    tree: dict[str, File]
    """The defective tree."""
    lines: dict[str, tuple[int, ...]]
    """Changed path to the healthy lines it removes, replaces or inserts beside."""


def apply_change(tree: Tree, patch: str) -> Change:
    """Apply `patch` strictly.

    Raises:
        PatchError: it does not apply, or leaves the tree; names file and hunk.
    """
    after = apply_patch(tree, patch)
    files = parse_patch(patch).files
    if any(file.source for file in files):
        # A file that moves away is gone from where tests look for it: all its lines.
        files = parse_patch(diff_trees(tree, after)).files
    lines = {
        file.path: tuple(sorted({n for hunk in file.hunks for n in _touched(hunk)}))
        for file in files
    }
    return Change(tree=after, lines=lines)


def _touched(hunk: Hunk) -> Iterator[int]:
    """Yield healthy lines removed, or on both sides of what is only inserted."""
    at = hunk.old_start + (0 if hunk.old else 1)
    for is_change, group in itertools.groupby(hunk.lines, lambda x: x.origin != " "):
        lines = list(group)
        removed = sum(line.origin != "+" for line in lines)
        if is_change:
            first, last = (at, at + removed) if removed else (max(at - 1, 1), at + 1)
            yield from range(first, last)
        at += removed


def is_inert(before: Tree, change: Change) -> bool:
    """Whether every changed file means the same as before: comments and layout only."""
    return all(
        _meaning(before.get(path)) == _meaning(change.tree.get(path))
        for path in change.lines
    )


def fingerprint(change: Change) -> tuple[tuple[str, str], ...]:
    """Return what two candidates share if they are the same bug in other clothes."""
    return tuple(
        (path, str(_meaning(change.tree.get(path)))) for path in sorted(change.lines)
    )


def affected_tests(
    baseline: Baseline, tree: Tree, change: Change
) -> frozenset[str] | None:
    """Return the stable tests that run a changed line; None: all may, at import."""
    spans = {p: _spans(tree.get(p), lines) for p, lines in change.lines.items()}
    coverage = baseline.coverage
    for path, lines in spans.items():
        at_import = {*coverage.imported.get(path, ()), *coverage.shared.get(path, ())}
        if at_import & lines:
            return None
    return frozenset(
        test
        for test, ran in coverage.by_test.items()
        if any(not spans[path].isdisjoint(ran[path]) for path in spans if path in ran)
    )


def _meaning(file: File | None) -> str | None:
    return None if file is None else _meaning_of(file.data)


# Candidates of one repository share their healthy files, and are looked at repeatedly.
@functools.lru_cache(maxsize=4096)
def _meaning_of(data: bytes) -> str:
    tree = parse_or_none(data)
    said = data if tree is None else ast.dump(tree).encode("utf-8", "surrogatepass")
    return f"{tree is None} {hashlib.sha256(said).hexdigest()}"


def _spans(file: File | None, lines: tuple[int, ...]) -> set[int]:
    """Widen `lines` to whole statements: coverage counts a statement by its start."""
    found = set(lines)
    for start, end in () if file is None else _statements_of(file.data):
        if any(start <= line <= end for line in lines):
            found |= set(range(start, end + 1))
    return found


@functools.lru_cache(maxsize=256)
def _statements_of(data: bytes) -> tuple[tuple[int, int], ...]:
    module = parse_or_none(data)
    return () if module is None else tuple(_statements(module))


def _statements(module: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield first and last line of each simple statement and each compound's head."""
    for node in ast.walk(module):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        start = min(
            [node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]
        )
        if isinstance(node, ast.Match):
            yield start, node.subject.end_lineno or start
        elif isinstance(body, list) and body:
            yield start, max(node.lineno, body[0].lineno - 1)
        else:
            yield start, node.end_lineno or node.lineno
