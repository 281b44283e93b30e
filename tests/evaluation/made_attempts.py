"""Attempts at tasks that nobody made, and the rollouts that they are read from."""

from dataclasses import replace
from typing import Any

from envplatform.evaluation.attempts import Attempt, RolloutRecord
from envplatform.evaluation.tasks import Task
from envplatform.llm.chat import Usage


def attempt(task: str, seed: int, reward: float, **changes: Any) -> Attempt:  # noqa: ANN401  fields of any type
    """An attempt by the model `m`."""
    made = Attempt(
        trajectory_id=f"{task}.{seed}",
        task=task,
        seed=seed,
        reward=reward,
        tokens=10,
        usd=0.5,
        seconds=2.0,
        batch="b",
        harness="tool_loop",
        policy="m",
    )
    return replace(made, **changes)


def task(name: str, **changes: Any) -> Task:  # noqa: ANN401  fields of any type
    """A root of its own lineage."""
    made = Task(
        task=name,
        environment_id=f"environment-{name}",
        pillar="swe",
        scenario="none",
        lineage=name,
        parent="",
        depth=0,
        writers=(),
    )
    return replace(made, **changes)


def tasks(*made: Task) -> dict[str, Task]:
    """Them by digest."""
    return {one.task: one for one in made}


def rollout(trajectory_id: str = "t", **changes: Any) -> RolloutRecord:  # noqa: ANN401  fields of any type
    """A rollout of the model `m` that solved the task `d`."""
    made = RolloutRecord(
        trajectory_id=trajectory_id,
        environment_id="environment-d",
        environment_digest="d",
        harness="tool_loop",
        policy="m",
        seed=0,
        ending="submitted",
        reward=1.0,
        usage=Usage(prompt_tokens=7, completion_tokens=3, usd=0.5),
        agent_seconds=1.5,
        grading_seconds=0.5,
    )
    return replace(made, **changes)
