"""Draws of equal size from more and more repositories."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.diversity.coverage import CoverageDraw, coverage_draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A fix of some repository."""

    repository: str
    number: int


def fixes_of(sizes: Mapping[str, int]) -> list[Fix]:
    return [
        Fix(repository=name, number=number)
        for name, count in sizes.items()
        for number in range(count)
    ]


def spread(draw: CoverageDraw[Fix]) -> Counter[str]:
    return Counter(fix.repository for fix in draw.fixes)


def test_every_draw_is_of_one_size_and_holds_the_repositories_of_the_smaller() -> None:
    fixes = fixes_of({f"r{n:02}": 10 for n in range(20)})
    draws = coverage_draws(fixes, [2, 5, 20], size=20, seed=1)
    assert [len(draw.fixes) for draw in draws] == [20, 20, 20]
    assert [len(draw.repositories) for draw in draws] == [2, 5, 20]
    for small, large in pairwise(draws):
        assert large.repositories[: len(small.repositories)] == small.repositories
    assert [set(spread(draw).values()) for draw in draws] == [{10}, {4}, {1}]


def test_another_seed_draws_other_repositories() -> None:
    fixes = fixes_of({f"r{n:02}": 10 for n in range(20)})
    drawn = {coverage_draws(fixes, [3], size=9, seed=seed) for seed in range(5)}
    assert len(drawn) == 5


def test_the_smallest_set_has_enough_fixes_if_any_has() -> None:
    fixes = fixes_of({"large": 30, **{f"small{n}": 1 for n in range(30)}})
    for seed in range(10):
        first, second = coverage_draws(fixes, [2, 31], size=31, seed=seed)
        assert spread(first)["large"] == 30
        assert spread(second)["large"] == 1


@pytest.mark.parametrize(
    ("counts", "size", "why"),
    [
        ((1, 4), 4, "4 repositories are asked for, 3 have fixes"),
        ((2,), 8, "no 2 repositories have 8 fixes together: at most 7"),
        ((1, 3), 2, "2 fixes can't be of 3 repositories"),
        ((3, 1), 3, "must grow"),
        ((), 3, "must grow"),
        ((0, 1), 3, "must grow"),
    ],
)
def test_a_draw_that_would_fall_short_is_refused(
    counts: tuple[int, ...], size: int, why: str
) -> None:
    fixes = fixes_of({"a": 4, "b": 3, "c": 1})
    with pytest.raises(ValueError, match=why):
        coverage_draws(fixes, counts, size=size, seed=0)


@given(
    sizes=st.lists(st.integers(1, 12), min_size=4, max_size=9),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_draws_are_even_without_repeats_and_of_every_repository(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    fixes = fixes_of({f"r{n}": size for n, size in enumerate(sizes)})
    counts = sorted(data.draw(st.sets(st.integers(1, len(sizes)), min_size=1)))
    possible = sum(sorted(sizes)[-counts[0] :])
    if possible < counts[-1]:
        return
    size = data.draw(st.integers(counts[-1], possible))
    for draw in coverage_draws(fixes, counts, size=size, seed=seed):
        assert len(set(draw.fixes)) == len(draw.fixes) == size
        taken = spread(draw)
        assert set(taken) == set(draw.repositories)
        most = max(taken.values())
        for name, count in taken.items():
            assert count >= most - 1 or count == sizes[int(name[1:])]
