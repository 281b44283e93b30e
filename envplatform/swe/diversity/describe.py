"""`describe`: what kind of bug a candidate is, and which syntax tree it makes.

Both sides of a candidate are at hand when it is proposed and nowhere later without the
repository, so that is when its row gets them. The healthy side is the fixed one.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from envplatform.errors import PatchError
from envplatform.patches import apply_patch, touched_paths
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.fixes.analysis.code_text import is_silent, plain_text
from envplatform.swe.fixes.analysis.source import Source, read_source
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.classify import REVISION as CLASSIFYING
from envplatform.swe.fixes.bug_types.classify import classify_parsed
from envplatform.swe.fixes.bug_types.source import FileChange, source_of
from envplatform.swe.fixes.bug_types.source import Source as Classified
from envplatform.swe.parsing import first_line
from envplatform.tree import Tree, TreeError

REVISION = 1 + CLASSIFYING
"""Raised when the same candidate can be described in another way."""


def describe(
    candidates: Sequence[BugCandidate], tree: Tree
) -> tuple[BugCandidate, ...]:
    """Return the candidates, in order, with bug type and digest of the syntax tree.

    One whose patch does not apply to `tree`, or changes no Python that parses on both
    sides, comes back as it is.
    """
    by_path: dict[str, list[int]] = {}
    for number, candidate in enumerate(candidates):
        by_path.setdefault(candidate.path, []).append(number)
    described = list(candidates)
    for numbers in by_path.values():
        reader = _Reader(tree=tree)  # no more than one file's syntax tree at a time
        for number in numbers:
            described[number] = reader.describe(candidates[number])
    return tuple(described)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One changed file, before and after, both parsed or one of them absent."""

    path: str
    healthy: Source
    buggy: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads candidates of one file, whose healthy side is parsed once."""

    tree: Tree
    _healthy: dict[str, Source] = field(default_factory=dict)
    _written: dict[tuple[str, int, int | None], str] = field(default_factory=dict)
    """Digests of statements by text and the columns they begin and end at."""

    def describe(self, candidate: BugCandidate) -> BugCandidate:
        try:
            sides = self._sides(candidate.bug_patch)
            if not sides:
                return candidate
            return replace(
                candidate, bug_type=_bug_type(sides), ast_digest=self._digest(sides)
            )
        except (PatchError, TreeError, RecursionError, ValueError):
            # No diff, nested too deep, or a number too long to be written.
            return candidate

    def _sides(self, patch: str) -> list[_Side]:
        """Changed Python files; none if any of them does not parse."""
        touched = touched_paths(patch)
        paths = sorted({*touched.old, *touched.new})
        before = {path: self.tree[path] for path in paths if path in self.tree}
        after = apply_patch(before, patch)
        sides = [
            _Side(
                path=path, healthy=self._read(path), buggy=read_source(after.get(path))
            )
            for path in paths
            if path.endswith(".py") and before.get(path) != after.get(path)
        ]
        states = {side.healthy.state for side in sides}
        states |= {side.buggy.state for side in sides}
        return sides if states <= {"parsed", "absent"} else []

    def _read(self, path: str) -> Source:
        if path not in self._healthy:
            self._healthy[path] = read_source(self.tree.get(path))
        return self._healthy[path]

    def _digest(self, sides: Sequence[_Side]) -> str:
        """SHA-256 over the defective files, each statement of a module by itself."""
        digest = hashlib.sha256()
        for side in sides:
            digest.update(f"{side.path!r} {side.buggy.state}\n".encode())
            for each in self._statements(side.buggy):
                digest.update(each.encode())
        return digest.hexdigest()

    def _statements(self, source: Source) -> Iterator[str]:
        """Digests of top-level statements. Those seen before aren't written again."""
        lines = source.text.split("\n")
        for statement in source.module.body if source.module else ():
            if is_silent(statement):
                continue
            text = "\n".join(lines[first_line(statement) - 1 : statement.end_lineno])
            key = (text, statement.col_offset, statement.end_col_offset)
            if key not in self._written:
                written = plain_text([statement]).encode("utf-8", "replace")
                self._written[key] = hashlib.sha256(written).hexdigest()
            yield self._written[key]


def _bug_type(sides: Sequence[_Side]) -> BugType:
    changes = [
        FileChange(
            path=side.path,
            buggy=_classified(side.buggy),
            fixed=_classified(side.healthy),
        )
        for side in sides
    ]
    return classify_parsed(changes).bug_type


def _classified(source: Source) -> Classified | None:
    return source_of(source.data, source.module) if source.module else None
