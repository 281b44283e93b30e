"""The user inside beside a broker of this process: what `UserSession` is for a running one.

It decides at the same places: after a dispatch what it changes unasked, at a message
what it says. Its words are the plan's own.
"""

from typing import Any

from envplatform.user import Plan, Scene, Turn, UserPolicy
from envplatform.ws import Broker, Reply, Request
from envplatform.ws.changes import Change


class UserBeside:
    """Asks the broker as an agent does, and has the user take part."""

    def __init__(self, broker: Broker, plan: Plan) -> None:
        self.fired: list[str] = []
        """Signals so far, in their order."""
        self._broker = broker
        self._policy = UserPolicy(plan)
        self._log: list[dict[str, Any]] = []
        self._is_over = False

    def ask(self, request: Request) -> Reply:
        """Ask once; what is refused is a reply like any other."""
        heard = None
        if self._broker.said(request) is not None:
            self._glance(spoken=1)
            heard = Reply(data=self._answered())
        reply = self._broker.ask(request, heard=heard)
        if heard is None:
            self._glance(spoken=0)
        return reply

    def _answered(self) -> dict[str, Any]:
        number = self._policy.memory.turns
        if self._is_over:
            return {"user_message": "", "conversation_over": True, "turn": number}
        turn = self._policy.react(self._scene(number + 1))
        self._is_over = turn.is_over
        self._keep(turn)
        return {
            "user_message": turn.text,
            "conversation_over": turn.is_over,
            "turn": turn.number,
        }

    def _glance(self, *, spoken: int) -> None:
        number = self._policy.memory.turns + spoken
        while (turn := self._policy.glance(self._scene(number))) is not None:
            self._keep(turn)

    def _keep(self, turn: Turn) -> None:
        if turn.signal is not None:
            self.fired.append(turn.signal)
        if turn.changes:
            changes = [Change(**one.model_dump()) for one in turn.changes]
            self._broker.patch(changes)

    def _scene(self, turn: int) -> Scene:
        entries = self._broker.log[len(self._log) :]
        self._log += [
            {
                "by": one.by,
                "op": one.operation,
                "args": one.arguments,
                "error": one.error,
            }
            for one in entries
        ]
        return Scene(turn=turn, log=self._log, read=self._held)

    def _held(self, path: str) -> bytes | None:
        holdings = self._broker.room.holdings
        return holdings.read(path) if holdings.holds(path) else None
