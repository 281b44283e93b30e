"""reward.json, parsed with distrust: it was written next to code of strangers."""

from collections.abc import Mapping, Sequence

from envplatform.bundle import records
from envplatform.errors import BundleError

MAX_REWARD_BYTES = 65_536


class RewardError(ValueError):
    """reward.json is not what its environment promises; the message says how."""


def parse_reward(data: bytes, criteria: Sequence[str]) -> Mapping[str, float]:
    """Scores by criterion, in the order of `criteria`.

    Raises:
        RewardError: too large, no JSON object, other keys than `criteria`, or a
            value that is not a number from 0 to 1.
    """
    if len(data) > MAX_REWARD_BYTES:
        msg = f"longer than {MAX_REWARD_BYTES} bytes"
        raise RewardError(msg)
    try:
        scores = records.load(data, "reward.json")
    except BundleError as error:
        raise RewardError(str(error)) from error
    if scores.keys() != set(criteria):
        msg = f"keys {sorted(scores)[:20]} instead of {sorted(criteria)}"
        raise RewardError(msg)
    return {name: _score(name, scores[name]) for name in criteria}


def _score(name: str, value: records.Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} is {type(value).__name__}, not a number"
        raise RewardError(msg)
    if not 0 <= value <= 1:
        msg = f"{name} is outside 0..1"
        raise RewardError(msg)
    return float(value)
