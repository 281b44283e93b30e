"""What counts as an attempt, and what says nothing of its solver."""

import math
from typing import Any

import pytest

from envplatform.errors import ConfigError
from envplatform.evaluation.attempts import UNSOUND, Sorting
from envplatform.trajectories.users import UserMistake
from tests.evaluation.made_attempts import attempt, rollout

SPOILT = UserMistake(kind="k", severity="major", turn=1, detail="d")
SLIGHT = UserMistake(kind="k", severity="minor", turn=1, detail="d")


def sorted_one(**changes: Any) -> Sorting:  # noqa: ANN401  fields of any type
    sorting = Sorting(writers={"d": ("author",)})
    sorting.add("b", [rollout(**changes)])
    return sorting


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"error_class": "SandboxError", "reward": None}, "infrastructure_error"),
        ({"ending": "infrastructure_error", "reward": 1.0}, "infrastructure_error"),
        ({"reward": None, "grading_failure": "reward_missing"}, "ungraded"),
        ({"reward": None}, "ungraded"),
        ({"reward": math.nan}, "bad_reward"),
        ({"reward": math.inf}, "bad_reward"),
        ({"reward": 1.5}, "bad_reward"),
        ({"reward": -0.1}, "bad_reward"),
        ({"user_mistakes": (SPOILT,)}, "user_mistake"),
        ({"policy": "Author"}, "solver_is_writer"),
        ({"writers": ("m",)}, "solver_is_writer"),
        ({"environment_digest": "gone"}, "unknown_task"),
    ],
)
def test_what_says_nothing_is_set_aside(changes: dict[str, Any], reason: str) -> None:
    sorting = sorted_one(**changes)
    assert sorting.attempts == []
    assert [one.reason for one in sorting.aside] == [reason]


@pytest.mark.parametrize(
    ("changes", "reward"),
    [
        ({}, 1.0),
        ({"reward": 0.25, "ending": "turn_limit"}, 0.25),
        ({"user_mistakes": (SLIGHT,)}, 1.0),
        ({"reward": None, "grading_failure": "workspace_too_large"}, 0.0),
        ({"reward": None, "grading_failure": "verifier_timeout"}, 0.0),
    ],
)
def test_what_the_solver_brought_about_counts(
    changes: dict[str, Any], reward: float
) -> None:
    (one,) = sorted_one(**changes).attempts
    assert (one.reward, one.tokens, one.usd, one.seconds) == (reward, 10, 0.5, 2.0)
    assert one.writers == ("author",)


def test_one_bad_rollout_costs_no_other() -> None:
    sorting = Sorting(writers={"d": ()})
    rewards = (1.0, math.nan, 0.0)
    sorting.add("b", [rollout(f"t{n}", reward=r) for n, r in enumerate(rewards)])
    assert [one.trajectory_id for one in sorting.attempts] == ["t0", "t2"]
    assert {one.reason for one in sorting.aside} <= UNSOUND


def test_a_record_counts_once_a_batch() -> None:
    """Two batches may try the same task with the same seed, under other limits."""
    sorting = Sorting(writers={"d": ()})
    sorting.add("b", [rollout(), rollout()])
    sorting.add("c", [rollout()])
    assert [one.batch for one in sorting.attempts] == ["b", "c"]
    assert [one.reason for one in sorting.aside] == ["duplicate"]


@pytest.mark.parametrize("reward", [math.nan, math.inf, -1.0, 1.01])
def test_no_attempt_has_a_reward_that_is_none(reward: float) -> None:
    with pytest.raises(ConfigError, match=r"d\.0: its reward .* is no number"):
        attempt("d", 0, reward)


def test_no_attempt_is_by_who_wrote_its_task() -> None:
    """By schema: there is no way to make such a value."""
    with pytest.raises(ConfigError, match="name another model"):
        attempt("d", 0, 1.0, writers=("x", "M"))
