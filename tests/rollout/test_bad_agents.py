"""Agents that write without end, flood, call what is not there or say nothing at all.

Over HTTP and in real sandboxes: each ends in a record, and is graded as it stands.
"""

import json
from collections.abc import Callable, Sequence

from envplatform.bundle import Allowance
from envplatform.llm.endpoint import Endpoint
from envplatform.llm.openai_model import OpenAIChatModel
from envplatform.llm.retry import RetryPolicy
from envplatform.rollout import Policy, RolloutLimits, ToolLoopHarness
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import Standards, Trajectory, faults
from tests.model_server import Call, Reply, Request, answer, model_server, raw
from tests.rollout.tiny import FIX, IMAGE, tiny_environment

SUBMIT = answer(None, Call(name="submit", arguments="{}"))
SMALL = Allowance(disk_mb=32)


def shell(*commands: str) -> Reply:
    calls = [
        Call(
            name="shell",
            arguments=json.dumps({"command": one}),
            call_id=f"call-{number}",
        )
        for number, one in enumerate(commands)
    ]
    return answer(None, *calls)


async def rollout(
    provider: BubblewrapProvider,
    script: Sequence[Reply] | Callable[[Request], Reply],
    limits: RolloutLimits = RolloutLimits(),  # noqa: B008  frozen
) -> Trajectory:
    with model_server(script) as server:
        endpoint = Endpoint(
            name="s", base_url=server.base_url, model="s", api_key_env="KEY"
        )
        retry = RetryPolicy(attempts=1)
        environ = {"KEY": "none"}
        async with OpenAIChatModel(endpoint, environ=environ, retry=retry) as model:
            return await ToolLoopHarness(provider).run(
                tiny_environment(allowance=SMALL),
                Policy(model=model),
                limits,
                image=IMAGE,
            )


async def test_ten_gigabytes_end_at_the_disk_limit(
    bubblewrap: BubblewrapProvider,
) -> None:
    script = [shell("head -c 10G /dev/zero > big"), shell("rm -f big", FIX), SUBMIT]
    found = await rollout(bubblewrap, script)
    (first,) = found.steps[0].outcomes
    assert first.ending == "disk_limit"
    assert "disk limit" in found.steps[0].replies[0].content
    assert found.error_class is None
    assert (found.ending, found.reward) == ("submitted", 1.0)


async def test_what_is_left_too_large_is_the_agents_doing(
    bubblewrap: BubblewrapProvider,
) -> None:
    left = "for n in $(seq 20); do head -c 2M /dev/zero > /workspace/$n; done"
    found = await rollout(bubblewrap, [shell(FIX, left), SUBMIT])
    assert found.error_class is None
    assert found.reward in (None, 1.0)
    assert found.steps[0].outcomes[1].ending == "disk_limit"


async def test_a_flood_is_cut_and_ends_at_the_output_limit(
    bubblewrap: BubblewrapProvider,
) -> None:
    flood = "head -c 50M /dev/zero | tr '\\0' x"
    found = await rollout(
        bubblewrap,
        [shell(flood, flood, flood), SUBMIT],
        RolloutLimits(output_bytes=1_500_000),
    )
    assert found.ending == "output_limit"
    problems = [one.problem for one in found.steps[0].outcomes]
    assert problems == [None, None, "limit_reached"]
    assert all(one.output_bytes <= 1_000_000 for one in found.steps[0].outcomes)
    assert len(found.steps[0].replies[0].content) < 11_000
    assert found.reward == 0.0


async def test_an_agent_that_never_stops_is_stopped(
    bubblewrap: BubblewrapProvider,
) -> None:
    found = await rollout(bubblewrap, lambda _: shell(FIX), RolloutLimits(turns=4))
    assert (found.ending, len(found.steps), found.reward) == ("turn_limit", 4, 1.0)
    assert set(faults(found, Standards())) == {"not_submitted"}


async def test_ten_calls_of_which_none_exists_are_each_answered(
    bubblewrap: BubblewrapProvider,
) -> None:
    calls = [Call(name=f"tool{n}", arguments="{}", call_id=f"c{n}") for n in range(10)]
    found = await rollout(bubblewrap, [answer(None, *calls), SUBMIT])
    assert [one.problem for one in found.steps[0].outcomes] == ["unknown_tool"] * 10
    assert [one.tool_call_id for one in found.steps[0].replies] == [
        f"c{n}" for n in range(10)
    ]
    reasons = set(faults(found, Standards()))
    assert reasons == {"unknown_tool", "low_reward", "gave_up_on_error"}


async def test_an_empty_answer_is_nudged(bubblewrap: BubblewrapProvider) -> None:
    found = await rollout(bubblewrap, [answer(None), answer(""), shell(FIX), SUBMIT])
    assert found.steps[0].message.content == ""
    assert "no tool" in found.steps[1].replies[0].content
    assert (found.ending, found.reward) == ("submitted", 1.0)


async def test_an_answer_without_a_choice_says_nothing_of_the_agent(
    bubblewrap: BubblewrapProvider,
) -> None:
    found = await rollout(bubblewrap, [shell(FIX), raw('{"choices": []}')])
    assert (found.ending, found.error_class) == (
        "infrastructure_error",
        "ModelAnswerError",
    )
    assert found.reward is None
    assert list(faults(found, Standards())) == ["infrastructure_error"]
