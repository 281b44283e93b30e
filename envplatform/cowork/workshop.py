"""Build, execute, revise: one environment made until nothing is found, or given up.

Each round the Builder builds, the Verifier constructor sees what it may and makes a
verifier, and everything is executed. Findings go to the role whose work they are, and
only to that one; it revises, the other's part stands unless what it rests on changed. A
constructor that can't revise leaves its findings to the Builder, who draws anew.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from envplatform.bundle import CheckResult, Environment
from envplatform.bundle.consistency import checked
from envplatform.cowork.assembling import assemble
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.detection import (
    controlled_failures,
    findings_of,
    other_spellings,
    user_matters,
)
from envplatform.cowork.family import verifier_view
from envplatform.cowork.roles import (
    Builder,
    Built,
    Finding,
    Reviewer,
    Role,
    RoleError,
    Verifier,
    VerifierConstructor,
)
from envplatform.errors import BundleError
from envplatform.grading.gate import FULL, CheckName, run_gate
from envplatform.grading.sessions import Attendance, image_reference
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.retry import with_retries

REVISION = 3
"""Raised when the same blueprint can become another environment than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Where environments are made, and by whom."""

    provider: SandboxProvider
    image: Image
    builder: Builder
    constructor: Callable[[Blueprint], VerifierConstructor]
    """A new one for each environment, so that none remembers another's."""
    attend: Attendance
    reviewer: Reviewer | None = None
    """Reads what passed every check; None: nobody does."""
    rounds: int = 3
    checks: Sequence[CheckName] = FULL
    other: SandboxProvider | None = None
    """The other kind of sandbox, for portability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round: what was found, and by which check."""

    number: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a blueprint."""

    blueprint: Blueprint
    environment: Environment | None
    """With its audit. None where not even a whole one came about."""
    is_accepted: bool
    rounds: tuple[Round, ...]
    """The last one of an accepted environment has no findings."""
    seconds: float

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of all rounds, in order."""
        return tuple(one for each in self.rounds for one in each.findings)


async def make(workshop: Workshop, blueprint: Blueprint) -> Outcome:
    """Make one environment.

    Raises:
        SandboxError: a sandbox failed time and again; nothing is concluded.
    """
    began = time.monotonic()
    constructor = workshop.constructor(blueprint)
    built: Built | None = None
    verifier: Verifier | None = None
    environment: Environment | None = None
    rounds: list[Round] = []
    for number in range(workshop.rounds):
        before = rounds[-1].findings if rounds else ()
        try:
            theirs = _of("builder", before)
            if built is None or theirs or not constructor.revises:
                built = await workshop.builder.build(blueprint, theirs)
                verifier = None
            if verifier is None or _of("verifier", before):
                view = verifier_view(built.specification, built.build)
                verifier = await constructor.construct(view, _of("verifier", before))
            environment, audit = await _executed(workshop, blueprint, built, verifier)
            found = findings_of(audit)
            if not found and workshop.reviewer is not None:
                review = await workshop.reviewer.review(environment)
                environment = replace(environment, audit=(*audit, review.check))
                found = review.findings
        except RoleError as error:
            found = (_failed(error),)
        except BundleError as error:
            found = (_inconsistent(error),)
        rounds.append(Round(number=number, findings=found))
        if not found:
            break
    return Outcome(
        blueprint=blueprint,
        environment=_with_cost(environment, time.monotonic() - began),
        is_accepted=not rounds[-1].findings,
        rounds=tuple(rounds),
        seconds=time.monotonic() - began,
    )


async def _executed(
    workshop: Workshop, blueprint: Blueprint, built: Built, verifier: Verifier
) -> tuple[Environment, tuple[CheckResult, ...]]:
    environment = checked(
        assemble(blueprint, built, verifier, image=image_reference(workshop.image))
    )
    audit = await with_retries(
        lambda: run_gate(
            workshop.provider,
            environment,
            image=workshop.image,
            checks=workshop.checks,
            faults=verifier.faults,
            other=workshop.other,
            attend=workshop.attend,
            extra=(controlled_failures, other_spellings, user_matters),
        )
    )
    return replace(environment, audit=audit), audit


def _of(role: Role, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(one for one in findings if one.role == role)


def _failed(error: RoleError) -> Finding:
    return Finding(
        kind="role_failed", role=error.role, check="role", evidence=str(error)[:500]
    )


def _inconsistent(error: BundleError) -> Finding:
    return Finding(
        kind="inconsistent", role="builder", check="bundle", evidence=str(error)[:500]
    )


def _with_cost(environment: Environment | None, seconds: float) -> Environment | None:
    if environment is None:
        return None
    lineage = environment.lineage
    spent = replace(lineage.spent, seconds=round(seconds, 3))
    return replace(environment, lineage=replace(lineage, spent=spent))
