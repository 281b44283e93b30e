"""Training rows: what a model is asked about a fixed file, and what it is to answer.

The bug model answers with the reverse patch, the pattern model with a pattern. Rows that
can't be shown within the limit are counted, never cut; what is over a model's own length
in tokens falls out where it is trained.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

from envplatform.patches import FilePatch, parse_patch, render_patch
from envplatform.patches.model import Patch
from envplatform.swe.fixes.patterns.text import PatternText, written
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.learned.prompts import (
    REVISION as PROMPTING,
)
from envplatform.swe.inducers.learned.prompts import (
    Asked,
    bug_question,
    pattern_question,
)
from envplatform.swe.inducers.learned.reading import header_of
from envplatform.swe.inducers.learned.shown import Shown, show

REVISION = 1 + PROMPTING
"""Grows whenever equal fixes give other rows."""

Unused = Literal[
    "creates_or_deletes",  # there is no correct file to show, or none is left
    "not_utf8",
    "over_shown",  # the changed lines alone are over the limit
    "no_pattern",  # the pattern model's rows only
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisionRow:
    """One question and the right answer."""

    row_id: str
    """Instance id of the fix."""
    repository: str
    split: Literal["train", "validation"]
    """By repository: one never stands on both sides."""
    system: str
    prompt: str
    completion: str


@dataclass(slots=True)
class Supervision:
    """Makes rows, and counts the fixes that give none."""

    limit: int
    """Characters of code that one question shows, line numbers included."""
    unused: Counter[Unused] = field(default_factory=Counter)

    def of_bugs(self, rows: Iterable[TrainingRow]) -> Iterator[SupervisionRow]:
        """Yield rows of the bug model: the answer is the reverse patch."""
        for row in rows:
            shown = self._shown(row)
            if shown is not None:
                yield _row(row, bug_question(shown), diff_of(row))

    def of_patterns(
        self, rows: Iterable[TrainingRow], patterns: Mapping[str, PatternText]
    ) -> Iterator[SupervisionRow]:
        """Yield rows of the pattern model; `patterns` are by instance id."""
        for row in rows:
            pattern = patterns.get(row.instance_id)
            if pattern is None:
                self.unused["no_pattern"] += 1
                continue
            shown = self._shown(row)
            if shown is not None:
                yield _row(row, pattern_question(shown), written(pattern))

    def _shown(self, row: TrainingRow) -> list[Shown] | None:
        found = _files(row)
        if isinstance(found, str):
            self.unused[found] += 1
            return None
        limit = self.limit // len(found)
        shown = []
        for path, data, wanted in found:
            one = show(path, data, wanted, limit, _share(row.instance_id, path))
            if one.lines.start > wanted.start or one.lines.stop < wanted.stop:
                self.unused["over_shown"] += 1
                return None
            shown.append(one)
        return shown


def diff_of(row: TrainingRow) -> str:
    """The reverse patch as the bug model writes it: names and hunks, no more."""
    files = tuple(
        replace(file, header=(header_of(file.path).encode(),))
        for file in parse_patch(row.bug_patch).files
    )
    return render_patch(Patch(files=files))


def _row(row: TrainingRow, asked: Asked, completion: str) -> SupervisionRow:
    return SupervisionRow(
        row_id=row.instance_id,
        repository=row.repository,
        split=row.split,
        system=asked.system,
        prompt=asked.prompt,
        completion=completion,
    )


_Files = list[tuple[str, bytes, range]]


def _files(row: TrainingRow) -> _Files | Unused:
    """Path, correct bytes and changed lines of each file, by path."""
    correct = {file.path: file.fixed for file in row.code}
    patches = parse_patch(row.bug_patch).files
    found: _Files = []
    for file in patches:
        fixed = correct.get(file.path)
        if file.kind != "modify" or fixed is None or not file.hunks:
            return "creates_or_deletes"
        try:
            data = fixed.encode("utf-8")
            row.bug_patch.encode("utf-8")
        except UnicodeEncodeError:
            return "not_utf8"
        found.append((file.path, data, _changed(file)))
    return found or "creates_or_deletes"


def _changed(file: FilePatch) -> range:
    """From the first line of the correct file that a hunk has to the last."""
    first, last = file.hunks[0], file.hunks[-1]
    return range(max(first.old_start, 1), last.old_start + max(len(last.old), 1))


def _share(instance_id: str, path: str) -> float:
    """Where the change lies in what is shown: anywhere, lest a model learn a place."""
    digest = sha256(f"{instance_id}:{path}".encode("utf-8", "replace")).digest()
    return digest[0] / 255
