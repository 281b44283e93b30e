"""Trajectories as `trajectories.jsonl`: one conversation a line, tool calls included.

`messages` and `tools` are as the OpenAI API has them, arguments of a call as the text
that the model wrote; what else stands in a line is ours.
"""

from collections.abc import Iterable
from pathlib import Path

from envplatform.interop.exporting import Exported
from envplatform.interop.json_text import JsonObject, json_text
from envplatform.interop.tool_schema import tool_schema
from envplatform.llm.chat import Message, ToolCall
from envplatform.trajectories import Trajectory

FILE = "trajectories.jsonl"


def write_lines(
    trajectories: Iterable[tuple[str, Trajectory]], folder: Path, told: Exported
) -> None:
    """Write one line for each; one that is no conversation is left out."""
    with (folder / FILE).open("w", encoding="utf-8") as file:
        for batch, one in trajectories:
            try:
                line = json_text(chat_line(one, batch))
            except ValueError as error:
                told.leave_out(f"{batch}/{one.trajectory_id}", error)
                continue
            file.write(f"{line}\n")
            told.written += 1


def chat_line(trajectory: Trajectory, batch: str) -> JsonObject:
    """Return one line.

    Raises:
        ValueError: the agent took no turn.
    """
    if not trajectory.steps:
        msg = f"the agent took no turn (harness {trajectory.harness})"
        raise ValueError(msg)
    return {
        "messages": [_message(one) for one in trajectory.messages],
        "tools": [tool_schema(one) for one in trajectory.tools],
        "trajectory_id": trajectory.trajectory_id,
        "batch": batch,
        "environment_id": trajectory.environment_id,
        "environment_digest": trajectory.environment_digest,
        "harness": trajectory.harness,
        "policy": trajectory.policy,
        "seed": trajectory.seed,
        "ending": trajectory.ending,
        "reward": trajectory.reward,
    }


def _message(message: Message) -> JsonObject:
    given: JsonObject = {"role": message.role, "content": message.content}
    if message.tool_calls:
        given["tool_calls"] = [_call(one) for one in message.tool_calls]
    if message.tool_call_id is not None:
        given["tool_call_id"] = message.tool_call_id
    return given


def _call(call: ToolCall) -> JsonObject:
    function: JsonObject = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}
