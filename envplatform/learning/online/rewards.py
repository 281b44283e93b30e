"""The one reward: what code verifies and what a judge says, both or nothing.

A weighted geometric mean, so that neither can make up for the other: where one is zero
the reward is. Loads no torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean

from envplatform.errors import StudentError
from envplatform.trajectories import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the verifiers said of one play."""

    code: float | None
    """0 to 1; None where nothing is known, which is not the policy's doing."""
    judge: float | None = None
    """0 to 1; None where no judge was asked, and the code's verdict is the whole."""

    def reward(self, code_weight: float = 0.5) -> float | None:
        """code^w * judge^(1-w); None where nothing is known.

        Raises:
            StudentError: a score is no number of 0 to 1, or the weight is not between.
        """
        if not 0 < code_weight < 1:
            msg = f"code_weight is {code_weight}, and must lie between 0 and 1"
            raise StudentError(msg)
        for name, score in (("code", self.code), ("judge", self.judge)):
            if score is not None and not (isfinite(score) and 0 <= score <= 1):
                msg = f"the verifier {name!r} gave {score}, no number of 0 to 1"
                raise StudentError(msg)
        if self.code is None or self.judge is None:
            return self.code
        if not self.code or not self.judge:
            return 0.0
        return float(self.code**code_weight * self.judge ** (1 - code_weight))


def verdict_of(trajectory: Trajectory | None) -> Verdict:
    """Read a record's verdict; one that gave none for the agent's own doing counts 0.

    An infrastructure error says nothing, and neither does what could not be played.
    """
    if trajectory is None or trajectory.error_class is not None:
        return Verdict(code=None)
    judged = trajectory.judged
    if judged is None or judged.score is None:
        return Verdict(code=trajectory.reward or 0.0)
    return Verdict(code=judged.code or 0.0, judge=judged.score)


def components(verdicts: Sequence[Verdict], code_weight: float) -> dict[str, float]:
    """Means of a batch by name, for the log; those of which nothing is known left out."""
    columns = {
        "reward": [one.reward(code_weight) for one in verdicts],
        "code": [one.code for one in verdicts],
        "judge": [one.judge for one in verdicts],
    }
    means = {
        f"verifiers/{name}": fmean(known)
        for name, column in columns.items()
        if (known := [one for one in column if one is not None])
    }
    lost = sum(one.code is None for one in verdicts)
    return {**means, "verifiers/unknown": float(lost)}
