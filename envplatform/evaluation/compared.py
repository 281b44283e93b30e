"""What came of pairs: a difference by depth and over all, and how sure it is."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from envplatform.configuration import ComparisonKind
from envplatform.evaluation.attempts import Attempt
from envplatform.evaluation.bootstrap import clustered, over_clusters
from envplatform.evaluation.contrast import Pair
from envplatform.evaluation.paired import DRAWS

REVISION = 1
"""Raised when the same pairs give other rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """Both sides over the same tasks and seeds."""

    kind: ComparisonKind
    by: Literal["whole", "depth"]
    depth: int
    """Of the tasks after; 0 where `by` is `whole`."""
    before: str
    """Harness, policy and batch."""
    after: str
    tasks: int
    """Each counts by the mean of its pairs."""
    lineages: int
    pairs: int
    before_rate: float
    """Mean over tasks of the share of attempts that solved them."""
    after_rate: float
    difference: float
    """`after_rate` less `before_rate`."""
    low: float | None
    """95 % interval of the difference by drawing lineages, each with both sides; None of
    fewer than two lineages.
    """
    high: float | None
    reward_difference: float
    """The same of mean rewards."""
    gained: int
    """Tasks solved more often after."""
    lost: int
    """Tasks solved less often after."""
    before_tokens: float
    """Mean of an attempt."""
    after_tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    lineage: str
    before: float
    after: float
    reward: float


def compared_rows(
    pairs: Sequence[Pair],
    *,
    kind: ComparisonKind,
    reward: float,
    seed: int = 0,
    draws: int = DRAWS,
) -> list[ComparedRow]:
    """Return a row over all pairs, then one a depth; `reward` is what solves a task.

    Raises:
        ValueError: there is no pair.
    """
    if not pairs:
        msg = "there is no pair to compare"
        raise ValueError(msg)
    by_depth: dict[int, list[Pair]] = defaultdict(list)
    for one in pairs:
        by_depth[one.depth].append(one)
    groups: list[tuple[Literal["whole", "depth"], int, Sequence[Pair]]] = [
        ("whole", 0, pairs),
        *(("depth", depth, by_depth[depth]) for depth in sorted(by_depth)),
    ]
    rows = []
    for by, depth, mine in groups:
        tasks = _tasks(mine, reward)
        drawn = over_clusters(
            clustered((one.lineage, one.after - one.before) for one in tasks),
            seed=seed,
            draws=draws,
        )
        row = ComparedRow(
            kind=kind,
            by=by,
            depth=depth,
            before=_named(one.before for one in mine),
            after=_named(one.after for one in mine),
            tasks=len(tasks),
            lineages=len({one.lineage for one in tasks}),
            pairs=len(mine),
            before_rate=fmean(one.before for one in tasks),
            after_rate=fmean(one.after for one in tasks),
            difference=fmean(one.after - one.before for one in tasks),
            low=drawn.low if drawn else None,
            high=drawn.high if drawn else None,
            reward_difference=fmean(one.reward for one in tasks),
            gained=sum(one.after > one.before for one in tasks),
            lost=sum(one.after < one.before for one in tasks),
            before_tokens=fmean(one.before.tokens for one in mine),
            after_tokens=fmean(one.after.tokens for one in mine),
        )
        rows.append(row)
    return rows


def _tasks(pairs: Iterable[Pair], reward: float) -> list[_Task]:
    by_task: dict[str, list[Pair]] = defaultdict(list)
    for one in pairs:
        by_task[one.task].append(one)
    return [
        _Task(
            lineage=mine[0].lineage,
            before=fmean(one.before.reward >= reward for one in mine),
            after=fmean(one.after.reward >= reward for one in mine),
            reward=fmean(one.after.reward - one.before.reward for one in mine),
        )
        for mine in by_task.values()
    ]


def _named(attempts: Iterable[Attempt]) -> str:
    names = {f"{one.harness} by {one.policy} in {one.batch}" for one in attempts}
    return ", ".join(sorted(names))
