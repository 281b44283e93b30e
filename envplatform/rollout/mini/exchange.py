"""Speaking with the agent's program: answers in, requests out, one at a time.

The program shares its sandbox with whatever the agent runs, so all that it says is
untrusted: parsed strictly, bounded, and never more than a text to show.
"""

import asyncio
import json
from collections.abc import Sequence
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.llm.chat import Message, ToolCall
from envplatform.sandbox.base import ExecResult, Limits, Sandbox

NAME = "mini"
"""Of the door that both sandboxes have."""
SOCKET = f"/run/{NAME}/model.sock"
_MOST_BYTES = 8_000_000
_MOST_NOTED = 10**12
"""Bytes or seconds of one command: sums of more would fit into no column."""
_SLACK_S = 60.0
_CONNECT_S = 30.0
_LAST_WORDS_S = 20.0


class Noted(BaseModel):
    """How one command ended."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    exit_code: int | None = Field(ge=-255, le=255)
    """None: it was stopped."""
    bytes: int = Field(ge=0, le=_MOST_NOTED)
    shortened: bool
    seconds: float = Field(ge=0, le=_MOST_NOTED, allow_inf_nan=False)


class Fresh(BaseModel):
    """A message that the agent added to its conversation."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    role: Literal["system", "user", "tool"]
    content: str
    tool_call_id: str | None = None

    def message(self) -> Message:
        """Return it in text that UTF-8 can hold."""
        text = self.content.encode("utf-8", "replace").decode("utf-8")
        return Message(role=self.role, content=text, tool_call_id=self.tool_call_id)


class Asked(BaseModel):
    """What the program says: what happened, and that it wants an answer or has ended."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    fresh: tuple[Fresh, ...]
    ran: tuple[Noted, ...]
    misread: bool
    """Whether the package could not read the last answer."""
    done: str | None = None
    """How it ended; None: it asks."""


class Silence(BaseModel):
    """There is no request."""

    why: Literal["ended", "waited", "gibberish"]
    """The program ended, took too long, or said what is none."""
    said: str = ""


class Exchange:
    """One run of the program, seen from the other sandbox."""

    def __init__(self, desk: Sandbox, running: asyncio.Task[ExecResult]) -> None:
        self._desk = desk
        self._running = running
        self._is_up = False

    async def hear(self, answer: str, *, patience_s: float) -> Asked | Silence:
        """Hand over an answer, one line of JSON, and return what is asked next.

        Once it has asked, the program listens: then it is not waited for again.

        Raises:
            SandboxError: a sandbox failed.
        """
        asking = asyncio.create_task(self._ask(answer, patience_s))
        try:
            await asyncio.wait(
                {asking, self._running}, return_when=asyncio.FIRST_COMPLETED
            )
            if not asking.done():  # it ended: its last words may be under way
                await asyncio.wait({asking}, timeout=_LAST_WORDS_S)
            if not asking.done():
                return await self._obituary()
            result = await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        if result.stdout.endswith(b"\n"):
            self._is_up = True
            return _read(result.stdout)
        if result.ending == "timeout":
            return Silence(why="waited")
        return await self._obituary()

    async def _ask(self, answer: str, patience_s: float) -> ExecResult:
        connect_s = _CONNECT_S if self._is_up else patience_s
        inside = resources.files("envplatform.rollout.mini") / "inside" / "ask.py"
        argv = ["python3", "-I", "-S", "-B", "-c", inside.read_text(), SOCKET]
        return await self._desk.exec(
            [*argv, f"{connect_s:g}"],
            stdin=answer.encode() + b"\n",
            limits=Limits(
                wall_s=patience_s + _SLACK_S,
                cpu_s=patience_s + _SLACK_S,
                output_bytes=_MOST_BYTES,
            ),
        )

    async def _obituary(self) -> Silence:
        """Return what the program's end was, if it has ended."""
        done, _ = await asyncio.wait({self._running}, timeout=_LAST_WORDS_S)
        if not done:
            return Silence(why="gibberish", said="it hung up")
        result = await self._running
        last = result.stderr.decode("utf-8", "replace").strip()[-400:]
        how = f"{result.ending} {result.exit_code or result.signal or ''}".strip()
        return Silence(why="ended", said=f"{how}: {last}" if last else how)


def answer_of(content: str, calls: Sequence[ToolCall], finish_reason: str) -> str:
    """Return an answer of the model as the program reads it, one line."""
    return json.dumps(
        {
            "content": content,
            "finish_reason": finish_reason,
            "calls": [
                {"id": one.call_id, "name": one.name, "arguments": one.arguments}
                for one in calls
            ],
        }
    )


def _read(line: bytes) -> Asked | Silence:
    try:
        return Asked.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return Silence(why="gibberish", said=first["msg"])
