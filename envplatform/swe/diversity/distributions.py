"""How far apart two distributions are, each given as counts."""

from collections.abc import Mapping
from math import log2
from typing import TypeVar

Kind = TypeVar("Kind")


def total_variation(some: Mapping[Kind, int], others: Mapping[Kind, int]) -> float:
    """Return the largest difference in share of any set of kinds: 0 equal, 1 disjoint.

    Raises:
        ValueError: one of them counts nothing.
    """
    pairs = _shares(some, others).values()
    return sum(abs(one - other) for one, other in pairs) / 2


def jensen_shannon_bits(some: Mapping[Kind, int], others: Mapping[Kind, int]) -> float:
    """Return the Jensen-Shannon divergence in bits: 0 equal, 1 disjoint.

    Not its root, which some call Jensen-Shannon distance.

    Raises:
        ValueError: one of them counts nothing.
    """
    bits = sum(
        _bits(one, (one + other) / 2) + _bits(other, (one + other) / 2)
        for one, other in _shares(some, others).values()
    )
    return max(0.0, bits / 2)  # rounding may leave -1e-17


def _bits(share: float, of: float) -> float:
    return share * log2(share / of) if share else 0.0


def _shares(
    some: Mapping[Kind, int], others: Mapping[Kind, int]
) -> dict[Kind, tuple[float, float]]:
    """Each kind's share on either side, in order of first appearance."""
    total, other_total = sum(some.values()), sum(others.values())
    if not total or not other_total:
        msg = "a distribution that counts nothing can't be compared"
        raise ValueError(msg)
    return {
        kind: (some.get(kind, 0) / total, others.get(kind, 0) / other_total)
        for kind in dict.fromkeys([*some, *others])
    }
