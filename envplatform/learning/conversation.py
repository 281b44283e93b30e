"""A trajectory as a student reads it: messages, and the tools that were offered."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from envplatform.llm.chat import Message, Tool, ToolCall
from envplatform.trajectories.record import Trajectory

JsonObject = dict[str, object]
"""The format of chat templates, which is Hugging Face's and not ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What one rollout said, in order."""

    trajectory_id: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    """As offered through the API; empty where they were explained in words."""


def conversation_of(trajectory: Trajectory) -> Conversation:
    """What of a record a student reads."""
    return Conversation(
        trajectory_id=trajectory.trajectory_id,
        messages=trajectory.messages,
        tools=tuple(
            Tool(
                name=tool.name,
                description=tool.description,
                parameters=json.loads(tool.parameters),
            )
            for tool in trajectory.tools
        ),
    )


def template_messages(messages: Sequence[Message]) -> list[JsonObject]:
    """As chat templates want them: arguments parsed, tool answers with their name."""
    names = {
        call.call_id: call.name for message in messages for call in message.tool_calls
    }
    return [_template_message(message, names) for message in messages]


def template_tools(tools: Sequence[Tool]) -> list[JsonObject] | None:
    """As chat templates want them; None where there are none, which templates ask."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ] or None


def _template_message(message: Message, names: dict[str, str]) -> JsonObject:
    given: JsonObject = {"role": message.role, "content": message.content}
    if message.tool_calls:
        given["tool_calls"] = [_template_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        given["tool_call_id"] = message.tool_call_id
        given["name"] = names.get(message.tool_call_id, "")
    return given


def _template_call(call: ToolCall) -> JsonObject:
    function = {"name": call.name, "arguments": _arguments(call.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _arguments(text: str) -> object:
    """Parsed if it is a JSON object, which templates write out again; else as it is."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return parsed if isinstance(parsed, dict) else text
