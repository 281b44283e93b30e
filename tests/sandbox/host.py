"""What tests see of this machine from outside of every sandbox."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from envplatform.sandbox.base import ExecResult, Limits, Sandbox

LIMITS = Limits(
    wall_s=20, cpu_s=20, memory_mb=256, processes=40, output_bytes=50_000, disk_mb=64
)
"""Tight ones, that no honest command of these tests comes near."""


async def python(sandbox: Sandbox, code: str, *arguments: str) -> ExecResult:
    """Run `code` in the sandbox's Python."""
    return await sandbox.exec(["python3", "-c", code, *arguments])


def runs(marker: str) -> bool:
    """Whether some process of the host has `marker` in its command line."""
    return any(marker.encode() in line for line in _command_lines())


def runs_python(marker: str) -> bool:
    """The same of a sandbox's `python3` itself, not of what launches it."""
    lines = _command_lines()
    return any(
        line.startswith(b"python3\0") and marker.encode() in line for line in lines
    )


def _command_lines() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # gone meanwhile
            yield path.read_bytes()


def ends(marker: str, *, within_s: float = 30.0) -> bool:
    """Whether no process with `marker` is left, after a while at most."""
    deadline = time.monotonic() + within_s
    while runs(marker):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
