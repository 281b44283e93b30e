"""Arms of an experiment held against each other: the same tasks, protocol and seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from envplatform.errors import StoreError
from envplatform.evaluation.attempts import Attempt, RolloutRecord, SetAside, Sorting
from envplatform.evaluation.compared import ComparedRow, compared_rows
from envplatform.evaluation.contrast import paired_attempts
from envplatform.evaluation.tasks import Task
from envplatform.trajectories import Trajectory

REVISION = 1
TaskSet = Literal["asked", "retained"]
"""The tasks that answer the experiment's question; a benchmark that must be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRollout:
    """One rollout of an arm."""

    arm: str
    tasks: TaskSet
    model_digest: str
    """Of the base and the checkpoint that acted."""
    trajectory: Trajectory

    @property
    def record(self) -> RolloutRecord:
        """What of it counts."""
        named = {
            field.name: getattr(self.trajectory, field.name)
            for field in fields(RolloutRecord)
        }
        return RolloutRecord(**named)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmComparison:
    """One arm held against another over some tasks."""

    arm: str
    against: str
    tasks: TaskSet
    compared: ComparedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is compared, and how."""

    pairs: Sequence[tuple[str, str]]
    """Arm, and the arm that it is held against."""
    reward: float
    """From which on a task is solved."""
    seed: int
    draws: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """What came of it."""

    rows: tuple[ArmComparison, ...]
    aside: tuple[SetAside, ...]
    """Rollouts that say nothing of their arm."""


def compared_arms(
    records: Iterable[tuple[str, TaskSet, RolloutRecord]],
    tasks: Mapping[str, Task],
    asked: Asked,
) -> Comparisons:
    """Hold arms against each other, set of tasks by set of tasks.

    `records`: arm, set of tasks, rollout.

    Raises:
        StoreError: two arms have no task with one seed in common.
    """
    writers = {name: task.writers for name, task in tasks.items()}
    sorting = Sorting(writers=writers)
    sets: list[TaskSet] = []
    for arm, task_set, record in records:
        if task_set not in sets:
            sets.append(task_set)
        sorting.add(_batch(arm, task_set), [record])
    rows: list[ArmComparison] = []
    for task_set in sorted(sets):
        for arm, against in asked.pairs:
            before = _attempts(sorting, _batch(against, task_set))
            after = _attempts(sorting, _batch(arm, task_set))
            pairing = paired_attempts(before, after, tasks, "training")
            rows += [
                ArmComparison(arm=arm, against=against, tasks=task_set, compared=one)
                for one in compared_rows(
                    pairing.pairs,
                    kind="training",
                    reward=asked.reward,
                    seed=asked.seed,
                    draws=asked.draws,
                )
            ]
    return Comparisons(rows=tuple(rows), aside=tuple(sorting.aside))


def share_of_gain(
    rows: Iterable[ArmComparison], *, arm: str, teacher: str
) -> float | None:
    """Of what a teacher is better than the common control, the share that an arm has.

    None where the teacher is no better, or either was not compared with one arm.
    """
    whole = {
        one.arm: one
        for one in rows
        if one.tasks == "asked" and one.compared.by == "whole"
    }
    if arm not in whole or teacher not in whole:
        return None
    own, best = whole[arm], whole[teacher]
    if own.against != best.against or best.compared.difference <= 0:
        return None
    return own.compared.difference / best.compared.difference


def _batch(arm: str, task_set: TaskSet) -> str:
    return f"{arm} ({task_set})"


def _attempts(sorting: Sorting, batch: str) -> list[Attempt]:
    found = [one for one in sorting.attempts if one.batch == batch]
    if not found:
        msg = f"{batch} has no rollout that counts: see what was set aside, and why"
        raise StoreError(msg)
    return found
