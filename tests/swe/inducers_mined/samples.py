"""Code, fixes and patterns that the tests of the `mined` inducer share."""

from envplatform.patches import diff_trees
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.reverse_patch import CodeFile, TrainingRow
from envplatform.swe.inducers.base import SourceFile
from envplatform.swe.inducers.mined import BugPattern, MinedInducer, library_of
from envplatform.swe.inducers.mined.template import Level
from envplatform.tree import File

PATH = "pkg/module.py"


def row_of(
    correct: str,
    defective: str,
    *,
    name: str = "fix-1",
    repository: str = "ann/tool",
    bug_type: BugType = "logic",
    path: str = PATH,
) -> TrainingRow:
    """Return a fix of one file, turned around."""
    before, after = File(correct.encode()), File(defective.encode())
    return TrainingRow(
        instance_id=name,
        repository=repository,
        licence="MIT",
        split="train",
        bug_type=bug_type,
        context_tokens=10,
        code=(CodeFile(path=path, fixed=correct),),
        bug_patch=diff_trees({path: before}, {path: after}),
    )


def pattern_of(
    correct: str,
    defective: str,
    *,
    level: Level = "expression",
    name: str = "p-1",
    support: int = 0,
    may_break_names: bool = False,
) -> BugPattern:
    """Return a pattern that a person wrote."""
    return BugPattern(
        pattern_id=name,
        level=level,
        correct=correct,
        defective=defective,
        bug_type="logic",
        support=support,
        repositories=support,
        may_break_names=may_break_names,
    )


def file_of(code: str | bytes, *, covered: frozenset[int] | None = None) -> SourceFile:
    """Return `code` as a file of a repository."""
    return SourceFile(
        repository="ann__tool",
        commit="0123456789abcdef",
        path=PATH,
        data=code if isinstance(code, bytes) else code.encode(),
        covered=covered,
    )


def inducer_of(*patterns: BugPattern) -> MinedInducer:
    """Return an inducer that knows these patterns alone."""
    return MinedInducer(library=library_of(patterns))
