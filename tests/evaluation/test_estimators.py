"""Pass@k and Pass^k against counting every draw."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.evaluation.estimators import pass_at_k, pass_hat_k


@given(data=st.data(), attempts=st.integers(min_value=1, max_value=9))
def test_both_are_shares_of_all_draws(data: st.DataObject, attempts: int) -> None:
    solved = data.draw(st.integers(min_value=0, max_value=attempts))
    k = data.draw(st.integers(min_value=1, max_value=attempts))
    draws = list(combinations([n < solved for n in range(attempts)], k))
    assert pass_at_k(attempts, solved, k) == pytest.approx(
        sum(any(one) for one in draws) / len(draws)
    )
    assert pass_hat_k(attempts, solved, k) == pytest.approx(
        sum(all(one) for one in draws) / len(draws)
    )


def test_with_one_attempt_each_all_three_are_the_share_solved() -> None:
    for solved in (0, 2, 5):
        assert pass_at_k(5, solved, 1) == pytest.approx(solved / 5)
        assert pass_hat_k(5, solved, 1) == pytest.approx(solved / 5)


@pytest.mark.parametrize(
    ("attempts", "solved", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (3, -1, 1)]
)
def test_there_is_no_estimate_of_what_was_not_tried(
    attempts: int, solved: int, k: int
) -> None:
    for estimate in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match=r"no estimate|no counts"):
            estimate(attempts, solved, k)
