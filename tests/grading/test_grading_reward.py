"""reward.json comes from next to untrusted code: nothing about it is taken on trust."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.grading.reward import MAX_REWARD_BYTES, RewardError, parse_reward


@given(
    scores=st.dictionaries(st.text(), st.floats(0, 1) | st.sampled_from([0, 1])),
)
def test_scores_of_the_promised_criteria_are_taken(scores: dict[str, float]) -> None:
    parsed = parse_reward(json.dumps(scores).encode(), tuple(scores))
    assert parsed == scores
    assert all(type(score) is float for score in parsed.values())


@given(data=st.binary(max_size=60))
def test_any_bytes_are_either_scores_or_a_reward_error(data: bytes) -> None:
    try:
        parsed = parse_reward(data, ("reward",))
    except RewardError:
        return
    assert set(parsed) == {"reward"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a JSON object"),
        (b"1", "object is needed"),
        (b"[1]", "object is needed"),
        (b"{}", "keys"),
        (b'{"reward": 1, "more": 1}', "keys"),
        (b'{"Reward": 1}', "keys"),
        (b'{"reward": 0, "reward": 1}', "occurs twice"),
        (b'{"reward": "1"}', "not a number"),
        (b'{"reward": true}', "not a number"),
        (b'{"reward": null}', "not a number"),
        (b'{"reward": NaN}', "not a number"),
        (b'{"reward": 1e999}', "outside"),
        (b'{"reward": 1.01}', "outside"),
        (b'{"reward": -0.1}', "outside"),
        (b'{"reward": ' + b"1" * 5000 + b"}", "not a JSON object"),
        (b'{"reward": 1}' + b" " * MAX_REWARD_BYTES, "longer than"),
        (b"\xff", "not a JSON object"),
    ],
)
def test_what_is_not_promised_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(RewardError, match=reason):
        parse_reward(data, ("reward",))
