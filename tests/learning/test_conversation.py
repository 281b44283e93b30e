"""What of a record a student reads."""

from envplatform.learning.conversation import (
    conversation_of,
    template_messages,
    template_tools,
)
from envplatform.llm.chat import Message, Tool, ToolCall, Usage
from envplatform.trajectories import OfferedTool, Step, Trajectory


def call(arguments: str) -> Message:
    made = ToolCall(call_id="c1", name="shell", arguments=arguments)
    return Message(role="assistant", content="", tool_calls=(made,))


def test_a_record_becomes_its_messages_and_tools() -> None:
    ask = Message(role="user", content="Do it.")
    reply = Message(role="tool", content="a.txt", tool_call_id="c1")
    record = Trajectory(
        trajectory_id="t1",
        environment_id="e",
        environment_digest="d",
        harness="tool_loop",
        policy="p",
        seed=0,
        sandbox="s",
        prompt=(ask,),
        tools=(OfferedTool(name="shell", description="Runs.", parameters='{"a": 1}'),),
        steps=(
            Step(
                message=call('{"command": "ls"}'),
                finish_reason="tool_calls",
                outcomes=(),
                replies=(reply,),
                usage=Usage(),
            ),
        ),
        ending="submitted",
        final_state=None,
        reward=1.0,
        usage=Usage(),
    )
    conversation = conversation_of(record)
    assert conversation.trajectory_id == "t1"
    assert conversation.messages == (ask, call('{"command": "ls"}'), reply)
    assert conversation.tools == (
        Tool(name="shell", description="Runs.", parameters={"a": 1}),
    )
    _, said, answered = template_messages(conversation.messages)
    assert said["tool_calls"] == [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "shell", "arguments": {"command": "ls"}},
        }
    ]
    assert answered["name"] == "shell"


def test_arguments_that_are_no_object_stay_as_they_were_said() -> None:
    for text in ("{oops", "[1]", "[" * 100_000):
        (said,) = template_messages([call(text)])
        assert text in str(said["tool_calls"])


def test_no_tools_is_none_which_templates_ask_for() -> None:
    assert template_tools(()) is None
