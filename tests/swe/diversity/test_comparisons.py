"""Intervals of shares and distances of distributions: by hand, and what must hold."""

from collections.abc import Mapping
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.diversity.distributions import (
    jensen_shannon_bits,
    total_variation,
)
from envplatform.swe.diversity.intervals import Z_95, mean_interval, wilson

KINDS = st.dictionaries(
    st.sampled_from("abcdef"), st.integers(0, 50), min_size=1
).filter(lambda counts: sum(counts.values()) > 0)


def test_wilson_by_hand() -> None:
    """Half of 10: centre 1/2, reach z sqrt(1/40 + z^2/400) / (1 + z^2/10)."""
    found = wilson(5, 10)
    z = Z_95
    reach = z * sqrt(1 / 40 + z * z / 400) / (1 + z * z / 10)
    assert found.low == pytest.approx(0.5 - reach)
    assert found.high == pytest.approx(0.5 + reach)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2366, 0.7634)


def test_the_ends_of_wilson_say_something() -> None:
    none, every = wilson(0, 20), wilson(20, 20)
    assert none.low == 0
    assert none.high == pytest.approx(Z_95**2 / (20 + Z_95**2))
    assert every.high == 1
    assert every.low == pytest.approx(1 - none.high)


def test_nothing_tried_may_be_any_share() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_wilson_holds_the_share_and_stays_a_share(good: int, bad: int) -> None:
    trials = good + bad
    found = wilson(good, trials)
    assert 0 <= found.low <= found.high <= 1
    if trials:
        assert found.low <= good / trials <= found.high


@pytest.mark.parametrize("successes", [-1, 3])
def test_more_successes_than_trials_are_refused(successes: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson(successes, 2)


def test_distances_by_hand() -> None:
    some, others = {"logic": 3, "data": 1}, {"logic": 1, "type": 1}
    assert total_variation(some, others) == pytest.approx(0.5)
    # Mixture: logic 5/8, data 1/8, type 2/8.
    left = 0.75 * 0.263034 + 0.25 * 1.0  # log2(6/5), log2(2)
    right = 0.5 * -0.321928 + 0.5 * 1.0  # log2(4/5), log2(2)
    expected = (left + right) / 2
    assert jensen_shannon_bits(some, others) == pytest.approx(expected, abs=1e-6)


@given(KINDS, KINDS)
def test_distances_are_even_handed_and_within_0_and_1(
    some: Mapping[str, int], others: Mapping[str, int]
) -> None:
    for distance in (total_variation, jensen_shannon_bits):
        found = distance(some, others)
        assert found == pytest.approx(distance(others, some))
        assert -1e-12 <= found <= 1 + 1e-12
    # Bounds that tie the two together (Lin 1991).
    assert jensen_shannon_bits(some, others) <= total_variation(some, others) + 1e-9


@given(KINDS, st.integers(1, 5))
def test_only_shares_count(counts: Mapping[str, int], times: int) -> None:
    more = {kind: times * count for kind, count in counts.items()}
    assert total_variation(counts, more) == pytest.approx(0, abs=1e-12)
    assert jensen_shannon_bits(counts, more) == pytest.approx(0, abs=1e-12)


def test_nothing_in_common_is_1() -> None:
    assert total_variation({"a": 2}, {"b": 5}) == 1
    assert jensen_shannon_bits({"a": 2}, {"b": 5, "a": 0}) == 1


@pytest.mark.parametrize("empty", [{}, {"a": 0}])
def test_what_counts_nothing_can_not_be_compared(empty: Mapping[str, int]) -> None:
    for distance in (total_variation, jensen_shannon_bits):
        with pytest.raises(ValueError, match="counts nothing"):
            distance({"a": 1}, empty)


def test_the_interval_of_a_mean_by_hand() -> None:
    """Of 1, 2, 3: deviation 1, reach 4.303 / sqrt(3)."""
    found = mean_interval([1, 2, 3])
    assert found is not None
    assert found.low == pytest.approx(2 - 4.303 / sqrt(3))
    assert found.high == pytest.approx(2 + 4.303 / sqrt(3))


def test_one_value_tells_nothing_of_the_spread() -> None:
    assert mean_interval([]) is None
    assert mean_interval([1.0]) is None


def test_many_values_tell_more_than_few() -> None:
    few, many = mean_interval([0, 1] * 2), mean_interval([0, 1] * 30)
    assert few is not None
    assert many is not None
    assert few.low < many.low < 0.5 < many.high < few.high
