"""How tools are offered to a model and how its calls and their answers are worded.

Two dialects of the one tool loop: the API's own tool calls, and fenced commands in
plain text for models that have none (the embedded one). Running calls is `tool_loop`.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from envplatform.bundle import Environment
from envplatform.llm.chat import Message, Tool, ToolCall
from envplatform.rollout.calls import Answered
from envplatform.rollout.tools import SHELL, SHELL_TOOL, SUBMIT, SUBMIT_TOOL
from envplatform.rollout.ws_tools import ws_tools

_SERVED = (
    "What the task is about is served: the command `ws` works in the shell, begin with "
    "`ws list`; tools whose names begin with ws_, where you have some, do the same."
)
_SHELL_FENCES = frozenset({"```bash", "```sh", "```shell"})
_JSON_FENCE = "```json"


class Dialect(ABC):
    """One way of speaking about tools."""

    harness: str
    """Name of the tool loop in this dialect."""
    system: str
    """System message of every rollout."""
    tools: tuple[Tool, ...]
    """Offered through the API; empty where tools are explained in words."""
    nudge: str
    """Said to a model that called nothing."""

    def offered(self, environment: Environment) -> tuple[Tool, ...]:
        """The tools that an environment's agent gets through the API."""
        return (*self.tools, *ws_tools(environment)) if self.tools else ()

    def opening(self, environment: Environment) -> str:
        """The system message of a rollout in `environment`."""
        return f"{self.system} {_SERVED}" if environment.views else self.system

    @abstractmethod
    def calls(self, message: Message) -> tuple[ToolCall, ...]:
        """The calls in an answer, in order; empty if there are none."""

    def said(self, message: Message) -> Message:
        """The answer as it stays in the conversation."""
        return message

    @abstractmethod
    def replies(self, answered: Sequence[Answered]) -> tuple[Message, ...]:
        """The messages that answer all calls of one turn."""


class _Native(Dialect):
    harness = "tool_loop"
    system = (
        "You are a software engineer working alone in a sandbox without network. "
        "The project is in /workspace. Use the shell tool to look around, change "
        "files and check your work; call submit when the task is done, with claims of "
        "what your result is."
    )
    tools = (SHELL_TOOL, SUBMIT_TOOL)
    nudge = "You called no tool. Call shell to go on, or submit if you are done."

    def calls(self, message: Message) -> tuple[ToolCall, ...]:
        return message.tool_calls

    def replies(self, answered: Sequence[Answered]) -> tuple[Message, ...]:
        return tuple(
            Message(role="tool", content=answer.text, tool_call_id=answer.call.call_id)
            for answer in answered
        )


class _Fenced(Dialect):
    harness = "tool_loop_fenced"
    system = (
        "You are a software engineer working alone in a sandbox without network. "
        "The project is in /workspace. To run a command, answer with\n"
        "```bash\nthe command\n```\n"
        "and you will be told its output. When the task is done, answer SUBMIT; below "
        "it you may claim what your result is, in a block\n"
        '```json\n[{"path": "a.json", "field": "/total", "value": 3}]\n```'
    )
    tools = ()
    nudge = "There was no ```bash block. Give a command in one, or answer SUBMIT."

    def calls(self, message: Message) -> tuple[ToolCall, ...]:
        """Each block is a call; SUBMIT on a line of its own comes after all blocks."""
        blocks, claims, prose = _split(message.content)
        calls = [
            ToolCall(
                call_id=f"block-{number}",
                name=SHELL,
                arguments=json.dumps({"command": block}),
            )
            for number, block in enumerate(blocks, start=1)
        ]
        if any(line.strip(" \t*.!") == "SUBMIT" for line in prose):
            arguments = f'{{"claims": {claims}}}' if claims else "{}"
            calls.append(ToolCall(call_id="submit", name=SUBMIT, arguments=arguments))
        return tuple(calls)

    def said(self, message: Message) -> Message:
        """Without calls through the API: none were offered, so none get an answer."""
        return replace(message, tool_calls=())

    def replies(self, answered: Sequence[Answered]) -> tuple[Message, ...]:
        if not answered:
            return ()
        text = "\n\n".join(answer.text for answer in answered)
        return (Message(role="user", content=text),)


def _split(text: str) -> tuple[list[str], str, list[str]]:
    """Contents of the shell blocks, of the last JSON block, and lines outside of any.

    A block without end is none: its lines may be cut off.
    """
    blocks: list[str] = []
    prose: list[str] = []
    fence, inside, claims = "", list[str](), ""
    for line in text.split("\n"):
        mark = line.strip()
        if fence and mark == "```":
            if fence in _SHELL_FENCES:
                blocks.append("\n".join(inside))
            elif fence == _JSON_FENCE:
                claims = "\n".join(inside)
            fence, inside = "", []
        elif fence:
            inside.append(line)
        elif mark.startswith("```"):
            fence = mark
        else:
            prose.append(line)
    return blocks, claims, prose


NATIVE: Dialect = _Native()
FENCED: Dialect = _Fenced()
