"""How much the same tasks score more or less under one of two conditions, and how sure that is.

Tasks are drawn, attempts are not: attempts at one task depend on each other, so each
task counts by the mean of its own. Pure; equal arguments give an equal answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from envplatform.evaluation.bootstrap import percentile

DRAWS = 10_000
_TAIL = 0.025
"""Share of draws left out at each end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A mean difference over tasks with its 95 % interval by paired bootstrap, percentiles."""

    mean: float
    low: float
    high: float
    tasks: int
    """Of one task the interval has no width, which says nothing of how sure it is."""


def paired_difference(
    before: Sequence[Sequence[float]],
    after: Sequence[Sequence[float]],
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Difference | None:
    """Return `after` less `before`; None where there is no task.

    One item a task, in the same order in both: the scores of its attempts, one at least,
    as many in one as in the other or not.

    Raises:
        ValueError: the tasks of one are not those of the other, or one has no attempt.
    """
    if len(before) != len(after):
        msg = f"{len(before)} tasks before, {len(after)} after: they must be the same"
        raise ValueError(msg)
    pairs = list(zip(before, after, strict=True))
    empty = next((n for n, pair in enumerate(pairs) if not all(map(len, pair))), None)
    if empty is not None:
        msg = f"task {empty} (from 0) has no attempt on one side"
        raise ValueError(msg)
    if not pairs or draws < 1:
        return None
    by_task = [fmean(more) - fmean(less) for less, more in pairs]
    random = Random(seed)  # noqa: S311  a sample, no secret
    drawn = sorted(fmean(random.choices(by_task, k=len(by_task))) for _ in range(draws))
    mean = fmean(by_task)
    return Difference(
        # Rounding may leave the mean itself outside by a hair where all are alike.
        mean=mean,
        low=min(mean, percentile(drawn, _TAIL)),
        high=max(mean, percentile(drawn, 1 - _TAIL)),
        tasks=len(by_task),
    )
