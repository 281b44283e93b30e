"""Running the calls of one answer: each gets an outcome and a text, whatever it was."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from envplatform.grading import limits_of
from envplatform.llm.chat import ToolCall
from envplatform.rollout.session import Session
from envplatform.rollout.tools import (
    SHELL,
    SUBMIT,
    ArgumentsError,
    describe,
    outcome_of,
    shell_command,
    submitted_claims,
)
from envplatform.rollout.ws_tools import call_ws, ws_tools
from envplatform.trajectories import ToolOutcome, ToolProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One call and what it was answered."""

    call: ToolCall
    outcome: ToolOutcome
    text: str

    @property
    def submits(self) -> bool:
        """Whether the agent ended the rollout with it."""
        return self.call.name == SUBMIT and self.outcome.problem is None


async def answer_calls(
    session: Session, calls: Sequence[ToolCall]
) -> tuple[Answered, ...]:
    """Run `calls` one after the other, since they share the files.

    Raises:
        SandboxError: the sandbox failed.
    """
    answered: list[Answered] = []
    for call in calls:
        answer = await _answer(session, call, answered)
        outcome = session.marked(answer.outcome)
        answered.append(replace(answer, outcome=outcome))
    return tuple(answered)


async def _answer(
    session: Session, call: ToolCall, before: Sequence[Answered]
) -> Answered:
    refusal = _refusal(session, before)
    if refusal is not None:
        problem, text = refusal
        return _refused(call, problem, text)
    if call.name == SUBMIT:
        return _submit(session, call)
    tools = session.assignment.environment.permissions.tools
    if call.name == SHELL and SHELL in tools:
        return await _run(session, call)
    return await _ask(session, call)


def _refusal(
    session: Session, before: Sequence[Answered]
) -> tuple[ToolProblem, str] | None:
    """Why nothing is run any more, and the words for it; None if a call may be."""
    limits = session.assignment.limits
    if any(answer.submits for answer in before):
        return "after_submit", "Not run: you submitted before it."
    ran = sum(answer.outcome.problem is None for answer in before)
    if session.tool_calls + ran >= limits.tool_calls:
        return "limit_reached", "Not run: no tool calls are left."
    written = sum(answer.outcome.output_bytes for answer in before)
    if session.output_bytes + written >= limits.output_bytes:
        return "limit_reached", "Not run: the output limit is reached."
    if session.seconds_left <= 0:
        return "limit_reached", "Not run: no time is left."
    return None


def _submit(session: Session, call: ToolCall) -> Answered:
    try:
        session.claims = submitted_claims(call.arguments)
    except ArgumentsError as error:
        return _refused(call, "invalid_arguments", f"Error: {error}")
    outcome = ToolOutcome(call_id=call.call_id, tool=call.name)
    return Answered(call=call, outcome=outcome, text="Submitted.")


async def _run(session: Session, call: ToolCall) -> Answered:
    limits = session.assignment.limits
    try:
        command = shell_command(call.arguments)
    except ArgumentsError as error:
        return _refused(call, "invalid_arguments", f"Error: {error}")
    seconds = min(limits.command_s, session.seconds_left)
    result = await session.sandbox.exec(
        ["bash", "-c", command],  # a login shell would reset PATH
        limits=limits_of(session.assignment.environment, wall_s=seconds),
    )
    text = describe(result, limit=limits.output_characters)
    return Answered(
        call=call, outcome=outcome_of(call, result, text), text=text.content
    )


async def _ask(session: Session, call: ToolCall) -> Answered:
    try:
        asked = await call_ws(session, call)
    except ArgumentsError as error:
        return _refused(call, "invalid_arguments", f"Error: {error}")
    if asked is None:
        tools = [
            SHELL,
            *(tool.name for tool in ws_tools(session.assignment.environment)),
        ]
        text = (
            f"Error: there is no tool of this name. Use {', '.join(tools)} or {SUBMIT}."
        )
        return _refused(call, "unknown_tool", text)
    outcome, text = asked
    return Answered(call=call, outcome=outcome, text=text)


def _refused(call: ToolCall, problem: ToolProblem, text: str) -> Answered:
    outcome = ToolOutcome(call_id=call.call_id, tool=call.name, problem=problem)
    return Answered(call=call, outcome=outcome, text=text)
