"""How sure a share is, given how often it was tried."""

from dataclasses import dataclass
from math import sqrt

Z_95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where a share may lie, 0..1, ends included."""

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
