"""What every inducer takes and gives. No inducer lives here, and no execution.

An inducer looks at one healthy file and proposes bug candidates. What it could not
use is counted by reason: an expected refusal is a figure, not an exception.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal, Protocol

from envplatform.store import NOT_IDENTITY
from envplatform.swe.candidate import BugCandidate, Cost

Skip = Literal[
    # the whole file
    "not_python",
    "touches_tests",
    "too_large",
    "not_utf8",  # rows are UTF-8 text; positions in other encodings are not bytes
    "syntax_error",  # to the Python that runs us
    "too_deep",  # nested beyond what the interpreter can walk
    "no_site",  # parsed, and no operator finds anything to change
    # one place in the file
    "uncovered",  # no test runs these lines: P2F would drop the bug in silence
    "same_ast",
    "duplicate",  # another candidate of this file already has the same syntax tree
    "does_not_compile",
    "unwritable",  # matched, and can't be changed without touching other code
    "undefined_name",  # a NameError for certain: no bug that anybody would commit
    "refused_answer",  # a model's; why stands in its row
]

_TEST_FOLDERS = frozenset({"test", "tests"})
_TEST_FILE = re.compile(r"(test_.*|.*_test|tests?|conftest)\.py")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a healthy repository, and what is known of it."""

    repository: str
    """`owner__name`."""
    commit: str
    """Identity of the healthy tree: git commit, or tree digest of an sdist."""
    path: str
    """Relative POSIX path in that tree."""
    data: bytes
    executable: bool = False
    covered: frozenset[int] | None = None
    """Lines, from 1, that some stable test runs; None if coverage is unknown.

    Code that runs at import counts only if the caller puts its lines in here.
    """


REFUSED_ANSWERS = "refused_answers"
"""Table of models' answers that became no candidate, beside the asset of candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedAnswer:
    """A model was asked for a defect, and what it said was of no use."""

    repository: str
    commit: str
    inducer: str
    path: str
    function: str
    """Dotted name in its module."""
    line: int
    """Where it begins, from 1."""
    operator: str
    """What a candidate's would be."""
    reason: str
    """Name of what is wrong with the last answer, `other_signature`."""
    detail: str
    repaired: bool
    """Whether the model was told what was wrong before, and asked again."""
    model: str
    prompt_hash: str
    """SHA-256 (hex) of the first request and the model's name."""
    temperature: float
    seed: int
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Everything an inducer has to say of one file."""

    candidates: tuple[BugCandidate, ...]
    """In a fixed order for given file, budget and seed; at most the budget."""
    skipped: Mapping[Skip, int]
    """Places, or 1 for the file, that gave no candidate; reasons with 0 are absent."""
    refused: tuple[RefusedAnswer, ...] = ()
    """Answers of a model that are no candidates; they cost as much as those that are."""


class Inducer(Protocol):
    """Proposes defects in one file at a time."""

    @property
    def name(self) -> str:
        """Short name, part of the candidate's id; `mutation`."""
        ...

    @property
    def revision(self) -> int:
        """Grows whenever the same file, budget and seed give other candidates."""
        ...

    @property
    def is_paid(self) -> bool:
        """Whether each candidate costs money: then no more are made than are wanted."""
        ...

    def propose(self, file: SourceFile, budget: int, seed: int) -> Proposal:
        """Propose at most `budget` candidates, and count what was skipped."""
        ...

    def candidates(
        self, file: SourceFile, budget: int, seed: int
    ) -> Iterator[BugCandidate]:
        """Yield the candidates of `propose`, for callers who need no counts."""
        ...


def is_test_path(path: str) -> bool:
    """Tell whether a bug must not touch this file: a test, or a test's fixtures."""
    *folders, name = PurePosixPath(path.lower()).parts
    return bool(_TEST_FOLDERS.intersection(folders) or _TEST_FILE.fullmatch(name))


def candidate_id(file: SourceFile, *, inducer: str, patch: str) -> str:
    """`<owner>__<repo>.<commit8>.<inducer>.<patch8>`; safe as a file name."""
    digest = hashlib.sha256(patch.encode("utf-8", "surrogateescape")).hexdigest()
    repository, commit = (
        _UNSAFE.sub("_", part) for part in (file.repository, file.commit[:8])
    )
    return f"{repository}.{commit}.{inducer}.{digest[:8]}"
