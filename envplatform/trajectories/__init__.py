"""What happened in a rollout, as rows. Running one is `rollout`, judging it `grading`.

`record` is the trajectory; `validity` says which are fit for training, `selection`
which of those are kept. No torch: scores come in as stored sums.
"""

from envplatform.trajectories.claims import Claim, Claimed, compared, read_claims
from envplatform.trajectories.dispatches import Dispatch, dispatches_of
from envplatform.trajectories.limits import RolloutLimits
from envplatform.trajectories.record import (
    Ending,
    Score,
    Step,
    ToolOutcome,
    ToolProblem,
    Trajectory,
)
from envplatform.trajectories.users import UserMistake, UserTurn, WorkspacePatch

__all__ = [
    "Claim",
    "Claimed",
    "Dispatch",
    "Ending",
    "RolloutLimits",
    "Score",
    "Step",
    "ToolOutcome",
    "ToolProblem",
    "Trajectory",
    "UserMistake",
    "UserTurn",
    "WorkspacePatch",
    "compared",
    "dispatches_of",
    "read_claims",
]
