"""A changed copy of one file, and the candidate that it makes: for inducers by edits.

Which edits there are, and which are tried, is the inducers' own affair.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from envplatform.patches import diff_trees
from envplatform.swe.candidate import BugCandidate, Cost
from envplatform.swe.inducers.base import (
    Skip,
    SourceFile,
    candidate_id,
    is_test_path,
)
from envplatform.tree import File

if TYPE_CHECKING:  # the package `mutation` needs this module to load
    from envplatform.swe.inducers.mutation.source import ParsedSource


@dataclass(frozen=True, slots=True)
class Mutant:
    """The file with the defect in it."""

    data: bytes
    line: int
    """First line, from 1, that differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Who made a mutant, and how."""

    inducer: str
    operator: str
    seed: int
    cost: Cost


def no_clock() -> float:
    """Stand in for a clock where no time is to be taken."""
    return 0.0


def path_refusal(path: str) -> Skip | None:
    """Why a file of this name is not changed; None: it may be."""
    if not path.endswith(".py"):
        return "not_python"
    return "touches_tests" if is_test_path(path) else None


def is_covered(lines: range, file: SourceFile) -> bool:
    """Whether a stable test runs one of the lines, or nobody knows which are run."""
    return file.covered is None or not file.covered.isdisjoint(lines)


def mutant_of(source: "ParsedSource", data: bytes, start: int) -> Mutant:
    """Find the first changed line; no byte before `start` differs."""
    end = min(len(data), len(source.data))
    while start < end and data[start] == source.data[start]:
        start += 1
    return Mutant(data, source.line_of(start) + 1)


def candidate_of(file: SourceFile, mutant: Mutant, made: Maker) -> BugCandidate:
    """Make the candidate, with a fresh diff from the healthy file."""
    patch = diff_trees(
        {file.path: File(file.data, file.executable)},
        {file.path: File(mutant.data, file.executable)},
    )
    return BugCandidate(
        candidate_id=candidate_id(file, inducer=made.inducer, patch=patch),
        repository=file.repository,
        commit=file.commit,
        inducer=made.inducer,
        operator=made.operator,
        path=file.path,
        line=mutant.line,
        bug_patch=patch,
        seed=made.seed,
        cost=made.cost,
    )
