"""Shields this process from what it starts, and ends what came after it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path

LESSER = 1000
"""User and group of the agent, in every image of ours."""

_PR_SET_DUMPABLE = 4
_ROUNDS = 200
_PAUSE_S = 0.01
_STATE, _STARTED = 0, 19
"""Positions in /proc/PID/stat, counted after the name."""


def hide() -> None:
    """Shut this process's memory and files to other processes of its user."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def lesser_user(root: Path) -> Callable[[], None] | None:
    """Give `root` to a user who is not us, where we can; return how to become them.

    As root (Harbor's own containers) we then can't be killed by the code under test,
    nor can it write where we do. None where we are an ordinary user ourselves.
    """
    if os.geteuid() != 0:
        return None
    for folder, _, names in os.walk(str(root)):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            os.chown(str(path), LESSER, LESSER)

    def become() -> None:
        os.setgroups([])
        os.setgid(LESSER)
        os.setuid(LESSER)

    return become


def sweep() -> bool:
    """Kill every process that started after this one; False if some would not go.

    Older ones are not ours to end: the sandbox's own, and those that started us.
    """
    for _ in range(_ROUNDS):
        alive = _younger()
        if not alive:
            return True
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:
                return False
        time.sleep(_PAUSE_S)
    return False


def _younger() -> list[int]:
    own = _stat(os.getpid())
    if own is None:
        msg = "/proc does not show this process"
        raise RuntimeError(msg)
    found = []
    for entry in Path("/proc").iterdir():
        pid = int(entry.name) if entry.name.isdigit() else 0
        if pid in {0, 1, os.getpid(), os.getppid()}:
            continue
        seen = _stat(pid)
        if seen is not None and seen[0] != "Z" and seen[1] >= own[1]:
            found.append(pid)
    return found


def _stat(pid: int) -> tuple[str, int] | None:
    """Return state and start time of a process, None if it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name may hold anything, blanks and brackets too.
    words = text.rpartition(")")[2].split()
    return words[_STATE], int(words[_STARTED])
