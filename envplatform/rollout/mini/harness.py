"""The harness `mini_swe_agent`: the package acts, its model is asked here, all is kept.

What was asked and answered is recorded on this side. How its commands ended is what the
program in the sandbox says.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib import resources
from typing import Literal

from envplatform.bundle import Environment
from envplatform.errors import ContextLengthError, ModelError, SandboxError
from envplatform.grading import limits_of
from envplatform.llm.chat import ChatRequest, ChatResponse, Message, Tool, ToolCall
from envplatform.rollout.harness import Harness
from envplatform.rollout.mini.exchange import (
    NAME,
    SOCKET,
    Asked,
    Exchange,
    Noted,
    Silence,
    answer_of,
)
from envplatform.rollout.mini.package import OLDEST_PYTHON, MiniPackage
from envplatform.rollout.session import Policy, Session
from envplatform.rollout.tools import SHELL
from envplatform.sandbox.base import Door, ExecResult, SandboxProvider
from envplatform.trajectories import Ending, Step, ToolOutcome
from envplatform.user.wording import Wording

Speaks = Literal["tools", "text"]

BASH = Tool(
    name="bash",
    description="Execute a bash command",
    parameters={
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The bash command to execute"}
        },
        "required": ["command"],
    },
)
"""The one tool of mini-swe-agent, as the package itself offers it."""
SERVED = (
    "\n\nWhat the task is about is served: the command `ws` works in the shell, begin "
    "with `ws list`."
)
_CONFIGS = {"tools": "mini.yaml", "text": "mini_textbased.yaml"}
_ACTION = r"```mswea_bash_command\s*\n(.*?)\n```"
"""How the package finds a command in plain text."""
_HOME = "/home/agent/mini"
_START_S = 300.0
_ENDINGS: dict[str, Ending] = {
    "Submitted": "submitted",
    "RepeatedFormatError": "no_action",
}


class MiniSweAgentHarness(Harness):
    """Runs mini-swe-agent beside the work and answers for its model."""

    def __init__(
        self,
        provider: SandboxProvider,
        package: MiniPackage,
        *,
        speaks: Speaks = "tools",
        clock: Callable[[], float] = time.monotonic,
        wording: Wording | None = None,
    ) -> None:
        """`speaks`: by the API's tool calls, or in text for models without any."""
        super().__init__(provider, clock=clock, wording=wording)
        self.name = "mini_swe_agent" if speaks == "tools" else "mini_swe_agent_text"
        self._package = package
        self._speaks = speaks

    def unfit(self, environment: Environment) -> str:
        """It needs the shell and a Python that the package runs on."""
        if SHELL not in environment.permissions.tools:
            return "its agent has no shell"
        python = environment.image.python
        if tuple(map(int, python.split("."))) < OLDEST_PYTHON:
            return f"mini-swe-agent needs Python 3.10, its image has {python}"
        return ""

    @asynccontextmanager
    async def doors(self) -> AsyncIterator[tuple[Door, ...]]:
        """Have the agent's sandbox serve where its model is asked."""
        async with self._provider.meet() as place:
            yield (Door(name=NAME, place=place, serves=True),)

    async def act(self, session: Session) -> Ending:
        """Answer until the program submits, ends or uses up a limit."""
        policy, image = session.assignment.policy, session.assignment.image
        if policy is None:
            msg = f"{self.name} needs a policy; pass one with a model"
            raise ModelError(msg)
        session.tools = (BASH,) if self._speaks == "tools" else ()
        package = await asyncio.to_thread(self._package.tree, image.python)
        await session.sandbox.upload(package, f"{_HOME}/lib")
        (door,) = session.doors
        async with AsyncExitStack() as stack:
            desk = await stack.enter_async_context(
                self._provider.open(image, doors=[replace(door, serves=False)])
            )
            running = asyncio.create_task(self._program(session))
            stack.push_async_callback(_stopped, running)
            return await self._answer(session, policy, Exchange(desk, running))

    async def _program(self, session: Session) -> ExecResult:
        assignment = session.assignment
        inside = resources.files("envplatform.rollout.mini") / "inside" / "agent.py"
        order = {
            "library": f"{_HOME}/lib",
            "settings": f"{_HOME}/settings",
            "config": _CONFIGS[self._speaks],
            "by_tools": self._speaks == "tools",
            "action_regex": _ACTION,
            "command_s": max(1, int(assignment.limits.command_s)),
            "task": _task(assignment.environment),
        }
        return await session.sandbox.exec(
            ["python3", "-I", "-S", "-B", "-c", inside.read_text(), SOCKET],
            stdin=json.dumps(order).encode(),
            limits=limits_of(
                assignment.environment,
                # Servers of models are waited for besides: those have their own limit.
                wall_s=_START_S + 10 * assignment.limits.seconds,
            ),
        )

    async def _answer(
        self, session: Session, policy: Policy, exchange: Exchange
    ) -> Ending:
        asked = await exchange.hear("{}", patience_s=_START_S)
        if isinstance(asked, Silence):
            msg = f"mini-swe-agent did not start: {asked.said or asked.why}"
            raise SandboxError(msg)
        session.prompt = tuple(one.message() for one in asked.fresh)
        session.restart_clock()
        spoken = list(session.prompt)
        while True:
            limit = session.used_up()
            if limit is not None:
                return limit
            began = session.clock()
            try:
                response = await policy.model.complete(
                    _request(session, policy, spoken)
                )
            except ContextLengthError:
                return "context_limit"
            said = response.message
            heard = await exchange.hear(
                answer_of(said.content, said.tool_calls, response.finish_reason),
                patience_s=_patience(session),
            )
            session.steps.append(self._step(session, response, heard, began))
            if isinstance(heard, Silence):
                return "time_limit" if heard.why == "waited" else "agent_crashed"
            if heard.done is not None:
                return _ENDINGS.get(heard.done, "agent_crashed")
            fresh = [one.message() for one in heard.fresh]
            spoken += [*([] if heard.misread else [self._said(said)]), *fresh]

    def _said(self, message: Message) -> Message:
        """The answer as it stays in the conversation."""
        return message if self._speaks == "tools" else replace(message, tool_calls=())

    def _step(
        self,
        session: Session,
        response: ChatResponse,
        heard: Asked | Silence,
        began: float,
    ) -> Step:
        message = self._said(response.message)
        outcomes, replies = _outcomes(message.tool_calls, heard)
        return Step(
            message=message,
            finish_reason=response.finish_reason,
            outcomes=tuple(map(session.marked, outcomes)),
            replies=replies,
            usage=response.usage,
            seconds=session.clock() - began,
        )


