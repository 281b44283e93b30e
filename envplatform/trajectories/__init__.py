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
from envplatform.trajectories.replay import differences
from envplatform.trajectories.users import UserMistake, UserTurn, WorkspacePatch
from envplatform.trajectories.validity import (
    DIMENSIONS,
    Dimension,
    Funnel,
    Reason,
    Standards,
    Threshold,
    Verdict,
    faults,
    funnel,
    verdicts,
)

__all__ = [
    "DIMENSIONS",
    "Claim",
    "Claimed",
    "Dimension",
    "Dispatch",
    "Ending",
    "Funnel",
    "Reason",
    "RolloutLimits",
    "Score",
    "Standards",
    "Step",
    "Threshold",
    "ToolOutcome",
    "ToolProblem",
    "Trajectory",
    "UserMistake",
    "UserTurn",
    "Verdict",
    "WorkspacePatch",
    "compared",
    "differences",
    "dispatches_of",
    "faults",
    "funnel",
    "read_claims",
    "verdicts",
]
