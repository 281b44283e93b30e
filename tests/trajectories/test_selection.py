"""Selection is arithmetic: equal bins, the best of each, ties by id, chance by a seed."""

import random
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import ConfigError
from envplatform.trajectories import (
    Candidate,
    Cut,
    Metric,
    TrajectoryScore,
    candidates,
    control,
    overlap,
    select,
)
from envplatform.trajectories.selection import Valid, binned

CANDIDATES = st.lists(
    st.builds(
        Candidate,
        trajectory_id=st.text("abcdef0123456789", min_size=1, max_size=8),
        length=st.integers(0, 50),
        value=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    ),
    unique_by=lambda one: one.trajectory_id,
    max_size=60,
)
CUTS = st.builds(
    Cut,
    keep=st.floats(0, 1),
    bins=st.integers(1, 7),
    better=st.sampled_from(["lower", "higher"]),
)


@given(found=CANDIDATES, bins=st.integers(1, 9))
def test_bins_are_of_equal_size_and_in_order(found: list[Candidate], bins: int) -> None:
    parts = binned(found, bins)
    assert len(parts) == bins
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    lengths = [one.length for part in parts for one in part]
    assert lengths == sorted(one.length for one in found)


@given(found=CANDIDATES, cut=CUTS, seed=st.integers(0, 99))
def test_the_best_of_each_bin_are_kept(
    found: list[Candidate], cut: Cut, seed: int
) -> None:
    chosen = select(found, cut)
    shuffled = random.Random(seed).sample(found, len(found))  # noqa: S311  no secret
    assert select(shuffled, cut) == chosen, "order of the input changes nothing"
    sign = 1 if cut.better == "lower" else -1
    for number, part in enumerate(binned(found, cut.bins)):
        kept = [one.candidate for one in chosen if one.bin == number]
        assert len(kept) == floor(cut.keep * len(part) + 0.5)
        rest = [one for one in part if one not in kept]
        for one in kept:
            assert all(
                (sign * one.value, one.trajectory_id)
                < (sign * other.value, other.trajectory_id)
                for other in rest
            )


@given(found=CANDIDATES, cut=CUTS, seed=st.integers(0, 99))
def test_the_control_draws_as_many_from_each_bin(
    found: list[Candidate], cut: Cut, seed: int
) -> None:
    chosen, drawn = select(found, cut), control(found, cut, seed=seed)
    assert [one.bin for one in chosen] == [one.bin for one in drawn]
    assert drawn == control(found[::-1], cut, seed=seed)


def test_the_papers_fraction() -> None:
    found = [
        Candidate(trajectory_id=f"{number:05}", length=number, value=number % 97)
        for number in range(24_732)
    ]
    assert len(select(found, Cut())) == 17_312


def test_seeds_draw_otherwise() -> None:
    found = [Candidate(trajectory_id=f"{n}", length=1, value=0.0) for n in range(100)]
    same = overlap(control(found, Cut(), seed=1), control(found, Cut(), seed=1))
    other = overlap(control(found, Cut(), seed=1), control(found, Cut(), seed=2))
    assert same.jaccard == 1.0
    assert (other.first, other.second) == (72, 72), "18 of each 25, a half is up"
    assert 40 < other.both < 72


def score(trajectory_id: str, **changes: object) -> TrajectoryScore:
    fields = {
        "tokens": 10,
        "sum_surprisal": 5.0,
        "sum_clipped_rank": 20,
        "dtype": "float32",
        "model_digest": "m" * 64,
        "length": 30,
        **changes,
    }
    return TrajectoryScore(trajectory_id=trajectory_id, **fields)  # type: ignore[arg-type]


VALID = [Valid(trajectory_id=name, reward=0.5, length=7) for name in "abc"]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("nll", [("a", 30, 0.5)]),
        ("rsr", [("a", 30, 4.0)]),
        ("reward", [("a", 30, 0.5), ("b", 7, 0.5), ("c", 30, 0.5)]),
        ("length", [("a", 30, 30.0), ("b", 7, 7.0), ("c", 30, 30.0)]),
    ],
)
def test_values_by_metric(
    metric: Metric, expected: list[tuple[str, int, float]]
) -> None:
    """`b` was skipped; nothing surprised in `c`, so it has no ratio and no mean."""
    scores = [
        score("a"),
        score("b", skipped="over_length"),
        score("c", tokens=0, sum_surprisal=0.0),
    ]
    found = candidates(VALID, scores, metric=metric, seed=0)
    told = [(one.trajectory_id, one.length, one.value) for one in found]
    assert told == expected


def test_rsr_is_a_ratio_of_sums() -> None:
    one, other = score("a"), score("b", sum_surprisal=1.0, sum_clipped_rank=9)
    both = score("c", sum_surprisal=6.0, sum_clipped_rank=29, tokens=20)
    assert both.rsr == pytest.approx(29 / 6)
    assert both.rsr != pytest.approx((one.rsr + other.rsr) / 2)


def test_students_and_dtypes_are_never_mixed_and_scores_must_be_there() -> None:
    for changes in ({"dtype": "bfloat16"}, {"model_digest": "n" * 64}):
        scores = [score("a"), score("b", **changes)]
        with pytest.raises(ConfigError, match="never compared"):
            candidates(VALID, scores, metric="rsr", seed=0)
        assert len(candidates(VALID, scores, metric="reward", seed=0)) == 3
    with pytest.raises(ConfigError, match="materialise trajectory_scores"):
        candidates(VALID, [], metric="nll", seed=0)
