"""The place in which a state is graded, and whether a child changed something of it.

What can outlive a child is looked at: files by content, mode and times, shared memory,
limits and priority of this process. Processes are `rounds`'s business.
"""

from __future__ import annotations

import json
import os
import resource
import stat
from pathlib import Path

TESTS = "/tests"
VERDICTS = "/logs/verifier"
REWARD = f"{VERDICTS}/reward.json"
PLACES = (
    *("/workspace", TESTS, "/solution", "/logs", "/tmp", "/home/agent"),  # noqa: S108
    "/dev/shm",  # noqa: S108
)
IPC = ("/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem")
Mark = tuple[int, ...]
"""What `lstat` says of one file."""


class Held:
    """What lies in the writable places, and what a child may not have changed."""

    def __init__(self) -> None:
        tests = [str(path) for path in Path(TESTS).rglob("*") if path.is_file()]
        self.files = {path: _content(path) for path in tests}
        self._marks: dict[str, Mark] = {}
        self._own: object = None

    def take(self) -> bool:
        """Read the next state and lay it out; False if there is none."""
        size = _read(8)
        if not size:
            return False
        head = json.loads(_read(int.from_bytes(size, "big")))
        for path in head["gone"]:
            del self.files[path]
            _remove(path)
        for path, executable, length in head["put"]:
            self.files[path] = _read(length)
            _write(path, self.files[path], 0o755 if executable else 0o644)
        Path(VERDICTS).mkdir()
        self._marks, self._own = _marks(), _own_settings()
        return True

    def clear(self) -> bool:
        """Take the verdict away; whether all else is as it was laid out."""
        try:
            Path(REWARD).unlink(missing_ok=True)
            marks = _marks()
            if marks.keys() != self._marks.keys():
                return False
            same = all(
                mark == self._marks[path]
                or (path == VERDICTS and stat.S_ISDIR(mark[0]))
                for path, mark in marks.items()
            )
            same = same and all(
                _content(path) == data for path, data in self.files.items()
            )
            Path(VERDICTS).rmdir()
        except OSError:
            return False
        return same and _own_settings() == self._own


def _read(size: int) -> bytes:
    """Read exactly so much: what comes after must not be in a child's memory."""
    found = b""
    while len(found) < size:
        chunk = os.read(0, size - len(found))
        if not chunk:
            return b""
        found += chunk
    return found


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as source:  # noqa: PTH123  many, and quickly
        return source.read()


def _write(path: str, data: bytes, mode: int) -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(data)
    file.chmod(mode)


def _remove(path: str) -> None:
    """Remove a file, and the folders that are empty then."""
    file = Path(path)
    file.unlink()
    for folder in file.parents:
        if str(folder) in PLACES or any(folder.iterdir()):
            return
        folder.rmdir()


def _marks() -> dict[str, Mark]:
    """Return what `lstat` says of all that lies in the writable places."""
    found: dict[str, Mark] = {}
    waiting = list(PLACES)
    while waiting:
        folder = waiting.pop()
        found[folder] = _mark(os.lstat(folder))
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    found[entry.path] = _mark(entry.stat(follow_symlinks=False))
    return found


def _mark(found: os.stat_result) -> Mark:
    return (
        *(found.st_mode, found.st_ino, found.st_uid, found.st_nlink, found.st_size),
        *(found.st_mtime_ns, found.st_ctime_ns),
    )


def _own_settings() -> object:
    """Return what a child could set of its parent, or leave in the kernel."""
    kinds = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    limits = [resource.getrlimit(getattr(resource, name)) for name in kinds]
    shared = [Path(path).read_bytes() for path in IPC if Path(path).exists()]
    priority = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)
    return limits, shared, priority, os.sched_getaffinity(0)
