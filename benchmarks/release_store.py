"""The made-up store of `benchmarks.release`: environments and rollouts of ordinary size."""

import random
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from envplatform.bundle import (
    Core,
    Environment,
    ImageReference,
    Lineage,
    core_digest,
    write_environment,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.store import Origin, Store
from envplatform.trajectories import Step, ToolOutcome, Trajectory
from envplatform.trajectories.rows import SelectedTrajectory
from envplatform.tree import File, tree_digest

_ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
_FILES, _WORDS, _STEPS, _SAID = 20, 600, 12, 150
_FAMILIES = 40
_VOCABULARY = 4_000


def fill(store: Store, environments: int, trajectories: int) -> None:
    """Write environments, a batch of rollouts in them, and a selection of all."""
    chance = random.Random(0)  # noqa: S311  no secret
    rows = [_kept(store, number, chance) for number in range(environments)]
    store.write_rows(
        "cowork_environments",
        rows,
        row_type=EnvironmentRow,
        partition="0",
        origin=_ORIGIN,
    )
    played = [
        _played(number, rows[number % len(rows)], chance)
        for number in range(trajectories)
    ]
    store.write_rows(
        "rollouts", played, row_type=Trajectory, partition="b", origin=_ORIGIN
    )
    chosen = [
        SelectedTrajectory(
            trajectory_id=one.trajectory_id,
            batch="b",
            arm="selected",
            metric="reward",
            value=1.0,
            length=1,
            bin=0,
        )
        for one in played
    ]
    store.write_rows(
        "selected_trajectories",
        chosen,
        row_type=SelectedTrajectory,
        partition="e",
        origin=_ORIGIN,
    )


def _text(chance: random.Random, words: int) -> str:
    return " ".join(f"w{chance.randrange(_VOCABULARY)}" for _ in range(words))


def _kept(store: Store, number: int, chance: random.Random) -> EnvironmentRow:
    workspace = {
        f"folder/{name}.txt": File(_text(chance, _WORDS).encode())
        for name in range(_FILES)
    }
    tests = {"test.sh": File(b"#!/bin/sh\n", executable=True)}
    goal = _text(chance, _SAID) + "\n"
    made = Environment(
        environment_id=f"made-{number}",
        pillar="cowork",
        instruction=goal,
        workspace=workspace,
        tests=tests,
        solution={"solve.sh": File(b"#!/bin/sh\n", executable=True)},
        image=ImageReference(
            name="bare", python="3.11", requirements=(), digest="0" * 64
        ),
        core=Core(
            goal=goal,
            facts={},
            grader_digest=tree_digest(tests),
            observables=("file:/workspace/**",),
            frozen={},
        ),
        lineage=Lineage(producer="benchmark", seed=number),
    )
    with tempfile.TemporaryDirectory() as scratch:
        digest = write_environment(made, Path(scratch, "one"))
        store.put_directory("environments", digest, Path(scratch, "one"))
    return EnvironmentRow(
        environment_id=made.environment_id,
        digest=digest,
        core_digest=core_digest(made.core),
        pillar="cowork",
        repository="",
        candidate_id=made.environment_id,
        inducer="benchmark",
        operator="",
        licence="MIT",
        image_digest=made.image.digest,
        python="3.11",
        fail_to_pass=0,
        pass_to_pass=0,
        issue_writer="",
        checks=("oracle_max=passed",),
        tokens=0,
        gated=True,
        sandbox="none",
        seconds=0.0,
        family=f"family{number % _FAMILIES}",
    )


def _played(number: int, row: EnvironmentRow, chance: random.Random) -> Trajectory:
    steps = []
    for step in range(_STEPS):
        name = f"c{step}"
        call = ToolCall(call_id=name, name="shell", arguments='{"command": "ls"}')
        said = Message(
            role="assistant", content=_text(chance, _SAID), tool_calls=(call,)
        )
        heard = Message(role="tool", content=_text(chance, _SAID), tool_call_id=name)
        steps.append(
            Step(
                message=said,
                finish_reason="tool_calls",
                outcomes=(ToolOutcome(call_id=name, tool="shell", exit_code=0),),
                replies=(heard,),
                usage=Usage(prompt_tokens=100, completion_tokens=50),
            )
        )
    return Trajectory(
        trajectory_id=f"t{number}",
        environment_id=row.environment_id,
        environment_digest=row.digest,
        harness="tool_loop",
        policy="made",
        seed=number,
        sandbox="none",
        prompt=(Message(role="user", content="Begin."),),
        steps=tuple(steps),
        ending="submitted",
        final_state=None,
        reward=1.0,
        usage=Usage(prompt_tokens=1200, completion_tokens=600),
    )
