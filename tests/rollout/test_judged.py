"""Rewards where a task ships a rubric: with a judge, without one, with one that fails."""

import json
from dataclasses import replace

import pytest

from envplatform.bundle import Environment
from envplatform.errors import BundleError
from envplatform.interop.atif.write import atif_document
from envplatform.llm.chat import ChatModel
from envplatform.rollout import NopHarness, OracleHarness, RolloutLimits
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import Judged, Trajectory
from envplatform.tree import File, tree_digest
from tests.model_server import ModelServer, Reply, answer, model_server, refuse
from tests.rollout.test_rollout_real import opened
from tests.rollout.tiny import IMAGE, tiny_environment

RUBRIC = {
    "text": "The change is small.",
    "paths": ["calc.py"],
    "code_weight": 0.5,
    "votes": 1,
}
VOTE = answer('{"score": 0.25, "reason": "It is."}')


def rubric_task(rubric: object = RUBRIC) -> Environment:
    task = tiny_environment()
    tests = {**task.tests, "rubric.json": File(json.dumps(rubric).encode())}
    core = replace(task.core, grader_digest=tree_digest(tests))
    return replace(task, tests=tests, core=core)


async def rollout(judge: ChatModel | None = None) -> Trajectory:
    harness = OracleHarness(BubblewrapProvider())
    harness.judge = judge
    return await harness.run(rubric_task(), None, RolloutLimits(), image=IMAGE)


async def judged(*replies: Reply) -> tuple[Trajectory, ModelServer]:
    with model_server(replies) as server:
        async with opened(server) as judge:
            return await rollout(judge), server


async def test_the_judge_takes_part_in_the_reward() -> None:
    one, server = await judged(VOTE)
    assert one.reward == 0.5
    assert one.judged == Judged(code=1.0, score=0.25, judge="scripted")
    assert "return a + b" in server.requests[0]["messages"][1]["content"]
    told = atif_document(one)["extra"]
    assert isinstance(told, dict)
    assert told["judged"] == {
        "code": 1.0,
        "score": 0.25,
        "judge": "scripted",
        "why_none": "",
    }


async def test_without_a_judge_code_alone_counts_and_it_is_said() -> None:
    one = await rollout()
    assert one.reward == 1.0
    assert one.judged == Judged(
        code=1.0, score=None, judge="none", why_none="no model is configured as a judge"
    )


async def test_a_judge_that_fails_is_no_verdict() -> None:
    one, _ = await judged(*[refuse(500)] * 3)
    assert (one.reward, one.error_class) == (None, "ModelError")


async def test_where_code_gives_nothing_no_judge_is_asked() -> None:
    harness = NopHarness(BubblewrapProvider())
    with model_server([]) as server:
        async with opened(server) as harness.judge:
            one = await harness.run(rubric_task(), None, RolloutLimits(), image=IMAGE)
    assert (one.reward, server.requests) == (0.0, [])
    assert one.judged is not None
    assert one.judged.why_none == "the verifier's reward is 0 or missing"


async def test_a_task_without_a_rubric_has_no_judgement() -> None:
    harness = OracleHarness(BubblewrapProvider())
    one = await harness.run(tiny_environment(), None, RolloutLimits(), image=IMAGE)
    assert (one.reward, one.judged) == (1.0, None)
    assert [(each.path, each.change) for each in one.changes] == [
        ("calc.py", "changed")
    ]
    assert "-    return a - b\n+    return a + b\n" in one.changes[0].patch


@pytest.mark.parametrize("rubric", [{}, {**RUBRIC, "votes": "1"}, {**RUBRIC, "x": 1}])
async def test_what_is_no_rubric_is_named(rubric: object) -> None:
    harness = OracleHarness(BubblewrapProvider())
    with pytest.raises(BundleError, match=r"tests/rubric\.json"):
        await harness.run(rubric_task(rubric), None, RolloutLimits(), image=IMAGE)
