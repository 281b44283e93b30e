"""The watchdog's eyes: what the processes of one execution use right now.

Reads /proc and the writable places; kills nothing and decides nothing but which
limit is passed. Polling sees no burst shorter than its interval: `best_effort`.
"""

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from envplatform.sandbox.base import Ending, Limits

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_S = os.sysconf("SC_CLK_TCK")
_ENTRY_BYTES = 512
"""What a file costs beyond its blocks, so that empty files count too."""
_DEEPEST = 200
_MB = 1024 * 1024


class Watch:
    """Compares the use of one execution with its limits.

    `used_before` are the bytes on disk that it found: what is too full already may
    be emptied, and must only not grow. `boxed`: a control group counts memory and
    processes, and better than this can.
    """

    def __init__(
        self,
        init_pid: int,
        places: Path,
        limits: Limits,
        *,
        used_before: int,
        boxed: bool,
    ) -> None:
        self._boxed = boxed
        self._init_pid = init_pid
        self._places = places
        self._limits = limits
        self._disk_bytes = max(limits.disk_mb * _MB, used_before)
        self._next_disk_look = 0.0

    def breach(self) -> Ending | None:
        """Which limit is passed now, if any; looks at the disk now and then."""
        pids = list(_descendants(self._init_pid))
        threads, cpu_s, memory = _use(pids)
        if not self._boxed and self._too_much_memory(pids, memory):
            return "out_of_memory"
        if not self._boxed and threads > self._limits.processes:
            return "process_limit"
        if cpu_s >= self._limits.cpu_s:
            return "timeout"
        return self._disk_breach(pids)

    def _too_much_memory(self, pids: list[int], at_most: int) -> bool:
        """Count exactly, which is slow, only where the quick sum is too much."""
        limit = self._limits.memory_mb * _MB
        return at_most > limit and sum(_proportional(pid) for pid in pids) > limit

    def full(self, used: int) -> bool:
        """Whether so many bytes on disk are more than allowed."""
        return used > self._disk_bytes

    def _disk_breach(self, pids: list[int]) -> Ending | None:
        started = time.monotonic()
        if started < self._next_disk_look:
            return None
        used = disk_use(self._places) + sum(_unlinked(pid) for pid in pids)
        took = time.monotonic() - started
        self._next_disk_look = time.monotonic() + max(0.1, 10 * took)
        return "disk_limit" if self.full(used) else None


def disk_use(root: Path) -> int:
    """Bytes on disk below `root`, each file and folder with its inode.

    A folder that can't be opened counts as empty; one too deep to be honest counts
    as more than any limit.
    """
    seen: set[tuple[int, int]] = set()
    try:
        top = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return 0
    try:
        return _below(top, 0, seen)
    finally:
        os.close(top)


def _below(folder: int, depth: int, seen: set[tuple[int, int]]) -> int:
    if depth > _DEEPEST:
        return 1 << 62
    total = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    total += _inside(folder, entry.name, depth, seen)
            except OSError:
                continue  # gone meanwhile, or locked
            if found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode):
                if (found.st_dev, found.st_ino) in seen:
                    continue
                seen.add((found.st_dev, found.st_ino))
            total += found.st_blocks * 512 + _ENTRY_BYTES
    return total


def _inside(folder: int, name: str, depth: int, seen: set[tuple[int, int]]) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    inner = os.open(name, flags, dir_fd=folder)
    try:
        return _below(inner, depth + 1, seen)
    finally:
        os.close(inner)


def _descendants(pid: int) -> Iterator[int]:
    """Every process below `pid`; the sandbox's orphans are adopted by its init."""
    waiting = [pid]
    while waiting:
        try:
            for tasks in Path(f"/proc/{waiting.pop()}/task").iterdir():
                children = (tasks / "children").read_text(encoding="ascii").split()
                waiting += map(int, children)
                yield from map(int, children)
        except OSError:
            continue  # gone meanwhile


def _use(pids: list[int]) -> tuple[int, float, int]:
    """Threads of all, CPU seconds of the busiest, resident bytes of all.

    Pages that several share are counted several times.
    """
    threads, busiest_s, memory = 0, 0.0, 0
    for pid in pids:
        try:
            line = Path(f"/proc/{pid}/stat").read_text(encoding="latin-1")
            pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
        except OSError:
            continue
        fields = line.rpartition(")")[2].split()
        threads += int(fields[17])
        busiest_s = max(busiest_s, (int(fields[11]) + int(fields[12])) / _TICKS_S)
        memory += int(pages[1]) * _PAGE_BYTES
    return threads, busiest_s, memory


def _proportional(pid: int) -> int:
    """Bytes of memory, pages that are shared counted in parts."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    for line in lines.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _unlinked(pid: int) -> int:
    """Bytes on disk of plain files that the process holds open and deleted."""
    total = 0
    try:
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            found = handle.stat()
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                total += found.st_blocks * 512
    except OSError:
        return total
    return total
