"""Say whether a sample, applied to its file, is a change worth executing."""

import io
from dataclasses import dataclass, field

from envplatform.patches import diff_trees, parse_patch
from envplatform.swe.inducers.base import SourceFile
from envplatform.swe.inducers.facts import SourceFacts, comments_of, tree_digest
from envplatform.swe.inducers.learned.fault import Fault
from envplatform.swe.inducers.learned.reading import read_diff
from envplatform.swe.inducers.learned.repair import Repaired, SampleRung, repair
from envplatform.swe.inducers.learned.sampling import Sample
from envplatform.swe.inducers.llm.answer import is_hidden
from envplatform.swe.inducers.mutant import is_covered
from envplatform.swe.inducers.mutation.source import (
    MAX_SOURCE_BYTES,
    ParsedSource,
    compiles,
)
from envplatform.swe.parsing import parse_python
from envplatform.tree import File

REVISION = 1
"""Grows whenever the same samples give other candidates."""

MAX_CHANGED_LINES = 200
"""Removed plus added: as many as curated fixes change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file with a defect that a model wrote, not yet executed."""

    data: bytes
    start: int
    """Offset before which no byte differs."""
    rung: SampleRung
    tree_digest: str
    """SHA-256 (hex) of its syntax tree: equal where only layout differs."""


@dataclass(slots=True)
class Judge:
    """Judges samples of one file; remembers which changes it has seen."""

    file: SourceFile
    source: ParsedSource
    _facts: SourceFacts = field(init=False)
    _seen: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._facts = SourceFacts(self.source)

    def judge(self, sample: Sample) -> Change | Fault:
        """Return the changed file, or the first thing that is wrong."""
        repaired = self._repaired(sample)
        if isinstance(repaired, Fault):
            return repaired
        data = _without_comments(repaired.data, self._facts.comments)
        fault = self._text_fault(data) or self._code_fault(data)
        if fault is not None:
            return fault
        digest = self._new_tree(data)
        if isinstance(digest, Fault):
            return digest
        start = _first_difference(self.source.data, data)
        return Change(data=data, start=start, rung=repaired.rung, tree_digest=digest)

    def _repaired(self, sample: Sample) -> Repaired | Fault:
        if sample.missing:
            return Fault(sample.missing)
        diff = read_diff(sample.text, sample.finish, self.file.path)
        if isinstance(diff, Fault):
            return diff
        return repair(diff, self.file.path, self.source.data)

    def _new_tree(self, data: bytes) -> str | Fault:
        """Digest of a tree that was not there before; it is remembered."""
        try:
            digest, healthy = tree_digest(data), self._facts.tree_digest
        except RecursionError:  # a tree can be parsed that can't be walked
            return Fault("too_deep")
        if digest == healthy:
            return Fault("same_ast")
        if digest in self._seen:
            return Fault("duplicate")
        self._seen.add(digest)
        return digest

    def _text_fault(self, data: bytes) -> Fault | None:
        if data == self.source.data:
            return Fault("no_change")
        if len(data) > MAX_SOURCE_BYTES:
            return Fault("too_long")
        changed, lines = _changed_lines(self.source.data, data)
        if changed > MAX_CHANGED_LINES:
            return Fault("too_long", f"{changed} changed lines")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return Fault("hidden_characters")
        if any(is_hidden(sign) for sign in set(text) - self._facts.signs):
            return Fault("hidden_characters")
        covered = any(is_covered(each, self.file) for each in lines)
        return None if covered else Fault("uncovered")

    def _code_fault(self, data: bytes) -> Fault | None:
        try:
            parse_python(data)
        except (SyntaxError, ValueError):
            return Fault("does_not_compile")
        except (RecursionError, MemoryError):
            return Fault("too_deep")
        if not compiles(data):
            return Fault("does_not_compile")
        lost = self._facts.lost_name(data)
        return None if lost is None else Fault("undefined_name", lost)


def _first_difference(one: bytes, other: bytes) -> int:
    end = min(len(one), len(other))
    return next((at for at in range(end) if one[at] != other[at]), end)


def _changed_lines(old: bytes, new: bytes) -> tuple[int, list[range]]:
    """Count changed lines, and tell which lines of the old file each hunk touches.

    Where lines are only added, that is the lines on both sides of them.
    """
    patch = parse_patch(diff_trees({"file": File(old)}, {"file": File(new)}))
    count, touched = 0, list[range]()
    for hunk in (hunk for file in patch.files for hunk in file.hunks):
        at = hunk.old_start
        for line in hunk.lines:
            if line.origin == "-":
                touched.append(range(at, at + 1))
            elif line.origin == "+":
                touched.append(range(max(at - 1, 1), at + 1))
            count += line.origin != " "
            at += line.origin != "+"
    return count, touched


def _without_comments(data: bytes, known: frozenset[str]) -> bytes:
    """Take new comments away, since they would point at the defect.

    Lines are those of the tokenizer, the first one left as it is: a BOM shifts it.
    """
    lines: list[bytes | None] = list(io.BytesIO(data).readlines())
    for token in comments_of(data):
        index = token.start[0] - 1
        line = lines[index] if 0 < index < len(lines) else None
        if token.string in known or line is None:
            continue
        before = line.decode("utf-8", "replace")[: token.start[1]].rstrip().encode()
        end = line[len(line.rstrip(b"\r\n")) :]
        lines[index] = before + end if before else None
    return b"".join(line for line in lines if line is not None)
