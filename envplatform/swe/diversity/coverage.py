"""Which fixes an inducer learns from when only the number of repositories varies.

The question: does an inducer give more diverse bugs if it learned from more source
repositories, or just from more fixes? So every draw has as many fixes as the others,
and each set of repositories holds the smaller ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar


class FromRepository(Protocol):
    """Whatever was found in some repository: a fix, a training row."""

    @property
    def repository(self) -> str:
        """Its name."""
        ...


Fix = TypeVar("Fix", bound=FromRepository)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageDraw(Generic[Fix]):
    """What to learn from at one number of repositories."""

    repositories: tuple[str, ...]
    """In the order in which draws take them up; each gives at least one fix."""
    fixes: tuple[Fix, ...]
    """As evenly over repositories as they have them; in the order of the input."""


def coverage_draws(
    fixes: Sequence[Fix], counts: Sequence[int], *, size: int, seed: int
) -> tuple[CoverageDraw[Fix], ...]:
    """Draw `size` fixes from each number of repositories in `counts`.

    Args:
        fixes: all there are, in any order; the draw depends on it.
        counts: numbers of repositories, growing.
        size: fixes in each draw, no fewer than repositories in the largest.
        seed: which repositories and which of their fixes.

    Raises:
        ValueError: too few repositories, or those of a draw have too few fixes; says
            what would do. Nothing is drawn short: draws must be of one size.
    """
    by_repository: dict[str, list[int]] = {}
    for number, fix in enumerate(fixes):
        by_repository.setdefault(fix.repository, []).append(number)
    _check(by_repository, counts, size)
    shuffle = Random(f"coverage {seed}")  # noqa: S311  no secret
    order = sorted(by_repository)
    shuffle.shuffle(order)
    for name in order:
        shuffle.shuffle(by_repository[name])
    order = _with_enough_first(order, by_repository, counts[0], size)
    return tuple(
        CoverageDraw(
            repositories=tuple(order[:count]),
            fixes=tuple(
                fixes[number]
                for number in _even([by_repository[n] for n in order[:count]], size)
            ),
        )
        for count in counts
    )


def _check(
    by_repository: dict[str, list[int]], counts: Sequence[int], size: int
) -> None:
    if not counts or counts[0] < 1 or list(counts) != sorted(set(counts)):
        msg = f"counts of repositories must grow from 1 or more: {list(counts)}"
        raise ValueError(msg)
    if len(by_repository) < counts[-1]:
        msg = (
            f"{counts[-1]} repositories are asked for, {len(by_repository)} have fixes"
        )
        raise ValueError(msg)
    if size < counts[-1]:
        msg = f"{size} fixes can't be of {counts[-1]} repositories"
        raise ValueError(msg)
    most = sorted((len(each) for each in by_repository.values()), reverse=True)
    if sum(most[: counts[0]]) < size:
        msg = (
            f"no {counts[0]} repositories have {size} fixes together: "
            f"at most {sum(most[: counts[0]])}"
        )
        raise ValueError(msg)


def _with_enough_first(
    order: Sequence[str], has: dict[str, list[int]], count: int, size: int
) -> list[str]:
    """Swap larger repositories into the smallest set until it has `size` fixes.

    As few as can be, the largest outside for the smallest inside: else the draw would
    be one of large repositories only.
    """
    first, rest = list(order[:count]), list(order[count:])
    while sum(len(has[name]) for name in first) < size:
        least = min(first, key=lambda name: len(has[name]))
        largest = max(rest, key=lambda name: len(has[name]))
        first[first.index(least)], rest[rest.index(largest)] = largest, least
    return first + rest


def _even(groups: Sequence[Sequence[int]], size: int) -> list[int]:
    """Take `size` numbers, one of each group in turn; sorted."""
    taken: list[int] = []
    depth = 0
    while len(taken) < size:
        round_ = [group[depth] for group in groups if depth < len(group)]
        taken += round_[: size - len(taken)]
        depth += 1
    return sorted(taken)
