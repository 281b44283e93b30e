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
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from .channel import open_writer
from .child import BROKEN, UNUSABLE, _run
from .screen_attempt import COMPILER_STREAM
from .screen_codes import Codes

_PR_SET_DUMPABLE = 4
_ROUNDS = 6


def main() -> None:
    """Serve requests until standard input ends."""
    show = ctypes.CDLL(None, use_errno=True).prctl
    show(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    lines = _lines(0)
    setup = json.loads(lines())
    try:
        import pytest  # noqa: F401, PLC0415  imported before the repository can be

        from . import lines as _lines_module  # noqa: F401, PLC0415
        from . import plugin  # noqa: F401, PLC0415

        codes = Codes()
        codes.install()
    except ImportError:
        os._exit(UNUSABLE)
    worker = Worker(setup, codes, show)
    while True:
        line = lines()
        if not line:
            os._exit(0)
        worker.serve(json.loads(line))


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
        self, setup: dict[str, Any], codes: Codes, prctl: Callable[..., int]
    ) -> None:
        self._root: str = setup["root"].rstrip("/") + "/"
        self._own = frozenset(setup["own"])
        self._records: int = setup["records"]
        self._replies: int = setup["replies"]
        self._codes = codes
        self._prctl = prctl
        for fd in (self._records, self._replies):
            os.set_inheritable(fd, False)  # noqa: FBT003  its only signature

    def serve(self, request: dict[str, Any]) -> None:
        """Run one request in a fork, and say how the fork ended."""
        learns = request["do"] == "learn"
        source, sink = os.pipe() if learns else (-1, -1)
        pid = os.fork()
        if pid == 0:
            self._run_fork(request, sink)
        self._reply({"pid": pid})
        learned = b""
        if learns:
            os.close(sink)
            learned = _read_all(source)
        _, status = os.waitpid(pid, 0)
        code = -(status & 0x7F) if status & 0x7F else status >> 8
        reply: dict[str, Any] = {"status": code}
        if learns and learned and code == 0:
            self._absorb(learned)
            reply["is_alone"] = _threads() == 1 and not self._has_own()
        self._reply(reply)

    def _reply(self, reply: dict[str, Any]) -> None:
        os.write(self._replies, json.dumps(reply).encode() + b"\n")

    def _run_fork(self, request: dict[str, Any], sink: int) -> None:
        """Become the process that holds the code under test; never returns."""
        status, leave = BROKEN, os._exit  # bound now: suites patch modules
        try:
            os.setsid()
            os.close(self._replies)
            quiet = os.open(os.devnull, os.O_RDONLY)
            os.dup2(quiet, 0)
            os.close(quiet)
            self._prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
            status = self._run(request, sink)
        finally:
            leave(status)

    def _run(self, request: dict[str, Any], sink: int) -> int:
        job, key = request["job"], bytes.fromhex(request.pop("key"))
        records = self._records

        def open_stream(stream: int) -> Callable[[dict[str, Any]], None]:
            return open_writer(records, key, stream)

        broken = _first_broken(self._root, request["changed"])
        if broken:
            send = open_stream(COMPILER_STREAM)
            send({"kind": "does_not_compile", "detail": broken})
            return 0
        before = set(sys.modules)
        self._codes.is_learning = request["do"] == "learn"
        status = _run(job, open_stream)
        if self._codes.is_learning:
            names = _outside(self._root, self._own, before)
            codes = self._codes.learned()
            with os.fdopen(sink, "wb") as stream:
                stream.write(json.dumps(names).encode() + b"\n" + codes)
        return status

    # -- what a healthy fork taught

    def _absorb(self, learned: bytes) -> None:
        names, _, codes = learned.partition(b"\n")
        self._codes.absorb(codes)
        for name in self._harmless(json.loads(names)):
            importlib.import_module(name)
        # What is warm stays: collections in forks need not look at it, nor copy it.
        gc.collect()
        gc.freeze()

    def _harmless(self, names: list[str]) -> list[str]:
        """Return those that import without the repository and without a thread."""
        for _ in range(_ROUNDS):
            bad = self._try_imports(names)
            if bad is None:
                return []
            if not bad:
                return names
            names = [name for name in names if name not in bad]
        return []

    def _try_imports(self, names: list[str]) -> set[str] | None:
        """Import `names` in a fork; return those that should not be, None: it broke."""
        source, sink = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(source)
                bad = _bad_imports(names, self._own)
                os.write(sink, json.dumps(bad).encode() + b"\n")
            finally:
                os._exit(0)
        os.close(sink)
        said = _read_all(source)
        os.waitpid(pid, 0)
        return set(json.loads(said)) if said.endswith(b"\n") else None

    def _has_own(self) -> bool:
        return any(name.partition(".")[0] in self._own for name in sys.modules)


class _Gate:
    """A finder that turns away the repository's own modules, and notes who asked."""

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self.asked = False

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> None:
        if name.partition(".")[0] in self._own:
            self.asked = True
            raise ModuleNotFoundError(name)


def _bad_imports(names: list[str], own: frozenset[str]) -> list[str]:
    gate = _Gate(own)
    sys.meta_path.insert(0, gate)
    for place, name in enumerate(names):
        gate.asked = False
        try:
            importlib.import_module(name)
        except BaseException:  # noqa: BLE001  whatever it is: not here
            gate.asked = True
        if _threads() > 1:
            # Not to be undone, and it hides what the rest would do.
            return [name, *(n for n in names[place + 1 :] if n.startswith(f"{name}."))]
        if gate.asked:
            return [name]
    return []


def _outside(root: str, own: frozenset[str], before: set[str]) -> list[str]:
    """Return the modules imported since, from beyond the repository, in order."""
    names: list[str] = []
    for name, module in list(sys.modules.items()):
        spec: Any = getattr(module, "__spec__", None)
        if name in before or name.partition(".")[0] in own:
            continue
        if type(module) is not ModuleType or getattr(spec, "name", None) != name:
            continue
        origin = getattr(spec, "origin", None) or ""
        if not str(Path(origin).absolute()).startswith(root):
            names.append(name)
    return names


def _threads() -> int:
    """Count threads, those of C libraries included."""
    return max(
        threading.active_count(), sum(1 for _ in Path("/proc/self/task").iterdir())
    )


def _first_broken(root: str, paths: list[str]) -> str:
    """Return what the compiler says of the first file that it refuses, or nothing."""
    for path in paths:
        try:
            compile(Path(root, path).read_bytes(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return f"{path}: {type(error).__name__}: {error}"
    return ""


def _read_all(fd: int) -> bytes:
    pieces = []
    with os.fdopen(fd, "rb") as stream:
        pieces.append(stream.read())
    return b"".join(pieces)