def _outcomes(
    calls: Sequence[ToolCall], heard: Asked | Silence
) -> tuple[list[ToolOutcome], tuple[Message, ...]]:
    """Return what became of the calls, and what the agent read next.

    A call that was not run has no answer where the package gave none.
    """
    if isinstance(heard, Silence):
        return [ToolOutcome(call_id=one.call_id, tool=one.name) for one in calls], ()
    replies = tuple(one.message() for one in heard.fresh)
    if heard.misread:
        return [_misread(one) for one in calls], replies
    ids = [one.call_id for one in calls]
    ids += [f"block-{number}" for number in range(len(ids) + 1, len(heard.ran) + 1)]
    outcomes = [_ran(one, note) for one, note in zip(ids, heard.ran, strict=False)]
    left = ids[len(outcomes) :]
    outcomes += [
        ToolOutcome(call_id=one, tool=BASH.name, problem="after_submit") for one in left
    ]
    if heard.done is not None:  # the package answers nothing after a submission
        replies += tuple(_last_word(one.call_id, left) for one in calls)
    return outcomes, replies


def _ran(call_id: str, note: Noted) -> ToolOutcome:
    return ToolOutcome(
        call_id=call_id,
        tool=BASH.name,
        ending="timeout" if note.exit_code is None else "exited",
        exit_code=note.exit_code,
        output_bytes=note.bytes,
        shortened=note.shortened,
        seconds=note.seconds,
    )


def _misread(call: ToolCall) -> ToolOutcome:
    is_known = call.name == BASH.name
    return ToolOutcome(
        call_id=call.call_id,
        tool=call.name,
        problem="invalid_arguments" if is_known else "unknown_tool",
    )


def _last_word(call_id: str, left: Sequence[str]) -> Message:
    text = "Not run: you submitted before it." if call_id in left else "Submitted."
    return Message(role="tool", content=text, tool_call_id=call_id)


def _task(environment: Environment) -> str:
    served = SERVED if environment.views else ""
    return f"{environment.instruction}{served}"


def _request(
    session: Session, policy: Policy, spoken: Sequence[Message]
) -> ChatRequest:
    return ChatRequest(
        messages=tuple(spoken),
        tools=session.tools,
        temperature=policy.temperature,
        max_tokens=policy.answer_tokens,
        seed=session.assignment.seed,
    )


def _patience(session: Session) -> float:
    """Seconds for the commands of one answer: what is left, and the last may pass it."""
    return max(0.0, session.seconds_left) + session.assignment.limits.command_s


async def _stopped(running: asyncio.Task[ExecResult]) -> None:
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
