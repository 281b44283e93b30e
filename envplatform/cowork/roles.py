"""Three roles make an environment, and none sees what would let it cheat.

    Builder                workspace, interfaces, user, reference work (oracle)
    Verifier constructor   verifier and controlled failure states, from a VerifierView
    Issue detector         typed findings, from executions of everything

What a role sees are its arguments; no other way leads to the rest. Two kinds of each:
`procedural` and `llm`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from envplatform.bundle import CheckResult, Environment
from envplatform.bundle.environment import Spending
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.family import Build, Specification, VerifierView
from envplatform.tree import Tree
from envplatform.workspace import Fault

Role = Literal["builder", "verifier"]
FindingKind = Literal[
    "role_failed",  # it gave nothing that could be used: refused, truncated, timed out
    "inconsistent",  # parts that do not fit together
    "oracle_not_full",  # the reference work does not score full marks
    "floor_not_met",  # doing nothing scores
    "nondeterministic",
    "leak",  # answer, verifier or private user text where the agent can read it
    "not_reset",
    "mutant_survives",  # a fault of one criterion that the verifier does not notice
    "blind_spots",  # too many generic mutants survive
    "stuffing_scores",
    "credit_not_monotone",
    "unrelated_scores",  # a file that has nothing to do with it changes the score
    "evidence_not_needed",  # solved without a fact that it needs
    "not_replayed",
    "not_portable",
    "failure_passes",  # a controlled failure state reaches the pass mark
    "spelling_costs",  # right work that is spelt otherwise loses marks
    "user_not_needed",  # work that ignores the user reaches the pass mark
    "ambiguous",  # what decides the result stands nowhere; a reader's finding
    "unbelievable",  # nobody would meet it at work; a reader's finding
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong, and whose work it is to mend it."""

    kind: FindingKind
    role: Role
    check: str
    """Of the gate, or the step, that found it."""
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a Builder hands over."""

    specification: Specification
    build: Build
    oracle: Tree
    """oracle.py and what it reads beside it."""
    spent: Spending = field(default_factory=Spending)
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """What a Verifier constructor hands over."""

    files: Tree
    """verifier.py and what it reads beside it."""
    faults: tuple[Fault, ...] = ()
    spent: Spending = field(default_factory=Spending)
    model: str | None = None


class RoleError(Exception):
    """A role gave nothing that could be used; a finding, never a crash."""

    def __init__(self, message: str, *, role: Role) -> None:
        super().__init__(message)
        self.role: Role = role


class Builder(ABC):
    """Makes initial workspace, interfaces, user and reference work."""

    @abstractmethod
    async def build(self, blueprint: Blueprint, findings: Sequence[Finding]) -> Built:
        """Build, or revise after `findings` of the last round, which are the Builder's.

        Raises:
            RoleError: it could not.
        """


class VerifierConstructor(ABC):
    """Makes the verifier, without having seen reference work or the user's words."""

    revises: bool = True
    """Whether it can mend a verifier. Where it can't, another draw is what is left."""

    @abstractmethod
    async def construct(
        self, view: VerifierView, findings: Sequence[Finding]
    ) -> Verifier:
        """Construct, or revise after `findings`, which are the constructor's.

        Raises:
            RoleError: it could not.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a reader says of an environment that executions did not refuse."""

    check: CheckResult
    """For the audit; `not_run` where nobody could be asked."""
    findings: tuple[Finding, ...]


class Reviewer(ABC):
    """Reads a whole environment, answers and all, and says what executions can't tell."""

    @abstractmethod
    async def review(self, environment: Environment) -> Review:
        """Read it once."""
