"""Connections to a Unix socket: a line in, a line out, each connection in its own thread.

No event loop: a broker is started for every session, and importing one takes longer than
all the rest of its start. Here: who may connect, and how long a line may be. Not here:
what a line says (`server`).
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .wire import MAX_REQUEST_BYTES

STACK_BYTES = 8 << 20
"""Of a thread, whatever the system's own size is: JSON may be nested deeply."""
_CHUNK = 1 << 16
_QUEUE = 128
_PAUSE_S = 0.05


class Hangup(Exception):  # noqa: N818  no error: this connection is to end
    """Raised by who answers to end the connection without another word."""


class Rules(NamedTuple):
    """What a socket offers to who connects."""

    answer: Callable[[bytes], bytes]
    """Takes a line, which may lack its end; returns the line that answers. May wait."""
    sent: Callable[[], None] = lambda: None
    """Told after each answer, whether it arrived or not."""
    most: int = 0
    """Connections at one time; 0: as many as there are threads."""
    full: bytes = b""
    """Said to one connection too many."""
    too_long: bytes = b""
    """Said to who sends a line over MAX_REQUEST_BYTES; the connection ends then."""


class Listener:
    """Takes connections at one place, until the process ends or `close` is called."""

    def __init__(self, place: Path, rules: Rules) -> None:
        """Listen; the socket appears under its name when it can be used, not before.

        Whoever can see it may use it: agent and user are other users than this one, and
        what keeps them apart is which folder of sockets each has a door to.
        """
        self._place = place
        self._rules = rules
        self._count = 0
        self._counting = threading.Lock()
        self._is_closed = False
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".{place.name}.{os.getpid()}")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(beside))
        self._socket.listen(_QUEUE)
        beside.chmod(0o666)
        beside.replace(place)
        _start(self._accept)

    def close(self) -> None:
        """Take no more connections; those that are there go on."""
        self._is_closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._place.unlink()

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                line, _ = self._socket.accept()
            except OSError:  # closed, or no descriptor is left for a moment
                time.sleep(_PAUSE_S)
                continue
            with self._counting:
                is_full = 0 < self._rules.most <= self._count
                self._count += not is_full
            if is_full:
                _refuse(line, self._rules.full)
                continue
            try:
                _start(partial(self._serve, line))
            except RuntimeError:  # no thread is left
                self._end(line)

    def _serve(self, line: socket.socket) -> None:
        try:
            with suppress(OSError, Hangup), line.makefile("rb", _CHUNK) as lines:
                while said := lines.readline(MAX_REQUEST_BYTES + 2):
                    if len(said) - said.endswith(b"\n") > MAX_REQUEST_BYTES:
                        line.sendall(self._rules.too_long)
                        return
                    self._answer(line, said)
        finally:
            self._end(line)

    def _answer(self, line: socket.socket, said: bytes) -> None:
        reply = self._rules.answer(said)
        try:
            line.sendall(reply)
        finally:
            self._rules.sent()

    def _end(self, line: socket.socket) -> None:
        line.close()
        with self._counting:
            self._count -= 1


def _start(work: Callable[[], None]) -> None:
    """Run in a thread that keeps no process alive.

    Raises:
        RuntimeError: no thread is left.
    """
    threading.Thread(target=work, daemon=True).start()


def _refuse(line: socket.socket, words: bytes) -> None:
    line.settimeout(0)  # whoever does not listen is not waited for
    with suppress(OSError):
        line.sendall(words)
    line.close()
