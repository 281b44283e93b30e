"""Who opened a container, and whether that process still lives.

A platform process that is killed can't clean up; the next one does it by these
labels. Nothing is asked of the engine here (`docker`).
"""

import os
from dataclasses import dataclass
from pathlib import Path

LABEL = "org.envplatform.owner"


@dataclass(frozen=True, slots=True)
class Owner:
    """One process of one boot of one machine."""

    boot: str
    namespace: int
    """Inode of its pid namespace: numbers of another mean nothing here."""
    pid: int
    started: int
    """Clock ticks after boot, since numbers are used again."""

    def label(self) -> str:
        """The value of LABEL."""
        return f"{self.boot}/{self.namespace}/{self.pid}/{self.started}"

    def is_dead(self) -> bool:
        """Whether it is known to have ended; False where that can't be known."""
        here = current_owner()
        if (self.boot, self.namespace) != (here.boot, here.namespace):
            return False
        return _started(self.pid) != self.started


def current_owner() -> Owner:
    """This process."""
    return Owner(
        Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
        Path("/proc/self/ns/pid").stat().st_ino,
        os.getpid(),
        _started(os.getpid()) or 0,
    )


def parse_owner(label: str) -> Owner | None:
    """Read what `Owner.label` wrote; None for anything else."""
    try:
        boot, namespace, pid, started = label.split("/")
        return Owner(boot, int(namespace), int(pid), int(started))
    except ValueError:
        return None


def _started(pid: int) -> int | None:
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="latin-1")
    except OSError:
        return None
    return int(line.rpartition(")")[2].split()[19])
