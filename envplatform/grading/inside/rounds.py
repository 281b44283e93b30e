"""Grade many final states, each by a child of this process, as if it were the only one.

The first process of a sandbox runs this and nothing else is there. It runs no code of
others: a child begins as a new interpreter would and runs /tests/grade.py, so all that a
verifier does, imports included, dies with it. Anything unusual gets no line of output,
and its state is graded elsewhere; where something was changed, that is the end.

Standard input: for each state 8 bytes with the length of a head, the head, JSON, and the
bytes of its files one after the other. `gone` are paths that the state before had, `put`
lists path, whether executable, and size. Output: a line of JSON for each state that has
a verdict.
"""

from __future__ import annotations

import atexit
import base64
import ctypes
import json
import os
import resource
import select
import signal
import stat
import sys
import time
import types
from pathlib import Path

from envplatform.grading.inside.held import REWARD, TESTS, Held
from envplatform.grading.inside.ready import Codes, Ready, prepared

GRADE = f"{TESTS}/grade.py"
MAX_REWARD_BYTES = 65_536
KEPT_BYTES = 1_000_000
"""Of either stream: as a sandbox keeps by itself."""
TAIL_BYTES = 16_384
PATIENCE_S = 10.0
"""A child that takes longer is not waited for; its state is graded elsewhere."""
_PR_SET_DUMPABLE = 4


def main(*, ours: bool) -> types.CodeType | None:
    """Go through the states; in a child, return what it is to run in `__main__`.

    `ours`: the platform itself put /tests/grade.py and /tests/seedlib.py there.
    """
    libc = ctypes.CDLL(None)
    if os.getpid() != 1 or libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise SystemExit("this must be the first process, and out of reach")  # noqa: EM101, TRY003
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that children can't send it
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))  # queues can't be listed here
    os.umask(0o022)
    ready = prepared() if ours else {}
    code = compile(Path(GRADE).read_bytes(), GRADE, "exec")
    held, at = Held(), 0
    while held.take():
        streams = os.memfd_create("out"), os.memfd_create("err")
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _begin(libc, streams, ready)
            return code
        ended = _ended(pid)
        seconds = time.monotonic() - began
        reward, alone = _reward(), _is_alone()
        if not (held.clear() and alone):
            return None
        if ended and reward is not None:
            _tell(at, reward, seconds, streams)
        for stream in streams:
            os.close(stream)
        at += 1
    return None


def _begin(libc: ctypes.CDLL, streams: tuple[int, int], ready: Codes) -> None:
    """Make this child what a new interpreter that runs /tests/grade.py would be."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate((nothing, *streams)):
        os.dup2(stream, number)
        os.close(stream)
    libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = [GRADE]
    module = types.ModuleType("__main__")
    module.__file__ = GRADE
    sys.modules["__main__"] = module
    if ready:
        sys.meta_path.insert(0, Ready(ready))


def leave() -> None:
    """End a child that ran our own program to its end, as the interpreter would.

    What the interpreter would do besides is to take itself down, object by object.
    """
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()  # noqa: SLF001  waits for those that are left
    atexit._run_exitfuncs()  # noqa: SLF001  as the interpreter does
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _ended(pid: int) -> bool:
    """Wait for a child; whether it ended by itself, well and in time."""
    handle = os.pidfd_open(pid)
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    is_late = not waiting.poll(PATIENCE_S * 1000)
    os.close(handle)
    if is_late:
        os.kill(-1, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return not is_late and status == 0


def _is_alone() -> bool:
    """Whether the child left no process: orphans are adopted by the first process."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def _reward() -> bytes | None:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with open(os.open(REWARD, flags), "rb") as source:  # noqa: PTH123  a descriptor
            if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
                return None
            return source.read(MAX_REWARD_BYTES + 1)
    except OSError:
        return None


def _tell(at: int, reward: bytes, seconds: float, streams: tuple[int, int]) -> None:
    said = b"".join(os.pread(stream, KEPT_BYTES, 0) for stream in streams)
    line = {
        "at": at,
        "reward": base64.b64encode(reward).decode("ascii"),
        "said": base64.b64encode(said[-TAIL_BYTES:]).decode("ascii"),
        "seconds": seconds,
    }
    left = json.dumps(line).encode("ascii") + b"\n"
    while left:
        left = left[os.write(1, left) :]
