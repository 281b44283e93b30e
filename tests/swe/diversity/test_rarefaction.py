"""MBTE: against hand-computed cases, brute force, and what must hold of any counts."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from math import log, log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.diversity.rarefaction import (
    SIZES,
    expected_entropy,
    mbte,
    mbte_curve,
)
from envplatform.swe.fixes.curation.figures import entropy_bits

COUNTS = st.lists(st.integers(0, 40), min_size=1, max_size=13).filter(sum)


def test_one_half_each_is_one_bit() -> None:
    entropy = expected_entropy([3, 3], 6)
    assert entropy.plug_in_bits == pytest.approx(1.0)
    assert entropy.corrected_bits == pytest.approx(1 + 1 / (12 * log(2)))


def test_two_of_three_bugs_by_hand() -> None:
    """Of the pairs of a, a, b two of three differ, so a pair has 2/3 bit."""
    entropy = expected_entropy([2, 1], 2)
    assert entropy.plug_in_bits == pytest.approx(2 / 3)
    types = 2 * 2 / 3 + 1 * 1 / 3
    expected = 2 / 3 + (types - 1) / (4 * log(2))
    assert entropy.corrected_bits == pytest.approx(expected)


@pytest.mark.parametrize("counts", [(4, 3, 1), (1, 1, 1, 1, 1), (6, 0, 2), (5, 2, 2)])
def test_the_expectation_is_the_mean_over_all_draws(counts: Sequence[int]) -> None:
    bugs = [kind for kind, count in enumerate(counts) for _ in range(count)]
    for size in range(1, len(bugs) + 1):
        draws = [Counter(draw).values() for draw in combinations(bugs, size)]
        bits = sum(map(entropy_bits, draws)) / len(draws)
        types = sum(map(len, draws)) / len(draws)
        found = expected_entropy(counts, size)
        assert found.plug_in_bits == pytest.approx(bits)
        corrected = bits + (types - 1) / (2 * size * log(2))
        assert found.corrected_bits == pytest.approx(corrected)


@given(COUNTS)
def test_all_bugs_drawn_have_the_entropy_of_the_file(counts: list[int]) -> None:
    found = expected_entropy(counts, sum(counts))
    assert found.plug_in_bits == pytest.approx(entropy_bits(counts), abs=1e-9)


@given(COUNTS, st.data())
def test_plug_in_bits_stay_within_log2_of_types_and_of_bugs(
    counts: list[int], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, sum(counts)))
    found = expected_entropy(counts, size)
    types = sum(count > 0 for count in counts)
    assert -1e-9 <= found.plug_in_bits <= log2(min(types, size)) + 1e-9
    excess = (types - 1) / (2 * size * log(2))
    assert 0 <= found.corrected_bits - found.plug_in_bits <= excess + 1e-9


@given(COUNTS)
def test_more_bugs_never_have_less_plug_in_entropy(counts: list[int]) -> None:
    sizes = range(1, min(sum(counts), 30) + 1)
    bits = [expected_entropy(counts, size).plug_in_bits for size in sizes]
    assert all(more >= fewer - 1e-9 for fewer, more in pairwise(bits))


@given(st.integers(1, 500), st.data())
def test_one_type_has_no_entropy_at_any_size(count: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, count))
    found = expected_entropy([0, count, 0], size)
    assert found.plug_in_bits == pytest.approx(0, abs=1e-9)
    assert found.corrected_bits == pytest.approx(0, abs=1e-9)


@given(COUNTS, st.randoms(use_true_random=False))
def test_types_have_no_order(counts: list[int], random: Random) -> None:
    mixed = list(counts)
    random.shuffle(mixed)
    size = max(1, sum(counts) // 2)
    some, others = expected_entropy(counts, size), expected_entropy(mixed, size)
    assert some.corrected_bits == pytest.approx(others.corrected_bits)


@pytest.mark.parametrize(("size", "left_over"), [(5, 0.65), (10, 0.5), (20, 0.3)])
def test_the_correction_takes_bias_away_the_more_the_more_bugs(
    size: int, left_over: float
) -> None:
    """Bugs drawn from known shares: the truth is known, and plug-in falls short."""
    shares = (0.4, 0.2, 0.15, 0.1, 0.1, 0.05)
    truth = -sum(share * log2(share) for share in shares)
    random = Random(4)  # noqa: S311  no secret
    plug_in, corrected = [], []
    for _ in range(2_000):
        drawn = Counter(random.choices(range(len(shares)), shares, k=size))
        found = expected_entropy(list(drawn.values()), size)
        plug_in.append(found.plug_in_bits)
        corrected.append(found.corrected_bits)
    bias = truth - sum(plug_in) / len(plug_in)
    left = truth - sum(corrected) / len(corrected)
    assert bias > 0
    assert abs(left) < left_over * bias


def test_a_large_file_is_drawn_from_exactly_enough() -> None:
    """Binomial coefficients of 100,000 over 200 exceed any float."""
    found = expected_entropy([50_000, 50_000], 200)
    assert found.corrected_bits == pytest.approx(1.0, abs=1e-4)


def test_files_with_fewer_bugs_are_left_out_and_counted() -> None:
    point = mbte([(5, 5), (10,), (2, 2), (0, 0), ()], 5)
    assert point is not None
    assert (point.size, point.files, point.left_out) == (5, 2, 1)
    half = expected_entropy((5, 5), 5)
    assert point.plug_in_bits == pytest.approx(half.plug_in_bits / 2, abs=1e-6)
    assert point.corrected_bits == pytest.approx(half.corrected_bits / 2, abs=1e-6)


def test_every_file_counts_the_same_however_many_bugs_it_has() -> None:
    few, many = mbte([(5,), (5, 5)], 5), mbte([(500,), (5, 5)], 5)
    assert few == many


def test_a_curve_ends_where_no_file_has_as_many() -> None:
    curve = mbte_curve([(30, 30), (4, 4), (1,)])
    assert [(point.size, point.files) for point in curve] == [
        (5, 2),
        (10, 1),
        (20, 1),
        (50, 1),
    ]
    assert mbte_curve([]) == ()
    assert SIZES[0] == 5
    assert SIZES[-1] == 200


@pytest.mark.parametrize("size", [0, -1, 4])
def test_more_than_there_are_or_none_can_not_be_drawn(size: int) -> None:
    with pytest.raises(ValueError, match=f"can't draw {size} of 3"):
        expected_entropy([2, 1], size)
