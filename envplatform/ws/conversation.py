"""The agent's messages to the user inside, and the user's looks at what was done.

The user answers through the control socket, in its own time; the agent's request waits
for it, up to a bound. A look is a pause after a dispatch in which the user may change
what is held: it belongs to a place in the log, never to a time.
"""

from __future__ import annotations

import threading
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


class Closed(Exception):  # noqa: N818  no error: the session is over
    """The session ended while something waited for the user."""


class Conversation:
    """At most one event at a time waits; it stays until it was answered or given up.

    Whoever calls holds `state`, which is let go of only while something is waited for.
    """

    def __init__(
        self, state: threading.Condition, *, answer_s: float = ANSWER_S
    ) -> None:
        self.looks = False
        """Whether the user wants to look after dispatches."""
        self.looks_at: tuple[tuple[str, str], ...] | None = None
        """Operation and name of the dispatches after which it does, an empty name being
        any; None: after each. After the first dispatch of a session it always looks.
        """
        self._state = state
        self._has_looked = False
        self._answer_s = answer_s
        self._count = 0
        self._event: Event | None = None
        self._answer: dict[str, Any] | None = None
        self._is_closed = False

    def say(self, text: str | None) -> dict[str, Any] | None:
        """Return what the user answers; None if nobody does in time.

        Raises:
            Closed: the session is over.
        """
        return self._put("say", text)

    def look(self, operation: str, name: str) -> None:
        """Wait until the user has looked, if it wants to; one that is gone never does.

        Raises:
            Closed: the session is over.
        """
        if not self.looks or not self._wants(operation, name):
            return
        self._has_looked = True
        if self._put("look", None) is None:
            self.looks = False

    def _wants(self, operation: str, name: str) -> bool:
        if self.looks_at is None or not self._has_looked:
            return True
        return any((operation, one) in self.looks_at for one in ("", name))

    def next(self, wait_s: float) -> Event | None:
        """Return what waits for the user; None if nothing came within `wait_s`.

        An event is given again until it is answered: a user that lost its connection
        can go on.
        """
        self._state.wait_for(lambda: self._event is not None or self._is_closed, wait_s)
        return self._event

    def answer(self, number: object, message: Mapping[str, Any]) -> None:
        """Let the agent's request go on; `message` is empty for a look.

        Raises:
            WsError: `invalid`; nothing of this number waits, or the message is none.
        """
        event = self._event
        if event is None or event.number != number:
            raise WsError(INVALID, f"no event {number!r} waits for an answer")
        self._answer = _message(message) if event.kind == "say" else {}
        self._event = None
        self._state.notify_all()

    def close(self) -> None:
        """End the session: nothing waits any more, or ever again."""
        self._is_closed = True
        self._state.notify_all()

    def _put(self, kind: str, text: str | None) -> dict[str, Any] | None:
        self._count += 1
        self._event, self._answer = Event(self._count, kind, text), None
        self._state.notify_all()
        self._state.wait_for(
            lambda: self._answer is not None or self._is_closed, self._answer_s
        )
        self._event, answer = None, self._answer
        if self._is_closed:
            raise Closed
        return answer


def _message(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a message if it is one."""
    if set(said) != set(_MESSAGE) or any(
        type(said[key]) is not kind for key, kind in _MESSAGE.items()
    ):
        raise WsError(INVALID, f"an answer has {', '.join(_MESSAGE)}")
    return dict(said)
