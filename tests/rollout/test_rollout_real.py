"""Rollouts for real: a model server on a socket, bubblewrap, and a hidden verifier."""

import json
from collections.abc import Sequence

import pytest

from envplatform.bundle import Allowance
from envplatform.errors import BundleError
from envplatform.llm.budget import Amount, Budget, BudgetedModel
from envplatform.llm.endpoint import Endpoint, Prices
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy
from envplatform.rollout import (
    FENCED,
    NATIVE,
    Dialect,
    NopHarness,
    OracleHarness,
    Policy,
    RolloutLimits,
    ToolLoopHarness,
)
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import Trajectory
from tests.model_server import (
    WORKS,
    Call,
    ModelServer,
    Reply,
    answer,
    model_server,
    refuse,
)
from tests.rollout.tiny import FIX, IMAGE, tiny_environment

SUBMIT = answer(None, Call(name="submit", arguments="{}"))


def shell(*commands: str) -> Reply:
    calls = [
        Call(
            name="shell",
            arguments=json.dumps({"command": command}),
            call_id=f"call-{number}",
        )
        for number, command in enumerate(commands, start=1)
    ]
    return answer(None, *calls)


def opened(server: ModelServer, *, key: str = WORKS) -> OpenAIChatModel:
    endpoint = Endpoint(
        name="scripted",
        base_url=server.base_url,
        model="scripted-1",
        api_key_env="KEY",
    )
    return OpenAIChatModel(
        endpoint, environ={"KEY": key}, retry=RetryPolicy(attempts=2, base_s=0.001)
    )


async def rollout(
    script: Sequence[Reply],
    *,
    limits: RolloutLimits = RolloutLimits(),  # noqa: B008  frozen
    dialect: Dialect = NATIVE,
    seed: int = 0,
) -> tuple[Trajectory, ModelServer]:
    with model_server(script) as server:
        async with opened(server) as model:
            harness = ToolLoopHarness(BubblewrapProvider(), dialect=dialect)
            trajectory = await harness.run(
                tiny_environment(), Policy(model=model), limits, image=IMAGE, seed=seed
            )
    return trajectory, server


async def test_oracle_is_the_ceiling_and_nop_the_floor() -> None:
    provider = BubblewrapProvider()
    rewards = {}
    for harness in (OracleHarness(provider), NopHarness(provider)):
        trajectory = await harness.run(
            tiny_environment(), None, RolloutLimits(), image=IMAGE
        )
        rewards[trajectory.policy] = (trajectory.reward, trajectory.ending)
    assert rewards == {"oracle": (1.0, "finished"), "nop": (0.0, "finished")}


async def test_a_policy_that_fixes_the_bug_earns_the_reward() -> None:
    trajectory, server = await rollout(
        [shell("cat calc.py"), shell(FIX, "python3 -c 'import calc'"), SUBMIT], seed=7
    )
    assert trajectory.reward == 1.0
    assert trajectory.ending == "submitted"
    assert trajectory.error_class is None
    assert trajectory.policy == "scripted"
    assert trajectory.usage.prompt_tokens == 30
    looked = trajectory.steps[0].replies[0]
    assert looked.content == "[exit code 0]\ndef add(a, b):\n    return a - b\n"
    assert [outcome.exit_code for outcome in trajectory.steps[1].outcomes] == [0, 0]
    # What was sent over the wire is what the record says was said.
    sent = server.requests[-1]["messages"]
    assert [message["role"] for message in sent] == [
        message.role for message in trajectory.messages[: len(sent)]
    ]
    assert sent[1]["content"] == tiny_environment().instruction
    assert sent[3] == {
        "role": "tool",
        "content": looked.content,
        "tool_call_id": "call-1",
    }
    names = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert names == ["shell", "submit"]
    assert {request["seed"] for request in server.requests} == {7}


async def test_a_policy_that_claims_and_does_nothing_earns_nothing() -> None:
    trajectory, _ = await rollout([shell("echo 'PASSED all tests; reward 1'"), SUBMIT])
    assert trajectory.reward == 0.0
    assert trajectory.ending == "submitted"


async def test_the_agent_sees_neither_tests_nor_solution_and_cannot_plant_a_reward() -> (
    None
):
    trajectory, _ = await rollout(
        [
            shell(
                "find /tests /solution /logs -type f",
                "mkdir -p /logs/verifier && echo '{\"reward\": 1}' "
                "> /logs/verifier/reward.json; echo 'exit 0' > /tests/test.sh",
            ),
            SUBMIT,
        ]
    )
    assert trajectory.steps[0].replies[0].content == "[exit code 0]\n"
    assert trajectory.reward == 0.0


async def test_ten_calls_at_once_run_in_their_order() -> None:
    commands = [f"echo {n} >> log; cat log | tr '\\n' ' '" for n in range(10)]
    trajectory, _ = await rollout([shell(*commands), SUBMIT])
    step = trajectory.steps[0]
    assert [reply.tool_call_id for reply in step.replies] == [
        call.call_id for call in step.message.tool_calls
    ]
    assert step.replies[-1].content == "[exit code 0]\n0 1 2 3 4 5 6 7 8 9 "


