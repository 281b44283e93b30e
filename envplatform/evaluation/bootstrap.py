"""How sure a mean over tasks is whose lineages were drawn: bootstrap over clusters.

Tasks of one lineage share goal and grader, so lineages are drawn whole, with putting
back; equal arguments give an equal answer. Paired tasks drawn one by one are in `paired`.
"""

from collections.abc import Iterable, Sequence
from operator import itemgetter
from random import Random

from envplatform.swe.diversity.intervals import Interval

DRAWS = 2_000
_VALUE, _COUNT = itemgetter(0), itemgetter(1)
_TAIL = 0.025
"""Share of draws left out at each end."""

Cluster = tuple[float, int]
"""Sum of the values of a lineage's tasks, and how many there are."""


def clustered(values: Iterable[tuple[str, float]]) -> list[Cluster]:
    """Sum up values by lineage, in the order in which lineages first come."""
    sums: dict[str, Cluster] = {}
    for lineage, value in values:
        total, count = sums.get(lineage, (0.0, 0))
        sums[lineage] = total + value, count + 1
    return list(sums.values())


def over_clusters(
    clusters: Sequence[Cluster], *, seed: int = 0, draws: int = DRAWS
) -> Interval | None:
    """Return the 95 % interval of the mean over all tasks, percentiles of draws.

    None of fewer than two lineages: one says nothing of how others would fare.
    """
    if len(clusters) < 2 or draws < 1:  # noqa: PLR2004  see above
        return None
    drawn = sorted(_means(clusters, seed=seed, draws=draws))
    mean = _mean(clusters)
    # Rounding may leave the mean itself outside by a hair where all are alike.
    return Interval(
        low=min(mean, percentile(drawn, _TAIL)),
        high=max(mean, percentile(drawn, 1 - _TAIL)),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile of sorted values, between neighbours where it falls there."""
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def _means(clusters: Sequence[Cluster], *, seed: int, draws: int) -> Iterable[float]:
    random, size = Random(seed), len(clusters)  # noqa: S311  a sample, no secret
    if all(count == 1 for _, count in clusters):
        sums = [total for total, _ in clusters]
        return (sum(random.choices(sums, k=size)) / size for _ in range(draws))
    return (_mean(random.choices(clusters, k=size)) for _ in range(draws))


def _mean(clusters: Sequence[Cluster]) -> float:
    total: float = sum(map(_VALUE, clusters))
    count: int = sum(map(_COUNT, clusters))
    return total / count
