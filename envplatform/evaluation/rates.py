"""How often solvers solve tasks: shares, how sure they are, and tasks that tell nothing.

A task counts by the mean of its own attempts; nothing is scored here, nothing read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from envplatform.evaluation.attempts import Attempt, Solver
from envplatform.evaluation.bootstrap import DRAWS, clustered, over_clusters
from envplatform.evaluation.estimators import pass_at_k, pass_hat_k
from envplatform.evaluation.tasks import Task
from envplatform.store import NOT_IDENTITY
from envplatform.swe.diversity.intervals import Interval, wilson

REVISION = 1
"""Raised when the same attempts give other rows."""

By = Literal["whole", "pillar", "scenario", "depth", "harness", "model"]
"""What attempts are grouped by; `harness` and `model` over all solvers alone."""
ALL = Solver(batch="", harness="", policy="")
"""Stands for all solvers together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtK:
    """Pass@k and Pass^k, means over the tasks that were attempted often enough."""

    k: int
    pass_at: float | None
    """That one of k attempts solves the task; None where no task has k attempts."""
    pass_hat: float | None
    """That all of k attempts do."""
    tasks: int
    """Attempted k times at least."""
    short: int
    """Attempted less often, and so in neither figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow:
    """One solver, or all of them, on one group of tasks."""

    batch: str
    """Empty, as the next two: all solvers together."""
    harness: str
    policy: str
    by: By
    group: str
    tasks: int
    lineages: int
    attempts: int
    solved: int
    pass_at_1: float
    """Mean over tasks of the share of their attempts that solved them."""
    wilson_low: float
    """95 % interval of the share of attempts, as if none depended on another."""
    wilson_high: float
    lineages_low: float | None
    """95 % interval of `pass_at_1` by drawing lineages; None of fewer than two."""
    lineages_high: float | None
    at_k: tuple[AtK, ...]
    """In the order asked for; none for all solvers together."""
    by_all: int
    """Tasks that every attempt solved: they tell solvers apart no more."""
    by_none: int
    """Tasks that no attempt solved: they do not yet."""
    mean_reward: float
    tokens: float
    """Mean of an attempt."""
    usd: float
    seconds: float = field(metadata=NOT_IDENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """What is asked of rates."""

    reward: float = 1.0
    """From which on a task is solved."""
    ks: tuple[int, ...] = (1,)
    seed: int = 0
    draws: int = DRAWS


def rate_rows(
    attempts: Iterable[Attempt], tasks: Mapping[str, Task], scoring: Scoring
) -> list[RateRow]:
    """Return all rows: all solvers together first, then each, each by what it differs in.

    Every attempt's task must be among `tasks`.
    """
    groups: dict[tuple[Solver, By, str], list[Attempt]] = defaultdict(list)
    for one in attempts:
        for key in _keys(one, tasks[one.task]):
            groups[key].append(one)
    return [
        _row(solver, by, group, groups[solver, by, group], tasks, scoring)
        for solver, by, group in sorted(groups, key=_place)
    ]


def solvers_of(rows: Iterable[RateRow]) -> list[RateRow]:
    """Return the row of each solver over all its tasks, in order."""
    return [one for one in rows if one.by == "whole" and one.harness]


def _keys(one: Attempt, task: Task) -> Iterator[tuple[Solver, By, str]]:
    for solver in (ALL, one.solver):
        yield solver, "whole", ""
        yield solver, "pillar", task.pillar
        yield solver, "scenario", task.scenario
        yield solver, "depth", str(task.depth)
    yield ALL, "harness", one.harness
    yield ALL, "model", one.policy


def _place(key: tuple[Solver, By, str]) -> tuple[Solver, int, int, str]:
    """All solvers first, each from the whole to its parts, depths by number."""
    order: tuple[By, ...] = (
        *("whole", "pillar", "scenario", "depth"),
        *("harness", "model"),
    )
    solver, by, group = key
    return solver, order.index(by), int(group) if by == "depth" else 0, group


def _row(
    solver: Solver,
    by: By,
    group: str,
    attempts: Sequence[Attempt],
    tasks: Mapping[str, Task],
    scoring: Scoring,
) -> RateRow:
    counts = _counts(attempts, scoring)
    solved = sum(good for _, good in counts.values())
    shares = [
        (tasks[task].lineage, good / tried) for task, (tried, good) in counts.items()
    ]
    clusters = clustered(shares)
    interval = wilson(solved, len(attempts))
    drawn = over_clusters(clusters, seed=scoring.seed, draws=scoring.draws)
    return RateRow(
        batch=solver.batch,
        harness=solver.harness,
        policy=solver.policy,
        by=by,
        group=group,
        tasks=len(counts),
        lineages=len(clusters),
        attempts=len(attempts),
        solved=solved,
        pass_at_1=fmean(share for _, share in shares),
        wilson_low=interval.low,
        wilson_high=interval.high,
        lineages_low=_low(drawn),
        lineages_high=_high(drawn),
        at_k=()
        if solver == ALL
        else tuple(_at_k(list(counts.values()), k) for k in scoring.ks),
        by_all=sum(tried == good for tried, good in counts.values()),
        by_none=sum(not good for _, good in counts.values()),
        mean_reward=fmean(one.reward for one in attempts),
        tokens=fmean(one.tokens for one in attempts),
        usd=fmean(one.usd for one in attempts),
        seconds=fmean(one.seconds for one in attempts),
    )


def _counts(
    attempts: Sequence[Attempt], scoring: Scoring
) -> dict[str, tuple[int, int]]:
    """Count by task: attempts, and those that solved it."""
    counts: dict[str, tuple[int, int]] = {}
    for one in attempts:
        tried, good = counts.get(one.task, (0, 0))
        counts[one.task] = tried + 1, good + (one.reward >= scoring.reward)
    return counts


def _at_k(counts: Sequence[tuple[int, int]], k: int) -> AtK:
    enough = [(tried, good) for tried, good in counts if tried >= k]
    if not enough:
        return AtK(k=k, pass_at=None, pass_hat=None, tasks=0, short=len(counts))
    return AtK(
        k=k,
        pass_at=fmean(pass_at_k(tried, good, k) for tried, good in enough),
        pass_hat=fmean(pass_hat_k(tried, good, k) for tried, good in enough),
        tasks=len(enough),
        short=len(counts) - len(enough),
    )


def _low(interval: Interval | None) -> float | None:
    return interval.low if interval else None


def _high(interval: Interval | None) -> float | None:
    return interval.high if interval else None
