"""Which repositories are held back for validation."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.fixes.curation.splitting import choose_validation


def _choose(counts: dict[str, int], share: float) -> frozenset[str]:
    return choose_validation(counts, share=share, rank=str)


@given(
    st.dictionaries(
        st.sampled_from("abcdefg"), st.integers(1, 30), min_size=2, max_size=7
    ),
    st.floats(min_value=0.01, max_value=0.99),
)
def test_no_other_choice_comes_nearer(counts: dict[str, int], share: float) -> None:
    target = share * sum(counts.values())
    possible = [
        sum(counts[name] for name in names)
        for size in range(1, len(counts))
        for names in combinations(counts, size)
    ]
    found = sum(counts[name] for name in _choose(counts, share))
    best = min(abs(rows - target) for rows in possible)
    assert abs(found - target) == pytest.approx(best)


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 30), min_size=2, max_size=9))
def test_both_sides_have_a_repository(counts: dict[str, int]) -> None:
    for share in (0.001, 0.5, 0.999):
        assert 0 < len(_choose(counts, share)) < len(counts)


def test_a_huge_repository_stays_in_training_beside_small_ones() -> None:
    counts = {"huge": 100, **{f"small{n}": 10 for n in range(90)}}
    chosen = _choose(counts, 0.1)
    assert "huge" not in chosen
    assert sum(counts[name] for name in chosen) == 100


def test_of_two_huge_ones_the_smaller_is_held_back() -> None:
    assert _choose({"a": 500, "b": 400}, 0.05) == {"b"}


def test_one_repository_is_never_torn_apart() -> None:
    assert _choose({"a": 500}, 0.5) == frozenset()


def test_no_share_is_no_validation() -> None:
    assert _choose({"a": 5, "b": 5}, 0) == frozenset()


def test_rank_decides_among_equals() -> None:
    counts = {"a": 5, "b": 5, "c": 5}
    first = choose_validation(counts, share=0.3, rank=lambda name: name)
    last = choose_validation(
        counts, share=0.3, rank=lambda name: str(9 - "abc".index(name))
    )
    assert (set(first), set(last)) == ({"a"}, {"c"})
