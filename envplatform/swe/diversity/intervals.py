"""How sure a share or a mean is, given how often it was tried."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

Z_95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""

_T_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
"""Student's t for 95 % by degrees of freedom, from 1; the last holds for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where a share, a mean or a difference may lie, ends included."""

    low: float
    high: float


def wilson(successes: int, trials: int, *, z: float = Z_95) -> Interval:
    """Return Wilson's score interval of a share; all of 0..1 if nothing was tried.

    Unlike the share plus and minus its deviation it stays within 0..1, and says
    something of 0 and of all.

    Raises:
        ValueError: more successes than trials, or fewer than none.
    """
    if not 0 <= successes <= trials:
        msg = f"{successes} of {trials} is no share"
        raise ValueError(msg)
    if trials == 0:
        return Interval(low=0.0, high=1.0)
    share, weight = successes / trials, z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    spread = share * (1 - share) / trials + weight / (4 * trials)
    reach = z * sqrt(spread) / (1 + weight)
    # At the ends rounding may leave the share itself outside by a hair.
    return Interval(
        low=min(share, max(0.0, centre - reach)),
        high=max(share, min(1.0, centre + reach)),
    )


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return Student's 95 % interval of a mean; None: fewer than two values say nothing.

    The values must be independent of each other: one for each draw, not one for each
    candidate of it.
    """
    if len(values) < 2:  # noqa: PLR2004  one value has no deviation
        return None
    t = _T_95[min(len(values) - 1, len(_T_95)) - 1]
    reach = t * stdev(values) / sqrt(len(values))
    return Interval(low=fmean(values) - reach, high=fmean(values) + reach)
