"""A trajectory is a row: it can be stored, read back whole, and compared without time."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from envplatform.errors import BundleError, ConfigError
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.store import Origin, Recipe, Store
from envplatform.trajectories import (
    Claim,
    Dispatch,
    RolloutLimits,
    Score,
    Step,
    ToolOutcome,
    Trajectory,
    UserTurn,
    WorkspacePatch,
    dispatches_of,
)

ORIGIN = Origin(
    created=datetime(2026, 3, 1, tzinfo=UTC),
    recipe=Recipe(inputs=(), revision=1, config_digest="c"),
)
CALL = ToolCall(call_id="1", name="shell", arguments='{"command": "ls"}')
STEP = Step(
    message=Message(role="assistant", content="", tool_calls=(CALL,)),
    finish_reason="tool_calls",
    outcomes=(
        ToolOutcome(
            call_id="1", tool="shell", ending="exited", exit_code=0, seconds=0.25
        ),
    ),
    replies=(Message(role="tool", content="\0 ünï \n", tool_call_id="1"),),
    usage=Usage(prompt_tokens=3, completion_tokens=2, usd=0.5),
    seconds=1.5,
)
TRAJECTORY = Trajectory(
    trajectory_id="abc.tool_loop.m.0",
    environment_id="tiny",
    environment_digest="a" * 64,
    harness="tool_loop",
    policy="m",
    seed=0,
    sandbox="bubblewrap 0.8.0",
    prompt=(Message(role="user", content="fix it"),),
    steps=(STEP,),
    ending="submitted",
    final_state="b" * 64,
    reward=1.0,
    usage=STEP.usage,
    scores=(Score(criterion="reward", score=1.0),),
    user_turns=(
        UserTurn(
            number=1,
            agent="read",
            user="replaced",
            signal="replace",
            due=("replace",),
            changed=True,
            is_over=False,
            patches=(
                WorkspacePatch(path="a.csv", action="overwrite", names=("table",)),
            ),
        ),
    ),
    dispatches=(
        Dispatch(
            number=1,
            by="agent",
            operation="read",
            arguments='{"name": "table"}',
            error=None,
            reply_sha256="c" * 64,
            reply_bytes=9,
        ),
    ),
    claims=(Claim(path="a", field="/b", value="1", found=None, holds=False),),
    writers=("w",),
    limits=RolloutLimits(),
    agent_seconds=2.0,
    grading_seconds=3.0,
)
UNSCORED = replace(
    TRAJECTORY,
    trajectory_id="abc.tool_loop.m.1",
    steps=(),
    ending="infrastructure_error",
    final_state=None,
    reward=None,
    scores=(),
    error_class="SandboxError",
    error="gone",
)
SLOWER = replace(
    TRAJECTORY,
    steps=(replace(STEP, seconds=9.0),),
    agent_seconds=9.0,
    grading_seconds=9.0,
)


def test_the_conversation_is_in_its_order() -> None:
    assert TRAJECTORY.messages == (*TRAJECTORY.prompt, STEP.message, *STEP.replies)


def test_time_makes_no_difference() -> None:
    assert SLOWER == TRAJECTORY
    assert replace(TRAJECTORY, reward=0.0) != TRAJECTORY


def test_a_trajectory_comes_back_from_the_store_whole(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [TRAJECTORY, UNSCORED]
    store.write_rows("rollouts", rows, row_type=Trajectory, origin=ORIGIN)
    back = store.rows(Trajectory, "rollouts")
    assert back == rows
    # Equality leaves time out; it is stored all the same.
    assert back[0].steps[0].seconds == 1.5
    assert back[0].agent_seconds == 2.0


def test_time_is_no_part_of_a_tables_digest(tmp_path: Path) -> None:
    digests = {
        Store(tmp_path / str(number))
        .write_rows("rollouts", [row], row_type=Trajectory, origin=ORIGIN)
        .digest
        for number, row in enumerate([TRAJECTORY, SLOWER])
    }
    assert len(digests) == 1


@pytest.mark.parametrize("writer", ["m", "M"])
def test_a_policy_that_wrote_the_task_makes_no_record(writer: str) -> None:
    with pytest.raises(ConfigError, match="name another model"):
        replace(TRAJECTORY, writers=("other", writer))


@pytest.mark.parametrize(
    "line", [b"[]", b"no", b'{"n": 1}', b'{"n":1,"by":"agent","op":"x","args":3}']
)
def test_a_line_that_is_no_dispatch_is_named(line: bytes) -> None:
    with pytest.raises(BundleError, match="line 1 of the dispatch log"):
        dispatches_of(line + b"\n")
