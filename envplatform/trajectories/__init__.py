"""What happened in a rollout, as rows. Running one is `rollout`, judging it `grading`."""

from envplatform.trajectories.record import (
    Ending,
    Score,
    Step,
    ToolOutcome,
    ToolProblem,
    Trajectory,
    UserMistake,
    UserTurn,
)

__all__ = [
    "Ending",
    "Score",
    "Step",
    "ToolOutcome",
    "ToolProblem",
    "Trajectory",
    "UserMistake",
    "UserTurn",
]
