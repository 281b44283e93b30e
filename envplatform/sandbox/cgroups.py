"""Control groups for one execution: exact limits on memory and processes.

Used where this process may create groups below its own: version 2 with delegated
controllers, or version 1 as root. Where it may not, the watchdog alone counts.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from envplatform.sandbox.base import Ending, Limits

_PREFIX = "envplatform-"
_INIT = 1
"""Bubblewrap's own first process, counted by the kernel and not by `Limits`."""


@dataclass(frozen=True, slots=True)
class CgroupHome:
    """Where groups can be made: one folder (version 2), or one a controller."""

    memory: Path
    pids: Path

    @property
    def unified(self) -> bool:
        """Whether both controllers share one version 2 folder."""
        return self.memory == self.pids


@dataclass(frozen=True, slots=True)
class Box:
    """The group of one execution."""

    memory: Path
    pids: Path
    unified: bool

    def add(self, pid: int) -> None:
        """Move a process in; what it forks from now on is in too."""
        for folder in {self.memory, self.pids}:
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def breach(self) -> Ending | None:
        """Which limit was hit so far, if any."""
        memory = "memory.events" if self.unified else "memory.oom_control"
        if _counter(self.memory / memory, "oom_kill"):
            return "out_of_memory"
        if _counter(self.pids / "pids.events", "max"):
            return "process_limit"
        return None


def find_home() -> CgroupHome | None:
    """Return the folders in which this process may make limited groups."""
    try:
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    places = dict(_places(groups, mounts))
    if "memory" in places and "pids" in places:
        home = CgroupHome(places["memory"], places["pids"])
    elif "" in places and _delegated(places[""]):
        home = CgroupHome(places[""], places[""])
    else:
        return None
    try:
        with boxed(home, Limits()):
            _sweep(home)
            return home
    except OSError:
        return None


@contextmanager
def boxed(home: CgroupHome, limits: Limits) -> Iterator[Box]:
    """Make the group of one execution; removed at the end, when all in it is dead.

    Raises:
        OSError: this process may not make one.
    """
    name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(6)}"
    box = Box(home.memory / name, home.pids / name, home.unified)
    try:
        for folder in {box.memory, box.pids}:
            folder.mkdir()
        _limit(box, limits)
        yield box
    finally:
        for folder in {box.memory, box.pids}:
            _remove(folder)


def _sweep(home: CgroupHome) -> None:
    """Remove the groups whose owner was killed before it could."""
    for folder in {home.memory, home.pids}:
        for group in folder.glob(f"{_PREFIX}*"):
            owner = group.name.removeprefix(_PREFIX).partition("-")[0]
            if not Path("/proc", owner).exists():
                with suppress(OSError):  # not empty, or swept by somebody else
                    group.rmdir()


def _limit(box: Box, limits: Limits) -> None:
    memory = str(limits.memory_mb * 1024 * 1024)
    settings = {box.pids / "pids.max": str(limits.processes + _INIT)}
    if box.unified:
        settings[box.memory / "memory.max"] = memory
        settings[box.memory / "memory.swap.max"] = "0"
        settings[box.memory / "memory.oom.group"] = "1"
    else:
        settings[box.memory / "memory.limit_in_bytes"] = memory
        settings[box.memory / "memory.memsw.limit_in_bytes"] = memory
    for path, value in settings.items():
        if path.exists():  # swap accounting may be off
            path.write_text(value, encoding="ascii")


def _remove(folder: Path) -> None:
    for _ in range(50):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)  # the kernel still counts the last dead process


def _counter(path: Path, name: str) -> int:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    counters = dict(line.split(" ", 1) for line in lines if " " in line)
    return int(counters.get(name, "0"))


def _places(groups: list[str], mounts: list[str]) -> Iterator[tuple[str, Path]]:
    """Controller (empty for version 2) and the folder of our own group."""
    own = {}
    for line in groups:
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            own[controller] = path
    for line in mounts:
        left, right = line.split(" - ", 1)
        root, point = left.split(" ")[3:5]
        kind, _, options = right.split(" ", 2)
        names = [""] if kind == "cgroup2" else options.split(",")
        for name in set(names) & own.keys() if kind.startswith("cgroup") else ():
            below = own[name].removeprefix(root.rstrip("/"))
            yield name, Path(point, below.lstrip("/"))


def _delegated(folder: Path) -> bool:
    """Whether children of `folder` get both controllers, after asking for them."""
    control = folder / "cgroup.subtree_control"
    try:
        if not {"memory", "pids"} <= set(control.read_text(encoding="ascii").split()):
            control.write_text("+memory +pids", encoding="ascii")
    except OSError:
        return False
    return True
