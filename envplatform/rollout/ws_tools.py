"""The interface `ws` as tools of a model: `ws_list`, `ws_read` and whatever is permitted.

Arguments come from a model and are parsed strictly; what is no request is answered in
words and never dispatched.
"""

from envplatform.bundle import Environment
from envplatform.grading import limits_of
from envplatform.grading.faces import (
    PREFIX,
    dispatch,
    permitted,
    request_of,
    words_of,
)
from envplatform.llm.chat import Tool, ToolCall
from envplatform.rollout.session import Session
from envplatform.rollout.tools import (
    ArgumentsError,
    Described,
    outcome_of,
    shorten,
)
from envplatform.trajectories import ToolOutcome
from envplatform.ws import WsError


def ws_tools(environment: Environment) -> tuple[Tool, ...]:
    """Return a tool for each operation that is permitted; none without views."""
    return tuple(
        Tool(
            name=PREFIX + operation.name,
            description=operation.about,
            parameters=operation.schema(),
        )
        for operation in permitted(environment)
    )


async def call_ws(session: Session, call: ToolCall) -> tuple[ToolOutcome, str] | None:
    """Dispatch a call of a `ws` tool; None if it is no tool of this environment.

    Raises:
        ArgumentsError: the arguments are no request; nothing was dispatched.
        SandboxError: the sandbox failed.
    """
    assignment = session.assignment
    environment, limits = assignment.environment, assignment.limits
    try:
        request = request_of(environment, call.name, call.arguments.encode("utf-8"))
    except (WsError, UnicodeEncodeError) as error:
        msg = f"{error}. Pass a JSON object with the tool's arguments."
        raise ArgumentsError(msg) from None
    if request is None:
        return None
    seconds = session.seconds_left
    if request.operation != "say":  # a user may take its time
        seconds = min(limits.command_s, seconds)
    within = limits_of(environment, wall_s=seconds)
    reply, result = await dispatch(session.sandbox, request, within)
    words = words_of(reply)
    shown = shorten(words, limits.output_characters)
    text = Described(content=shown, shortened=shown != words)
    return outcome_of(call, result, text), shown
