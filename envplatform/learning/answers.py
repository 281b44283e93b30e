"""What a model wrote in one turn, as a message: its words and the calls in them.

Calls stand between `<tool_call>` marks as JSON of name and arguments, as most templates
with tools have it. What is no such call stays words. Loads no torch.
"""

import json
import re

from envplatform.llm.chat import Message, ToolCall

CALL_OPENS, CALL_CLOSES = "<tool_call>", "</tool_call>"
_CALL = re.compile(
    rf"\s*{re.escape(CALL_OPENS)}(.*?){re.escape(CALL_CLOSES)}\s*", re.DOTALL
)
_MAX_CALLS = 64


def message_of(text: str) -> Message:
    """Read one turn; more than 64 calls are not looked at."""
    calls: list[ToolCall] = []

    def take(found: re.Match[str]) -> str:
        call = _call(found.group(1), len(calls) + 1)
        if call is None or len(calls) == _MAX_CALLS:
            return found.group(0)
        calls.append(call)
        return ""

    content = _CALL.sub(take, text)
    return Message(role="assistant", content=content, tool_calls=tuple(calls))


def _call(text: str, number: int) -> ToolCall | None:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    name = said.get("name") if isinstance(said, dict) else None
    if not isinstance(name, str) or not name:
        return None
    arguments = said.get("arguments", {})
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(call_id=f"call-{number}", name=name, arguments=written)
