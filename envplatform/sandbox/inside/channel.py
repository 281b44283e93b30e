"""Requests in, answers out: a line of JSON, then as many bytes as it announces.

Standard input and output are the private channel to the platform; no command that
is run here ever inherits them.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from envplatform.sandbox.inside.guard import Signals, wait

CHUNK = 65536


class StoredFile(NamedTuple):
    """One plain file."""

    path: str
    executable: bool
    data: bytes


def encoded(path: str) -> str:
    """A path as JSON takes it, whatever bytes it is made of."""
    return os.fsencode(path).hex()


def decoded(name: str) -> str:
    """The path that `encoded` made `name` of."""
    return os.fsdecode(bytes.fromhex(name))


class Request:
    """One request: its line, and the bytes that follow."""

    def __init__(self, header: dict[str, object], payload: bytes) -> None:
        self.header = header
        self.payload = payload

    def number(self, name: str) -> float:
        """A number of the header."""
        return float(str(self.header[name]))

    def files(self) -> list[StoredFile]:
        """Cut the payload into the files that the header lists."""
        listed, start = self.header["files"], 0
        files = []
        if not isinstance(listed, list):
            raise TypeError("files is no list")  # noqa: EM101, TRY003
        for name, executable, size in listed:
            data = self.payload[start : start + size]
            files.append(StoredFile(decoded(name), executable, data))
            start += size
        return files


class Channel:
    """The platform's end is `engine.Line`."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._received = bytearray()

    def receive(self) -> Request:
        """Wait for the next request; never returns once the owner has hung up."""
        while b"\n" not in self._received.lstrip():
            self._more()
        # An empty line is a call to stop what had ended by itself.
        line, _, rest = bytes(self._received.lstrip()).partition(b"\n")
        header = json.loads(line.decode())
        self._received = bytearray(rest)
        while len(self._received) < header["bytes"]:
            self._more()
        payload = bytes(self._received[: header["bytes"]])
        del self._received[: header["bytes"]]
        return Request(header, payload)

    def send(self, answer: dict[str, object], payload: bytes) -> None:
        """Send one answer."""
        line = json.dumps({**answer, "bytes": len(payload)}) + "\n"
        left = memoryview(line.encode() + payload)
        while left:
            left = left[os.write(1, left[:CHUNK]) :]

    def called_off(self) -> bool:
        """Whether the platform sent anything while a command ran."""
        return bool(self._received)

    def listen(self) -> None:
        """Take what arrived on standard input; its end ends this process."""
        chunk = os.read(0, CHUNK)
        if not chunk:
            os._exit(0)
        self._received += chunk

    def _more(self) -> None:
        for descriptor in wait([0, self._signals.descriptor], [], None):
            if descriptor == 0:
                self.listen()
            else:
                self._signals.take()
                reap()


def reap() -> dict[int, int]:
    """Bury the dead: process id to wait status of every child that has ended."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status
