"""Growing a lineage: propose, make, verify, and only then go on from the child.

Here: the recursion with its repair budget, early stop and ways to go on. Not here: who
proposes (`proposers`), what is checked (`verifier`), where children are kept.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from envplatform.bundle import Environment, Spending, environment_digest
from envplatform.errors import BundleError, PlanError
from envplatform.res.child import child_of
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.plan import TransformPlan
from envplatform.res.proposers import Level, Proposer
from envplatform.res.verifier import Verdict, Verifier

Solves = Callable[[Environment], Awaitable[bool]]
"""A target solver: whether it solves an accepted child."""
Ending = Literal["depth", "refused", "unsolved"]
"""Why a lineage ends: as deep as asked; no child accepted within the budget; the target
solver failed on as many in a row as end a lineage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """One proposal for a child, and what became of it."""

    plan: TransformPlan | None
    """None where there was none that could be read."""
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One level of a lineage: accepted, or given up."""

    level: int
    environment: Environment | None
    """None where no proposal was accepted."""
    plan: TransformPlan | None
    verdict: Verdict | None
    attempts: tuple[Attempted, ...]
    """All proposals, the accepted one last."""
    is_solved: bool | None
    """By the target solver; None where there is none."""
    seconds: float
    spent: Spending

    @property
    def is_accepted(self) -> bool:
        """Whether it is a level of the lineage."""
        return self.environment is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How far a lineage goes."""

    depth: int = 10
    proposals: int = 3
    """For one child; the first and its repairs."""
    failures: int = 3
    """Of the target solver in a row, which end the lineage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """A root and the levels accepted so far."""

    root: Environment
    root_bytes: int
    children: tuple[Child, ...] = ()

    @property
    def tip(self) -> Environment:
        """The deepest accepted environment."""
        accepted = [one.environment for one in self.children if one.environment]
        return accepted[-1] if accepted else self.root

    def history(self) -> tuple[Level, ...]:
        """Return what a proposer is told of the levels so far."""
        return tuple(
            Level(plan=one.plan, root_bytes=self.root_bytes)
            for one in self.children
            if one.plan is not None and one.is_accepted
        )

    def has_ended(self, budget: Budget) -> Ending | None:
        """Why it goes no further; None where it does."""
        if self.children and not self.children[-1].is_accepted:
            return "refused"
        last = self.children[-budget.failures :]
        if len(last) == budget.failures and all(one.is_solved is False for one in last):
            return "unsolved"
        return "depth" if len(self.children) >= budget.depth else None


async def grow(
    lineage: Lineage,
    proposer: Proposer,
    verifier: Verifier,
    *,
    seed: int,
    budget: Budget | None = None,
    solves: Solves | None = None,
) -> AsyncIterator[Lineage]:
    """Grow a lineage level by level; yield it after each.

    A lineage that was kept goes on where it ended: the same levels, seed and proposer
    give the same children.

    Raises:
        BundleError: a level that was kept was not made of the one before it; names it.
        ModelError: a proposer's model can't be asked.
        SandboxError: a sandbox failed; the levels yielded so far stand.
    """
    budget = budget or Budget()
    _check_descent(lineage)
    while lineage.has_ended(budget) is None:
        child = await _next(lineage, proposer, verifier, seed, budget)
        if solves is not None and child.environment is not None:
            child = replace(child, is_solved=await solves(child.environment))
        lineage = replace(lineage, children=(*lineage.children, child))
        yield lineage


def _check_descent(lineage: Lineage) -> None:
    parent = environment_digest(lineage.root)
    for child in lineage.children:
        if child.environment is None:
            continue
        named = child.environment.lineage.parent
        if named != parent:
            msg = (
                f"level {child.level} of {lineage.root.environment_id} was made of "
                f"{named}, and the level before it is {parent}; drop it and what follows"
            )
            raise BundleError(msg)
        parent = environment_digest(child.environment)


async def _next(
    lineage: Lineage,
    proposer: Proposer,
    verifier: Verifier,
    seed: int,
    budget: Budget,
) -> Child:
    began = monotonic()
    child = Child(
        level=len(lineage.children) + 1,
        environment=None,
        plan=None,
        verdict=None,
        attempts=(),
        is_solved=None,
        seconds=0.0,
        spent=Spending(),
    )
    while not child.is_accepted and len(child.attempts) < budget.proposals:
        child = await _attempt(child, lineage, proposer, verifier, seed)
    return replace(child, seconds=monotonic() - began)


async def _attempt(
    child: Child, lineage: Lineage, proposer: Proposer, verifier: Verifier, seed: int
) -> Child:
    """Return the child after one more proposal: accepted, or with what is wrong with it."""
    parent = lineage.tip
    told = [
        replace(one, plan=attempt.plan)
        for attempt in child.attempts
        for one in attempt.diagnostics
    ]
    try:
        proposal = await proposer.propose(parent, lineage.history(), told, seed=seed)
    except PlanError as error:
        return _refused(child, None, [_unfit(error)])
    plan = proposal.plan
    child = replace(child, spent=_sum(child.spent, proposal.spent))
    if plan is None or proposal.refused:
        return _refused(child, plan, proposal.refused)
    try:
        environment = child_of(
            parent,
            plan,
            seed=seed,
            producer=proposer.name,
            model=proposer.model,
            spent=child.spent,
        )
    except PlanError as error:
        return _refused(child, plan, [_unfit(error)])
    verdict = await verifier.verify(parent, plan, environment)
    if not verdict.is_accepted:
        return _refused(child, plan, verdict.diagnostics)
    return replace(
        child,
        environment=environment,
        plan=plan,
        verdict=verdict,
        attempts=(*child.attempts, Attempted(plan=plan, diagnostics=())),
    )


def _refused(
    child: Child, plan: TransformPlan | None, found: Sequence[Diagnostic]
) -> Child:
    attempt = Attempted(plan=plan, diagnostics=tuple(found))
    return replace(child, attempts=(*child.attempts, attempt))


def _unfit(error: PlanError) -> Diagnostic:
    return Diagnostic(check="plan", name="", message=str(error))


def _sum(one: Spending, other: Spending) -> Spending:
    return Spending(
        tokens=one.tokens + other.tokens,
        seconds=one.seconds + other.seconds,
        usd=one.usd + other.usd,
    )
