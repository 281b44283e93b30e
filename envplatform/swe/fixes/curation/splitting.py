"""Which repositories are held back for validation, whole ones only."""

from collections.abc import Callable, Mapping

_SMALL = 10
"""A repository is small if so many of its size would fit into validation."""


def choose_validation(
    counts: Mapping[str, int], *, share: float, rank: Callable[[str], str]
) -> frozenset[str]:
    """Choose repositories whose rows sum up as near to the share as can be.

    Of equally near sums the lower. Small repositories are taken first, by `rank`, so
    that validation shows many of them, and a large one only if nothing else comes as
    near. Not empty if `share` is not 0 and there are two repositories at least; at
    least one is left for training.

    Args:
        counts: rows by repository, none of them 0.
        share: wanted part of all rows, 0 up to but not including 1.
        rank: an order among repositories of the same kind.
    """
    total = sum(counts.values())
    if share <= 0 or len(counts) < 2:  # noqa: PLR2004  one can't be on both sides
        return frozenset()
    target = share * total
    ordered = sorted(
        counts,
        key=lambda name: (max(counts[name] * _SMALL, target), rank(name)),
    )
    limit = min(max(int(2 * target) + 1, min(counts.values())), total - 1)
    last = _reachable(counts, ordered, limit)
    nearest = min(last, key=lambda rows: (abs(rows - target), rows))
    chosen: set[str] = set()
    while nearest:
        chosen.add(last[nearest])
        nearest -= counts[last[nearest]]
    return frozenset(chosen)


def _reachable(
    counts: Mapping[str, int], ordered: list[str], limit: int
) -> dict[int, str]:
    """Sums up to `limit` that some repositories have, by the last that it takes.

    Each sum is noted when it is first reached, so the way back from it only meets
    repositories that come earlier in the order, each once.
    """
    last: dict[int, str] = {}
    reached, mask = 1, (1 << limit + 1) - 1  # bit n: n rows can be had
    for name in ordered:
        new = (reached << counts[name]) & mask & ~reached
        reached |= new
        while new:
            lowest = new & -new
            last[lowest.bit_length() - 1] = name
            new ^= lowest
        if reached == mask:
            break
    return last
