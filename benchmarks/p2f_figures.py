"""What `benchmarks.p2f` measures of one repository, as values."""

from collections.abc import Sequence
from dataclasses import dataclass

from envplatform.swe.candidate import BugCandidate
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.screen.answers import Answer
from envplatform.swe.p2f.screen.select import Selection

_NARROW = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured of each repository."""

    screened: int
    """Candidates proposed, and put to the screen where a fork can judge them."""
    sample: int
    """Of them, verified both ways."""
    large_sample: int
    """The same, of suites over 20 s."""
    rejected: int
    """Besides, of those that the screen rejected; of large suites none."""
    full_runs: int
    """Full runs, whose median is compared with the screen."""
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One repository."""

    suite_s: float
    screen_ratio: float
    whole_ratio: float | None
    """None: no sample was asked for."""
    usability: float | None
    """Share of the sample that is proven, as the screen's way has it; None: no sample."""
    affected_share: float
    """Mean over what was screened: of all tests, those that run a changed line."""
    tests: int
    screened: int
    survived: int
    """Of the screened: to be confirmed."""
    is_large: bool
    narrow_share: float
    """Of all candidates: a fork can judge it and at most 15 % of the tests are affected."""
    narrow_affected_share: float | None
    """Mean over those: of all tests, those that confirmation runs; None: there are none."""
    sampled: int
    verified: int
    cold: int
    """Of the sample, judged by no fork."""
    disagreements: int
    rejected: int
    missed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A candidate on its way through both."""

    candidate: BugCandidate
    change: Change
    selection: Selection | None
    answer: Answer | None
    confirmed_share: float
    """Of all stable tests, those that it could affect, which confirmation runs."""

    @property
    def is_narrow(self) -> bool:
        """Whether a fork can judge it and few tests are affected."""
        return self.selection is not None and self.confirmed_share <= _NARROW

    @property
    def said(self) -> str:
        """What the screen says; `cold` if it was not asked."""
        return self.answer.said if self.answer else "cold"


def none_left(name: str, warm: Sequence[Case]) -> str:
    """Return what is said where no candidate is left to be measured."""
    few = " and that affects at most 15 % of the tests" if warm else ""
    return f"{name}: no candidate that a fork can judge{few}"


def share_of(some: int, total: int) -> float | None:
    """Return `some` of `total`; None of nothing."""
    return round(some / total, 3) if total else None
