"""Which rows are seen when: packs, and the order of steps. Pure arithmetic.

The order of rows hangs on their ids and a seed, not on who else is there.
"""

import hashlib
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice

from envplatform.learning.training.order import TrainingOrder

Pack = tuple[int, ...]
"""Places of the rows that stand in one example."""


def packs_of(lengths: Sequence[int], room: int) -> tuple[Pack, ...]:
    """Put rows together, the longest first, each where it fits best.

    Packs come in the order of their first row's place, rows in that of their places.
    No row is longer than `room`.
    """
    longest_first = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    packs: list[list[int]] = []
    free: list[tuple[int, int]] = []  # room that is left, number of the pack; ascending
    for at in longest_first:
        place = bisect_left(free, (lengths[at], -1))
        left, number = free.pop(place) if place < len(free) else (room, len(packs))
        if number == len(packs):
            packs.append([])
        packs[number].append(at)
        insort(free, (left - lengths[at], number))
    return tuple(sorted(tuple(sorted(pack)) for pack in packs))


def steps_of(names: Sequence[str], order: TrainingOrder) -> tuple[tuple[int, ...], ...]:
    """Places of the examples that each step sees; `names` are the examples' ids.

    Each pass over the examples has an order of its own. With `steps` there are as many
    full steps; else the last may be short.
    """
    if order.steps is not None:
        passes = (_shuffled(names, order.data_seed, number) for number in count())
        wanted = order.steps * order.batch
    else:
        numbers = range(order.epochs)
        passes = (_shuffled(names, order.data_seed, number) for number in numbers)
        wanted = order.epochs * len(names)
    seen = list(islice(chain.from_iterable(passes), wanted))
    return tuple(_divided(seen, order.batch))


def _divided(seen: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(seen), size):
        yield tuple(seen[start : start + size])


def _shuffled(names: Sequence[str], seed: int, number: int) -> list[int]:
    return sorted(range(len(names)), key=lambda at: _draw(names[at], seed, number))


def _draw(name: str, seed: int, number: int) -> tuple[str, str]:
    return hashlib.sha256(f"{seed}:{number}:{name}".encode()).hexdigest(), name
