"""The sandbox's processes, as the screen's watch sees and ends them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


class UndoneError(Exception):
    """A candidate left something that can't be undone, or took the worker with it."""


def kill(pid: int) -> None:
    """Kill a process and its group, if they are there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def reap(worker: int) -> None:
    """Take note of the ends of adopted processes.

    Raises:
        UndoneError: one of them is the worker.
    """
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == worker:
                msg = "the worker ended"
                raise UndoneError(msg)
            if not pid:
                return


def processes() -> set[int]:
    """Return all living processes of the sandbox."""
    return {int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()}
