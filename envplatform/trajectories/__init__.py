"""What happened in a rollout, as rows. Running one is `rollout`, judging it `grading`.

`record` is the trajectory; `validity` says which are fit for training, `selection`
which of those are kept. No torch: scores come in as stored sums.
"""

from envplatform.trajectories.claims import Claim, Claimed, compared, read_claims
from envplatform.trajectories.dispatches import Dispatch, dispatches_of
from envplatform.trajectories.limits import RolloutLimits
from envplatform.trajectories.record import (
    Ending,
    FileChange,
    Judged,
    OfferedTool,
    Score,
    Step,
    ToolOutcome,
    ToolProblem,
    Trajectory,
)
from envplatform.trajectories.replay import differences
from envplatform.trajectories.scores import TrajectoryScore
from envplatform.trajectories.selection import (
    METRICS,
    Arm,
    Candidate,
    Chosen,
    Cut,
    Metric,
    Overlap,
    candidates,
    control,
    overlap,
    select,
)
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
    "METRICS",
    "Arm",
    "Candidate",
    "Chosen",
    "Claim",
    "Claimed",
    "Cut",
    "Dimension",
    "Dispatch",
    "Ending",
    "FileChange",
    "Funnel",
    "Judged",
    "Metric",
    "OfferedTool",
    "Overlap",
    "Reason",
    "RolloutLimits",
    "Score",
    "Standards",
    "Step",
    "Threshold",
    "ToolOutcome",
    "ToolProblem",
    "Trajectory",
    "TrajectoryScore",
    "UserMistake",
    "UserTurn",
    "Verdict",
    "WorkspacePatch",
    "candidates",
    "compared",
    "control",
    "differences",
    "dispatches_of",
    "faults",
    "funnel",
    "overlap",
    "read_claims",
    "select",
    "verdicts",
]
