"""The agent's messages to the user inside, and the user's looks at what was done.

The user answers through the control socket, in its own time; the agent's request waits
for it, up to a bound. A look is a pause after a dispatch in which the user may change
what is held: it belongs to a place in the log, never to a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import INVALID, WsError

ANSWER_S = 300.0
"""What an answer may take before the agent is told that there is none."""
MOST_SAID = 20_000
"""Characters of one message."""

_MESSAGE: Mapping[str, type] = {
    "user_message": str,
    "conversation_over": bool,
    "turn": int,
}


class Event(NamedTuple):
    """Something that waits for the user."""

    number: int
    """From 1, in the order in which they came."""
    kind: str
    """`say` or `look`."""
    text: str | None
    """What the agent said; None where it only listens, and for a look."""

    def said(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"number": self.number, "kind": self.kind, "text": self.text}


class Conversation:
    """At most one event at a time waits; it stays until it was answered or given up."""

    def __init__(self, *, answer_s: float = ANSWER_S) -> None:
        self.looks = False
        """Whether the user wants to look after dispatches."""
        self.looks_at: tuple[tuple[str, str], ...] | None = None
        """Operation and name of the dispatches after which it does, an empty name being
        any; None: after each. After the first dispatch of a session it always looks.
        """
        self._has_looked = False
        self._answer_s = answer_s
        self._count = 0
        self._event: Event | None = None
        self._answer: asyncio.Future[dict[str, Any]] | None = None
        self._came = asyncio.Event()

    async def say(self, text: str | None) -> dict[str, Any] | None:
        """Return what the user answers; None if nobody does in time."""
        return await self._put("say", text)

    async def look(self, operation: str, name: str) -> None:
        """Wait until the user has looked, if it wants to; one that is gone never does."""
        if not self.looks or not self._wants(operation, name):
            return
        self._has_looked = True
        if await self._put("look", None) is None:
            self.looks = False

    def _wants(self, operation: str, name: str) -> bool:
        if self.looks_at is None or not self._has_looked:
            return True
        return any((operation, one) in self.looks_at for one in ("", name))

    async def next(self, wait_s: float) -> Event | None:
        """Return what waits for the user; None if nothing came within `wait_s`.

        An event is given again until it is answered: a user that lost its connection
        can go on.
        """
        if self._event is not None:  # also where `wait_s` is 0, which waits for nothing
            return self._event
        try:
            await asyncio.wait_for(self._came.wait(), wait_s)
        except asyncio.TimeoutError:  # noqa: UP041  another class before Python 3.11
            return None
        return self._event

    def answer(self, number: object, message: Mapping[str, Any]) -> None:
        """Let the agent's request go on; `message` is empty for a look.

        Raises:
            WsError: `invalid`; nothing of this number waits, or the message is none.
        """
        event, answer = self._event, self._answer
        if event is None or answer is None or event.number != number:
            raise WsError(INVALID, f"no event {number!r} waits for an answer")
        told = _message(message) if event.kind == "say" else {}
        self._done()
        answer.set_result(told)

    async def _put(self, kind: str, text: str | None) -> dict[str, Any] | None:
        self._count += 1
        self._event = Event(self._count, kind, text)
        self._answer = asyncio.get_running_loop().create_future()
        self._came.set()
        try:
            return await asyncio.wait_for(self._answer, self._answer_s)
        except asyncio.TimeoutError:  # noqa: UP041  as above
            return None
        finally:
            self._done()

    def _done(self) -> None:
        self._event, self._answer = None, None
        self._came.clear()


def _message(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a message if it is one."""
    if set(said) != set(_MESSAGE) or any(
        type(said[key]) is not kind for key, kind in _MESSAGE.items()
    ):
        raise WsError(INVALID, f"an answer has {', '.join(_MESSAGE)}")
    return dict(said)
