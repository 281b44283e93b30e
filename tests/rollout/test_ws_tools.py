"""The tools of `ws` as a model gets them: offered where permitted, parsed strictly."""

import json
from dataclasses import replace

import pytest

from envplatform.llm.chat import ToolCall
from envplatform.rollout import FENCED, NATIVE, Policy, RolloutLimits, ToolLoopHarness
from envplatform.rollout.ws_tools import ws_tools
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.fakes import ScriptedChatModel, text_answer
from tests.rollout.made_user import REPLACED, user_environment
from tests.rollout.tiny import IMAGE, SUBMIT, tiny_environment


def call(name: str, arguments: object) -> ToolCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(call_id=f"{name}-{text}", name=name, arguments=text)


def test_only_what_is_permitted_is_offered_and_only_with_views() -> None:
    environment = user_environment()
    names = [tool.name for tool in ws_tools(environment)]
    assert names == ["ws_list", "ws_read", "ws_write", "ws_delete", "ws_say"]
    assert ws_tools(tiny_environment()) == ()
    assert ws_tools(replace(environment, views=())) == ()
    offered = [tool.name for tool in NATIVE.offered(environment)]
    assert offered == ["shell", "submit", *names]
    assert FENCED.offered(environment) == ()
    for dialect in (NATIVE, FENCED):
        assert "`ws list`" in dialect.opening(environment)
        assert dialect.opening(tiny_environment()) == dialect.system


BAD = [
    ("ws_read", "", "not JSON"),
    ("ws_read", "[]", "not a JSON object"),
    ("ws_read", "{}", "name is missing"),
    ("ws_read", {"name": 1}, "name must be of type string"),
    ("ws_read", {"name": "table", "path": "x"}, "unknown argument 'path'"),
    ("ws_read", '{"name": "table", "name": "x"}', "a key stands twice"),
    ("ws_read", '{"name": NaN}', "NaN is not JSON"),
    ("ws_read", '{"name": "table"}, "op": "say"', "not JSON"),
    ("ws_list", {"prefix": None}, "prefix must be of type string"),
]


@pytest.fixture
def script() -> ScriptedChatModel:
    turns = [
        [call(name, arguments) for name, arguments, _ in BAD],
        [call("ws_query", {"name": "table", "sql": "x"}), call("ws_read", "{}")],
        [call("ws_read", {"name": "table"}), call("ws_say", {"text": "done?"})],
        [call("ws_read", {"name": "table"}), SUBMIT],
    ]
    return ScriptedChatModel(
        [
            text_answer("", tool_calls=tuple(calls), finish_reason="tool_calls")
            for calls in turns
        ]
    )


async def test_a_rollout_by_tools_is_served_answered_and_graded(
    bubblewrap: BubblewrapProvider, script: ScriptedChatModel
) -> None:
    trajectory = await ToolLoopHarness(bubblewrap).run(
        user_environment(),
        Policy(model=script),
        RolloutLimits(),
        image=IMAGE,
    )
    assert trajectory.error_class is None, trajectory.error
    refused, unknown, asked, again = trajectory.steps
    assert {one.problem for one in refused.outcomes} == {"invalid_arguments"}
    for reply, (_, _, why) in zip(refused.replies, BAD, strict=True):
        assert why in reply.content
    assert unknown.outcomes[0].problem == "unknown_tool"
    assert "Use shell, ws_list, ws_read" in unknown.replies[0].content
    told = json.loads(asked.replies[1].content)
    assert told["user_message"].startswith("I have replaced the table")
    assert again.replies[0].content == REPLACED
    assert (trajectory.ending, trajectory.reward) == ("submitted", 1.0)
    assert [turn.signal for turn in trajectory.user_turns] == ["replace"]