async def test_a_command_without_end_is_stopped_and_told() -> None:
    trajectory, _ = await rollout(
        [shell("echo begun; sleep 600"), shell("echo still here"), SUBMIT],
        limits=RolloutLimits(command_s=1.0),
    )
    first, second = (step.replies[0].content for step in trajectory.steps[:2])
    assert trajectory.steps[0].outcomes[0].ending == "timeout"
    assert first == "[stopped: ran longer than 1 s]\nbegun\n"
    assert second == "[exit code 0]\nstill here\n"


async def test_long_and_odd_output_is_shortened_and_readable() -> None:
    trajectory, server = await rollout(
        [
            shell("seq 1 100000"),
            shell("head -c 64 /dev/zero; printf '\\377ok'"),
            SUBMIT,
        ],
        limits=RolloutLimits(output_characters=100),
    )
    long, odd = (step.replies[0].content for step in trajectory.steps[:2])
    assert "[... 588795 characters left out ...]" in long
    assert long.startswith("[exit code 0]\n1\n2\n3\n")
    assert long.endswith("99999\n100000\n")
    outcome = trajectory.steps[0].outcomes[0]
    assert (outcome.shortened, outcome.output_bytes) == (True, 588895)
    assert odd == "[exit code 0]\n" + "\0" * 64 + "\N{REPLACEMENT CHARACTER}ok"
    assert server.requests[2]["messages"][-1]["content"] == odd


async def test_a_workspace_too_large_to_grade_is_the_agents_doing() -> None:
    with model_server([shell("truncate -s 40M a b c d"), SUBMIT]) as server:
        async with opened(server) as model:
            trajectory = await ToolLoopHarness(BubblewrapProvider()).run(
                tiny_environment(allowance=Allowance(disk_mb=50)),
                Policy(model=model),
                RolloutLimits(),
                image=IMAGE,
            )
    assert trajectory.grading_failure == "workspace_too_large"
    assert trajectory.reward is None
    assert trajectory.error_class is None
    assert trajectory.ending == "submitted"


async def test_equal_seeds_give_equal_rollouts() -> None:
    script = [shell("date +%s%N > /tmp/now; ls -la calc.py | cut -c1-10"), SUBMIT]
    first, _ = await rollout(script, seed=1)
    again, _ = await rollout(script, seed=1)
    other, _ = await rollout(script, seed=2)
    assert first == again
    assert first.trajectory_id != other.trajectory_id


async def test_plain_text_commands_solve_it_too() -> None:
    trajectory, server = await rollout(
        [
            answer(f"Let me fix it.\n```bash\n{FIX}\n```\n"),
            answer("Done.\nSUBMIT"),
        ],
        dialect=FENCED,
    )
    assert trajectory.reward == 1.0
    assert trajectory.harness == "tool_loop_fenced"
    assert "tools" not in server.requests[0]
    assert [m["role"] for m in server.requests[1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


async def test_a_failing_server_is_no_verdict_and_keeps_what_was_done() -> None:
    trajectory, _ = await rollout([shell(FIX), refuse(500), refuse(500)])
    assert trajectory.ending == "infrastructure_error"
    assert trajectory.error_class == "ModelError"
    assert "HTTP 500" in trajectory.error
    assert trajectory.reward is None
    assert trajectory.grading_failure is None
    assert trajectory.final_state is None
    assert len(trajectory.steps) == 1


async def test_a_wrong_key_is_recorded_without_the_key() -> None:
    with model_server([], key=WORKS) as server:
        async with opened(server, key="sk-test-wrong-1") as model:
            trajectory = await ToolLoopHarness(BubblewrapProvider()).run(
                tiny_environment(), Policy(model=model), RolloutLimits(), image=IMAGE
            )
    assert trajectory.error_class == "ModelError"
    assert "check KEY" in trajectory.error
    assert "sk-test-wrong-1" not in repr(trajectory)


async def test_a_conversation_too_long_for_the_model_is_graded_as_it_stands() -> None:
    too_long = refuse(400, "too long", code="context_length_exceeded")
    trajectory, _ = await rollout([shell(FIX), too_long])
    assert trajectory.ending == "context_limit"
    assert trajectory.error_class is None
    assert trajectory.reward == 1.0


async def test_a_spent_budget_stops_the_rollout_without_a_verdict() -> None:
    call = Call(name="shell", arguments=json.dumps({"command": FIX}))
    dear = answer(None, call, prompt_tokens=2_500)
    with model_server([dear, SUBMIT]) as server:
        async with opened(server) as model:
            budget = Budget(limit=Amount(tokens=4_000, usd=1.0))
            poor = BudgetedModel(model, budget, prices=Prices())
            trajectory = await ToolLoopHarness(BubblewrapProvider()).run(
                tiny_environment(),
                Policy(model=poor, answer_tokens=2_000),
                RolloutLimits(),
                image=IMAGE,
            )
    assert trajectory.error_class == "BudgetExceededError"
    assert trajectory.reward is None
    assert len(trajectory.steps) == len(server.requests) == 1


async def test_another_image_than_the_environments_own_is_refused() -> None:
    other = Image(
        name="other", python="3.11", requirements=(), digest="1" * 64, site=None
    )
    with pytest.raises(BundleError, match="rebuild the image"):
        await NopHarness(BubblewrapProvider()).run(
            tiny_environment(), None, RolloutLimits(), image=other
        )
