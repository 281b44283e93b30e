"""The user inside an open environment: hears the agent, looks on, changes, answers.

Joins what may not know each other: the policy of a user (`user`) and the broker of an
environment (`grading`). The user decides over the broker's log and what it holds; its
changes go through the control socket. Signals that say something fire at a message,
those that only change something also after a dispatch: both are places in the log, so
the same session gives the same turns.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

from envplatform.errors import SandboxError
from envplatform.grading import Opened
from envplatform.grading.broker import Broker
from envplatform.user import Plan, Scene, Turn, UserPolicy
from envplatform.user.predicates import paths_in
from envplatform.user.review import RecordedTurn
from envplatform.user.sidecar import read_user
from envplatform.user.wording import Exchange, Said, TemplateWording, Wording
from envplatform.ws import Reply, Request

T = TypeVar("T")

_WAIT_S = 30.0
"""Of one request for a message; the next follows at once."""


class UserSession:
    """One user in one session. A user that fails is an infrastructure error."""

    def __init__(self, broker: Broker, plan: Plan, wording: Wording) -> None:
        self.plan = plan
        self.turns: list[RecordedTurn] = []
        """What it did, in order; for `user.review`."""
        self.said: list[Said] = []
        """How each answer to a message came about, model and tokens included."""
        self._broker = broker
        self._wording = wording
        self._policy = UserPolicy(plan)
        self._log: list[dict[str, Any]] = []
        self._held: dict[str, bytes] = {}
        self._paths = sorted(
            frozenset().union(*(paths_in(signal.when) for signal in plan.signals))
        )
        self._is_over = False
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Take part from now on: no dispatch goes by unseen after this.

        Raises:
            SandboxError: the broker is gone.
        """
        await self._ask([self._attending()])
        self._task = asyncio.create_task(self._attend())

    def signals(self) -> tuple[str, ...]:
        """Return those that have fired so far, in their order."""
        return tuple(turn.signal for turn in self.turns if turn.signal)

    def check(self) -> None:
        """Tell whether it still takes part.

        Raises:
            SandboxError: it failed in mid-conversation.
        """
        if self._task is None or not self._task.done():
            return
        why = "stopped" if self._task.cancelled() else self._task.exception()
        msg = f"the user inside failed: {why}"
        raise SandboxError(msg)

    async def alongside(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` comes to; it is cut short if the user fails before.

        Raises:
            SandboxError: it did.
        """
        task = asyncio.create_task(work)
        try:
            await asyncio.wait(
                {task, *([self._task] if self._task else [])},
                return_when=asyncio.FIRST_COMPLETED,
            )
            self.check()
            return await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def end(self) -> None:
        """Leave."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _attend(self) -> None:
        answers: list[Request] = []
        while True:
            event = await self._look(answers, wait_s=_WAIT_S)
            answers = []
            if event is not None:
                message = await self._answered(event)
                answer = {"number": event["number"], "message": message}
                answers = [self._attending(), Request("answer", answer)]

    async def _answered(self, event: dict[str, Any]) -> dict[str, Any]:
        text = event["text"]
        spoken = event["kind"] == "say" and text is not None and not self._is_over
        number = self._policy.memory.turns + spoken
        while (turn := self._policy.glance(self._scene(number))) is not None:
            await self._keep(turn, due=(str(turn.signal),))
        if event["kind"] != "say":
            return {}
        if not spoken:
            return self._heard()
        return await self._reply(str(text), number)

    def _heard(self) -> dict[str, Any]:
        """Return what an agent hears that says nothing, or goes on after the end."""
        turns = self._policy.memory.turns
        return {
            "user_message": "" if turns else self.plan.opening,
            "conversation_over": self._is_over,
            "turn": turns,
        }

    async def _reply(self, text: str, number: int) -> dict[str, Any]:
        scene = self._scene(number)
        due = self._policy.due(scene)
        turn = self._policy.react(scene)
        said = await self._wording.say(self.plan, turn, self._exchanges())
        self.said.append(said)
        self._is_over = turn.is_over
        await self._keep(turn, agent=text, said=said, due=due)
        return {
            "user_message": said.text,
            "conversation_over": turn.is_over,
            "turn": turn.number,
        }

    async def _keep(
        self,
        turn: Turn,
        *,
        due: tuple[str, ...],
        agent: str = "",
        said: Said | None = None,
    ) -> None:
        """Apply a turn's changes and record it, whatever became of them."""
        changed = True
        if turn.changes:
            changes = [change.model_dump() for change in turn.changes]
            patched = await self._broker.attend(
                [Request("patch", {"changes": changes})]
            )
            changed = patched[0].ok
            await self._look([], wait_s=0)
        self.turns.append(
            RecordedTurn(
                number=turn.number,
                agent=agent,
                user=said.text if said else "",
                signal=turn.signal,
                due=due,
                changed=changed,
                is_over=turn.is_over,
                wording=said.how if said else None,
            )
        )

    async def _look(
        self, before: list[Request], *, wait_s: float
    ) -> dict[str, Any] | None:
        """Send `before`, then return what waits; log and held files are as they are now."""
        wanted = {"wait_s": wait_s, "after": len(self._log), "paths": self._paths}
        replies = await self._ask([*before, Request("await_message", wanted)])
        told: dict[str, Any] = replies[-1].data
        self._log += told["entries"]
        self._held = {
            path: base64.b64decode(coded) for path, coded in told["held"].items()
        }
        event: dict[str, Any] | None = told["event"]
        return event

    async def _ask(self, requests: list[Request]) -> list[Reply]:
        replies = await self._broker.attend(requests)
        refused = next((reply for reply in replies if not reply.ok), None)
        if refused is not None:
            msg = f"the broker refuses the user: {refused.message}"
            raise SandboxError(msg)
        return replies

    def _attending(self) -> Request:
        at = [list(pair) for pair in sorted(self._policy.watches)]
        return Request("attend", {"looks": self._policy.is_watching, "at": at})

    def _scene(self, turn: int) -> Scene:
        return Scene(turn=turn, log=self._log, read=self._held.get)

    def _exchanges(self) -> list[Exchange]:
        return [
            Exchange(agent=turn.agent, user=turn.user)
            for turn in self.turns
            if turn.agent
        ]


@asynccontextmanager
async def attended(
    opened: Opened, wording: Wording | None = None
) -> AsyncIterator[UserSession | None]:
    """Have the user inside take part while this is entered; None where there is none.

    Leave it before the work is taken home. `wording`: the plan's own words if None.

    Raises:
        BundleError: the environment's user can't be read.
        SandboxError: the broker is gone.
    """
    if opened.broker is None or not opened.environment.user:
        yield None
        return
    plan = read_user(opened.environment.user)
    session = UserSession(opened.broker, plan, wording or TemplateWording())
    await session.begin()
    try:
        yield session
    finally:
        await session.end()


def attending(
    wording: Wording | None = None,
) -> Callable[[Opened], AbstractAsyncContextManager[UserSession | None]]:
    """Return `attended` in these words: what `open_environment` takes as `attend`."""
    return lambda opened: attended(opened, wording)
