"""The explorer as a harness: it searches through `ws`, then the seed's own step solves.

What it is and how it searches stands in `explorer`. Here its search goes through the
agent's sandbox like any agent's, each request is a step of the record, and the state
that is graded is that of the root's solution over what was found.
"""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from envplatform.bundle import Environment
from envplatform.grading import Final, Opened, limits_of
from envplatform.grading.faces import PREFIX, dispatch, words_of
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.rollout.explorer import (
    Explored,
    acquired_of,
    explore,
    is_heard,
    solved,
)
from envplatform.rollout.harness import Harness
from envplatform.rollout.session import Session
from envplatform.rollout.tools import Described, outcome_of, shorten
from envplatform.sandbox.base import SandboxProvider
from envplatform.trajectories import Ending, Step
from envplatform.ws import Reply, Request
from envplatform.ws.errors import REFUSED


class ExplorerHarness(Harness):
    """Searches without plan or model, one request a step."""

    name = "explorer"

    def __init__(
        self,
        provider: SandboxProvider,
        *,
        root_of: Callable[[Environment], Environment] = lambda environment: environment,
    ) -> None:
        """`root_of`: from a level of a lineage to its root, itself for a root."""
        super().__init__(provider)
        self._root_of = root_of

    def unfit(self, environment: Environment) -> str:
        """It only knows `ws`."""
        return "" if environment.views else "nothing is served in it"

    def graded_as(self, environment: Environment) -> Environment:
        """Grade the root's final state."""
        return self._root_of(environment)

    async def act(self, session: Session) -> Ending:
        """Search until no lead or no turn is left."""
        assignment = session.assignment
        loop = asyncio.get_running_loop()

        def ask(request: Request) -> Reply:
            asking = _ask(session, request)
            return asyncio.run_coroutine_threadsafe(asking, loop).result()

        goal = assignment.environment.instruction
        session.prompt = (Message(role="user", content=goal),)
        searching = partial(
            explore,
            ask,
            turns=assignment.limits.turns,
            goal=goal,
            hears=is_heard(assignment.environment),
        )
        # A thread of its own: in a shared pool, searches that wait would keep out
        # the work that they wait for.
        pool = ThreadPoolExecutor(1, thread_name_prefix="explorer")
        try:
            explored = await loop.run_in_executor(pool, searching)
        finally:
            pool.shutdown(wait=False)
        session.explored = replace(explored, fired=session.user_signals())
        return "turn_limit" if explored.is_exhausted else "finished"

    async def take_home(self, session: Session, opened: Opened) -> Final | None:
        """Have the root's solution work on what was found; its state is graded."""
        final = await super().take_home(session, opened)
        if final is None or session.explored is None:
            return None
        session.explored_log = final.served.log if final.served else b""
        return await self._solved(session, session.explored)

    async def _solved(self, session: Session, explored: Explored) -> Final:
        child, image = session.assignment.environment, session.assignment.image
        root = self._root_of(child)
        acquired = acquired_of(root, explored, child=child)
        return await solved(self._provider, root, explored, acquired, image=image)


async def _ask(session: Session, request: Request) -> Reply:
    """Dispatch one request and keep it as a step; refused where a limit is reached."""
    assignment = session.assignment
    limits = assignment.limits
    if session.seconds_left <= 0 or session.tool_calls >= limits.tool_calls:
        return Reply(error=REFUSED, message="no time or no calls are left")
    within = limits_of(assignment.environment, wall_s=limits.command_s)
    reply, result = await dispatch(session.sandbox, request, within)
    call = ToolCall(
        call_id=f"request-{len(session.steps) + 1}",
        name=PREFIX + request.operation,
        arguments=json.dumps(dict(request.arguments), sort_keys=True),
    )
    words = words_of(reply)
    shown = shorten(words, limits.output_characters)
    text = Described(content=shown, shortened=shown != words)
    session.steps.append(
        Step(
            message=Message(role="assistant", content="", tool_calls=(call,)),
            finish_reason="tool_calls",
            outcomes=(session.marked(outcome_of(call, result, text)),),
            replies=(Message(role="tool", content=shown, tool_call_id=call.call_id),),
            usage=Usage(),
            seconds=result.seconds,
        )
    )
    return reply
