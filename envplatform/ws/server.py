"""The broker's end of two sockets: one for the agent, one for who runs the session.

Runs in a sandbox or under a user of its own: an agent that shared its file system would
pass every view by, and could write the log itself. What an agent can do here is open
a few connections and send lines; a line too long, or one connection too many, ends
that connection and nothing else.

The control socket takes `patch` (the user's changes), `attend`, `await_message` and
`answer` (the user's conversation), `log`, `state`, `held`, `snapshot` and `stop`.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .broker import Broker
from .changes import read_change
from .connections import Hangup, Listener, Rules
from .conversation import ANSWER_S, Closed, Conversation
from .errors import INVALID, REFUSED, WsError
from .log import Entry
from .wire import (
    MAX_REQUEST_BYTES,
    Reply,
    Request,
    canonical,
    decode_request,
    encode_reply,
)

MAX_CONNECTIONS = 16
"""Of the agent at one time."""
MAX_WAIT_S = 60.0
"""Of the user, for one `await_message`; it asks again."""
MAX_LOG_BYTES = 256_000_000
"""After that nothing more is answered: a log with holes proves nothing."""


class Places(NamedTuple):
    """Where the server listens and what it writes."""

    agent: Path
    control: Path
    log: Path
    """Dispatch log, JSON lines, written before the reply is sent."""


class Server:
    """Serves one broker until it is told to stop.

    A thread a connection, and one state: whoever reads or changes it holds `_guard`,
    and lets go of it only while waiting for the user.
    """

    def __init__(
        self, broker: Broker, places: Places, *, answer_s: float = ANSWER_S
    ) -> None:
        """`answer_s` is how long a user may think."""
        self._broker = broker
        self._places = places
        self._guard = threading.Condition()
        self._conversation = Conversation(self._guard, answer_s=answer_s)
        self._turn = threading.Lock()
        self._written = 0
        self._log_bytes = 0
        self._is_stopped = False
        self._ending, self._end = os.pipe()

    def run(self) -> None:
        """Listen on both sockets; return when `stop` or SIGTERM came.

        Nothing is dispatched after that. To be called by the main thread, once.
        """
        # A pipe: unlike an event of threads it may be used in a signal handler.
        signal.signal(signal.SIGTERM, lambda *_: self._wake())
        self._places.log.parent.mkdir(parents=True, exist_ok=True)
        self._places.log.write_bytes(b"")
        text = f"a request is at most {MAX_REQUEST_BYTES} bytes"
        too_long = encode_reply(Reply(error=INVALID, message=text))
        full = encode_reply(Reply(error=REFUSED, message="too many connections"))
        control = Rules(self._on_control, sent=self._sent, too_long=too_long)
        agent = Rules(
            self._on_agent, most=MAX_CONNECTIONS, full=full, too_long=too_long
        )
        listening = [
            Listener(self._places.control, control),
            Listener(self._places.agent, agent),
        ]
        os.read(self._ending, 1)
        with self._guard:
            self._stop({})
        for listener in listening:
            listener.close()

    def _wake(self) -> None:
        os.write(self._end, b".")

    def _sent(self) -> None:
        """Let the process end only when `stop` was answered."""
        if self._is_stopped:
            self._wake()

    def _on_agent(self, line: bytes) -> bytes:
        return _answered(line, self._asked)

    def _on_control(self, line: bytes) -> bytes:
        with self._guard:
            if self._is_stopped:
                raise Hangup
            return _answered(line, self._controlled)

    def _asked(self, request: Request) -> Reply:
        """Answer one request after the other: the log has an order, and it is this."""
        with self._turn, self._guard:
            if self._is_stopped:
                raise Hangup
            if self._log_bytes > MAX_LOG_BYTES:
                return Reply(error=REFUSED, message="the session's log is full")
            try:
                return self._dispatched(request)
            except Closed:
                raise Hangup from None

    def _dispatched(self, request: Request) -> Reply:
        said, heard = self._broker.said(request), None
        if said is not None:
            answer = self._conversation.say(*said)
            heard = None if answer is None else Reply(data=answer)
        reply = self._broker.ask(request, heard=heard)
        self._keep_log()
        if said is None:
            name = str(request.arguments.get("name", ""))
            self._conversation.look(request.operation, name)
        return reply

    def _controlled(self, request: Request) -> Reply:
        answers: Mapping[str, Callable[[Mapping[str, Any]], Reply]] = {
            "patch": self._patch,
            "attend": self._attend,
            "await_message": self._await_message,
            "answer": self._answer,
            "log": self._log,
            "state": self._state,
            "held": self._held,
            "snapshot": self._snapshot,
            "stop": self._stop,
        }
        if request.operation not in answers:
            takes = ", ".join(answers)
            return Reply(error=INVALID, message=f"control takes {takes}")
        return answers[request.operation](request.arguments)

    def _patch(self, arguments: Mapping[str, Any]) -> Reply:
        said = arguments.get("changes")
        if not isinstance(said, list):
            raise WsError(INVALID, "patch takes a list of changes")
        reply = self._broker.patch([read_change(one) for one in said])
        self._keep_log()
        return reply

    def _attend(self, arguments: Mapping[str, Any]) -> Reply:
        """Take note whether the user wants to look after dispatches, and after which."""
        looks, at = arguments.get("looks"), arguments.get("at")
        if not isinstance(looks, bool):
            raise WsError(INVALID, "attend takes looks, true or false")
        self._conversation.looks_at = None if at is None else _pairs(at)
        self._conversation.looks = looks
        return Reply(data={})

    def _await_message(self, arguments: Mapping[str, Any]) -> Reply:
        """Return what waits for the user, with what it looks at, once there is some."""
        wait_s, paths = arguments.get("wait_s", MAX_WAIT_S), arguments.get("paths", [])
        if not isinstance(wait_s, (int, float)) or not 0 <= wait_s <= MAX_WAIT_S:
            raise WsError(INVALID, f"wait_s is a number up to {MAX_WAIT_S}")
        if not isinstance(paths, list) or not all(isinstance(p, str) for p in paths):
            raise WsError(INVALID, "paths is a list of texts")
        event = self._conversation.next(wait_s)
        holdings = self._broker.room.holdings
        held = {
            path: base64.b64encode(holdings.read(path)).decode("ascii")
            for path in paths
            if event is not None and holdings.holds(path)
        }
        told = {
            "event": None if event is None else event.said(),
            "entries": self._entries(arguments),
            "held": held,
        }
        return Reply(data=told)

    def _answer(self, arguments: Mapping[str, Any]) -> Reply:
        message = arguments.get("message", {})
        if not isinstance(message, dict):
            raise WsError(INVALID, "message is an object")
        self._conversation.answer(arguments.get("number"), message)
        return Reply(data={})

    def _log(self, arguments: Mapping[str, Any]) -> Reply:
        return Reply(data={"entries": self._entries(arguments)})

    def _entries(self, arguments: Mapping[str, Any]) -> list[Any]:
        """Return the lines after number `after`."""
        after = arguments.get("after", 0)
        if not isinstance(after, int) or after < 0:
            raise WsError(INVALID, "after is a whole number")
        return [json.loads(entry.line()) for entry in self._broker.log[after:]]

    def _state(self, _: Mapping[str, Any]) -> Reply:
        return Reply(data=self._broker.room.memory)

    def _held(self, arguments: Mapping[str, Any]) -> Reply:
        """Return what is held at a location, past the views."""
        path = arguments.get("path")
        if not isinstance(path, str):
            raise WsError(INVALID, "held takes a path")
        return Reply(content=self._broker.room.holdings.read(path))

    def _snapshot(self, _: Mapping[str, Any]) -> Reply:
        """Return all that is held, coded, and what the views remember."""
        holdings = self._broker.room.holdings
        files = {
            path: base64.b64encode(holdings.read(path)).decode("ascii")
            for path in holdings.below("")
        }
        return Reply(data={"files": files, "state": self._broker.room.memory})

    def _stop(self, _: Mapping[str, Any]) -> Reply:
        self._is_stopped = True
        self._conversation.close()
        return Reply(data={"entries": len(self._broker.log)})

    def _keep_log(self) -> None:
        fresh: list[Entry] = self._broker.log[self._written :]
        data = "".join(f"{entry.line()}\n" for entry in fresh).encode("ascii")
        with self._places.log.open("ab", buffering=0) as stream:
            stream.write(data)
        self._written += len(fresh)
        self._log_bytes += len(data)


def _answered(line: bytes, answer: Callable[[Request], Reply]) -> bytes:
    try:
        reply = answer(decode_request(line))
    except WsError as error:
        reply = Reply(error=error.code, message=error.message)
    return encode_reply(reply)


def state_line(memory: dict[str, dict[str, Any]]) -> bytes:
    """Return what views remember, in one spelling."""
    return canonical(memory).encode("ascii") + b"\n"


def _pairs(said: object) -> tuple[tuple[str, str], ...]:
    """Return operations with names out of JSON."""
    pairs = said if isinstance(said, list) else [None]
    found = []
    for pair in pairs:
        if not isinstance(pair, list) or [type(part) for part in pair] != [str, str]:
            raise WsError(INVALID, "at is a list of pairs, operation and name")
        found.append((pair[0], pair[1]))
    return tuple(found)
