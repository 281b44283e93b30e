"""Rows about trajectories: the valid ones, the rejected with their reasons, the kept."""

from dataclasses import dataclass

from envplatform.trajectories.record import Trajectory
from envplatform.trajectories.selection import Arm, Chosen, Metric
from envplatform.trajectories.validity import Reason, Verdict

REJECTED = "rejected_trajectories"
"""Table of what is not valid, beside the asset `valid_trajectories`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidTrajectory:
    """One trajectory that is fit for training; the record itself is in `rollouts`."""

    trajectory_id: str
    batch: str
    """Partition of `rollouts` that holds it."""
    environment_id: str
    environment_digest: str
    harness: str
    policy: str
    seed: int
    reward: float
    turns: int
    tool_calls: int
    claims: int
    characters: int
    """Of the whole conversation: its length, where no student counted tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedTrajectory:
    """One trajectory that is not, and everything that is wrong with it."""

    trajectory_id: str
    batch: str
    policy: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedTrajectory:
    """One trajectory of an experiment's training set, or of its control."""

    trajectory_id: str
    batch: str
    arm: Arm
    """`control` is a draw by chance, as large, from the same bins."""
    metric: Metric
    """By which `selected` was chosen."""
    value: float
    """Of the metric; of the control its draw."""
    length: int
    bin: int
    """From 0, the shortest."""


def valid_row(trajectory: Trajectory, batch: str) -> ValidTrajectory:
    """Return the row of a valid trajectory."""
    calls = [call for step in trajectory.steps for call in step.message.tool_calls]
    return ValidTrajectory(
        trajectory_id=trajectory.trajectory_id,
        batch=batch,
        environment_id=trajectory.environment_id,
        environment_digest=trajectory.environment_digest,
        harness=trajectory.harness,
        policy=trajectory.policy,
        seed=trajectory.seed,
        reward=trajectory.reward or 0.0,
        turns=len(trajectory.steps),
        tool_calls=sum(len(step.outcomes) for step in trajectory.steps),
        claims=len(trajectory.claims),
        characters=sum(len(one.content) for one in trajectory.messages)
        + sum(len(call.name) + len(call.arguments) for call in calls),
    )


def rejected_row(
    trajectory: Trajectory, batch: str, verdict: Verdict
) -> RejectedTrajectory:
    """Return the row of one that is not."""
    return RejectedTrajectory(
        trajectory_id=trajectory.trajectory_id,
        batch=batch,
        policy=trajectory.policy,
        reasons=verdict.reasons,
    )


def selected_row(
    chosen: Chosen, *, batch: str, arm: Arm, metric: Metric
) -> SelectedTrajectory:
    """Return the row of a trajectory that is kept."""
    return SelectedTrajectory(
        trajectory_id=chosen.candidate.trajectory_id,
        batch=batch,
        arm=arm,
        metric=metric,
        value=chosen.candidate.value,
        length=chosen.candidate.length,
        bin=chosen.bin,
    )
