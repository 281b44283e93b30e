"""Paired differences: what holds of any scores, and how often an interval holds the truth."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.evaluation.paired import paired_difference

SCORES = st.floats(min_value=0, max_value=1)
TASKS = st.lists(
    st.tuples(
        st.lists(SCORES, min_size=1, max_size=3),
        st.lists(SCORES, min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=12,
)
DRAWS = 200
Pairs = list[tuple[list[float], list[float]]]


def sides(tasks: Pairs) -> tuple[list[list[float]], list[list[float]]]:
    return [one for one, _ in tasks], [other for _, other in tasks]


@given(TASKS, st.integers(0, 9))
def test_an_interval_holds_its_mean_and_lies_within_what_tasks_differ(
    tasks: Pairs, seed: int
) -> None:
    found = paired_difference(*sides(tasks), seed=seed, draws=DRAWS)
    assert found is not None
    assert found.low <= found.mean <= found.high
    differences = [
        sum(more) / len(more) - sum(less) / len(less) for less, more in tasks
    ]
    assert min(differences) - 1e-9 <= found.low
    assert found.high <= max(differences) + 1e-9
    assert found.mean == pytest.approx(sum(differences) / len(tasks))
    assert found.tasks == len(tasks)
    assert found == paired_difference(*sides(tasks), seed=seed, draws=DRAWS)


@given(TASKS)
def test_the_other_way_round_it_is_the_negative(tasks: Pairs) -> None:
    before, after = sides(tasks)
    found = paired_difference(before, after, draws=DRAWS)
    turned = paired_difference(after, before, draws=DRAWS)
    assert found is not None
    assert turned is not None
    assert turned.mean == pytest.approx(-found.mean)
    assert turned.low == pytest.approx(-found.high)
    assert turned.high == pytest.approx(-found.low)


@given(TASKS, st.integers(2, 4))
def test_the_same_attempt_made_often_counts_once(tasks: Pairs, times: int) -> None:
    """Attempts are no tasks: repeating them makes nothing surer."""
    before, after = sides(tasks)
    once = paired_difference(before, after, draws=DRAWS)
    often = paired_difference([one * times for one in before], after, draws=DRAWS)
    assert once is not None
    assert often is not None
    assert (often.low, often.high) == pytest.approx((once.low, once.high))


def test_tasks_that_all_differ_alike_leave_no_doubt() -> None:
    found = paired_difference([[0.0], [0.5], [0.25]], [[0.5], [1.0], [0.75]])
    assert found is not None
    assert (found.low, found.mean, found.high) == (0.5, 0.5, 0.5)


def test_most_intervals_hold_the_truth() -> None:
    """Of 200 samples of 30 tasks that score 0.1 less on average, about 95 % do."""
    random, held = Random(7), 0  # noqa: S311  samples, no secrets
    for seed in range(200):
        before = [[float(random.random() < 0.6)] for _ in range(30)]
        after = [
            [one[0] if random.random() < 0.5 else 1.0 - one[0]] for one in before
        ]  # a coin of 0.6 that is turned half the time is one of 0.5
        found = paired_difference(before, after, seed=seed, draws=400)
        assert found is not None
        held += found.low <= -0.1 <= found.high
    assert 0.88 <= held / 200 <= 0.99


def test_nothing_says_nothing_and_unequal_tasks_are_refused() -> None:
    assert paired_difference([], []) is None
    with pytest.raises(ValueError, match="1 tasks before, 2 after"):
        paired_difference([[1.0]], [[1.0], [0.0]])
    with pytest.raises(ValueError, match=r"task 1 .* no attempt"):
        paired_difference([[1.0], []], [[1.0], [0.0]])
