"""The warm process: pytest is imported, nothing of the repository is, and it forks.

Each request on standard input becomes one fork, which runs the suite as `child.py`
does in a process of its own. Replies (process number, then exit status) go through a
pipe that the fork closes before it touches the repository. The worker can't be
inspected by its forks, and the key of a request is no longer of use when it is over.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .channel import open_writer
from .child import BROKEN, UNUSABLE, _run
from .screen_attempt import COMPILER_STREAM
from .screen_codes import Codes
from .screen_imports import harmless, has_own, outside, read_all, threads

_PR_SET_DUMPABLE = 4
UNFIT = 72
"""Exit status of a stem: something of the repository ran, or pytest did not start."""

Send = Callable[[dict[str, Any]], None]


def main() -> None:
    """Serve requests until standard input ends."""
    show = ctypes.CDLL(None, use_errno=True).prctl
    show(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    lines = _lines(0)
    setup = json.loads(lines())
    try:
        import pytest  # noqa: F401, PLC0415  imported before the repository can be

        from . import screen_stem  # noqa: F401, PLC0415

        codes = Codes()
        codes.install()
    except ImportError:
        os._exit(UNUSABLE)
    worker = Worker(setup, codes, show, lines)
    while True:
        worker.serve(worker.next_request())


def _lines(fd: int) -> Callable[[], bytes]:
    """Return a reader of lines that takes nothing from `fd` ahead of need."""

    def read() -> bytes:
        line = bytearray()
        while not line.endswith(b"\n"):
            head = _read_exactly(fd, 9)
            if not head:
                return b""
            line += _read_exactly(fd, int(head))
        return bytes(line)

    return read


def _read_exactly(fd: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = os.read(fd, size - len(data))
        if not piece:
            return b""
        data += piece
    return bytes(data)


class Worker:
    """What is warm, and how it forks."""

    def __init__(
        self,
        setup: dict[str, Any],
        codes: Codes,
        prctl: Callable[..., int],
        lines: Callable[[], bytes],
    ) -> None:
        self._root: str = setup["root"].rstrip("/") + "/"
        self._own = frozenset(setup["own"])
        self._records: int = setup["records"]
        self._replies: int = setup["replies"]
        self._codes = codes
        self._prctl = prctl
        self._lines = lines
        for fd in (self._records, self._replies):
            os.set_inheritable(fd, False)  # noqa: FBT003  its only signature

    def next_request(self) -> dict[str, Any]:
        """Wait for a request; ends the process where there are no more."""
        line = self._lines()
        if not line:
            os._exit(0)
        request: dict[str, Any] = json.loads(line)
        return request

    def serve(self, request: dict[str, Any]) -> None:
        """Do one request: learn, become the parent of a stem, or run in a fork."""
        if request["do"] == "stem":
            self._grow(request["job"])
        elif request["do"] == "learn":
            self._learn(request)
        elif self._forks():
            self._run_fork(request)

    def _forks(self) -> bool:
        """Fork and tell how the fork ended; True in the fork, whose end is ahead."""
        pid = os.fork()
        if pid == 0:
            return True
        self._reply({"pid": pid})
        self._reply({"status": _ended(pid)})
        return False

    def _reply(self, reply: dict[str, Any]) -> None:
        os.write(self._replies, json.dumps(reply).encode() + b"\n")

    def _enter_fork(self) -> None:
        """Become a process that may hold the code under test."""
        os.setsid()
        os.close(self._replies)
        quiet = os.open(os.devnull, os.O_RDONLY)
        os.dup2(quiet, 0)
        os.close(quiet)
        self._prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)

    def _streams(self, request: dict[str, Any]) -> Callable[[int], Send]:
        """Return what opens streams of the request, whose key is not kept."""
        key, records = bytes.fromhex(request.pop("key")), self._records

        def open_stream(stream: int) -> Send:
            return open_writer(records, key, stream)

        return open_stream

    def _run_fork(self, request: dict[str, Any]) -> None:
        """Run the suite from pytest's start on; never returns."""
        status = BROKEN
        try:
            self._enter_fork()
            open_stream = self._streams(request)
            self._refuse_broken(request["changed"], open_stream)
            status = _run(request["job"], open_stream)
        finally:
            os._exit(status)

    def _refuse_broken(
        self, changed: list[str], open_stream: Callable[[int], Send]
    ) -> None:
        """End the fork if a changed file does not compile."""
        broken = self._first_broken(changed)
        if broken:
            send = open_stream(COMPILER_STREAM)
            send({"kind": "does_not_compile", "detail": broken})
            os._exit(0)

    def _first_broken(self, changed: list[str]) -> str:
        """Return what the compiler says of the first file that it refuses, or nothing."""
        for path in changed:
            file = self._root + path
            try:
                self._codes.compile(file, Path(file).read_bytes())
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                return f"{path}: {type(error).__name__}: {error}"
        return ""

    # -- a pytest that has started

    def _grow(self, job: dict[str, Any]) -> None:
        """Wait for the end of a process that serves in our place, if it comes to that."""
        pid = os.fork()
        if pid == 0:
            from .screen_stem import run_stem  # noqa: PLC0415  after pytest

            run_stem(job, self._branch)
        if _ended(pid) != UNFIT:
            os._exit(0)
        self._reply({"stem": 0})

    def _branch(self) -> tuple[dict[str, Any], Callable[[int], Send]]:
        """Serve from inside pytest; returns in each fork, with what it is to do."""
        from .screen_stem import runs_repository  # noqa: PLC0415  after pytest

        if threads() > 1 or runs_repository(self._root, self._own):
            os._exit(UNFIT)
        gc.collect()
        gc.freeze()
        self._reply({"stem": os.getpid()})
        while True:
            request = self.next_request()
            if self._forks():
                try:
                    self._enter_fork()
                    open_stream = self._streams(request)
                    self._refuse_broken(request["changed"], open_stream)
                except BaseException:  # noqa: BLE001  nothing may go on from here
                    os._exit(BROKEN)
                return request["job"], open_stream

    # -- what a healthy fork taught

    def _learn(self, request: dict[str, Any]) -> None:
        source, sink = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._learn_in_fork(request, sink)
        self._reply({"pid": pid})
        os.close(sink)
        learned = read_all(source)
        status = _ended(pid)
        is_alone = False
        if learned and status == 0:
            self._absorb(learned)
            is_alone = threads() == 1 and not has_own(self._own)
        self._reply({"is_alone": is_alone, "status": status})

    def _learn_in_fork(self, request: dict[str, Any], sink: int) -> None:
        status = BROKEN
        try:
            self._enter_fork()
            before = set(sys.modules)
            self._codes.is_learning = True
            status = _run(request["job"], self._streams(request))
            names = outside(self._root, self._own, before)
            codes = self._codes.learned()
            with os.fdopen(sink, "wb") as stream:
                stream.write(json.dumps(names).encode() + b"\n" + codes)
        finally:
            os._exit(status)

    def _absorb(self, learned: bytes) -> None:
        names, _, codes = learned.partition(b"\n")
        self._codes.absorb(codes)
        for name in harmless(json.loads(names), self._own):
            importlib.import_module(name)
        # What is warm stays: collections in forks need not look at it, nor copy it.
        gc.collect()
        gc.freeze()


def _ended(pid: int) -> int:
    """Wait for a fork; its status as in `subprocess`."""
    _, status = os.waitpid(pid, 0)
    return -(status & 0x7F) if status & 0x7F else status >> 8
