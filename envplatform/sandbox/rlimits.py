"""Limits that the kernel itself holds each process to, set inside the sandbox.

The watchdog and the control group come first, so that what ends a process is known;
these are the second line.
"""

import math
import os
import resource

from envplatform.sandbox.base import Limits

_OPEN_FILES = 4096
_SPARE_PROCESSES = 8
"""Forks beyond the limit that are still allowed, so that the watchdog sees them."""
_COUNTS_PER_NAMESPACE = (5, 14)
"""Linux before it counts all processes of a user, the host's included."""


def limited(argv: tuple[str, ...], limits: Limits) -> tuple[str, ...]:
    """Return `argv` behind util-linux's `prlimit`, which becomes it.

    Signals that we were started to ignore (by nohup, say) end it as they should.
    Ends with 127 where there is no such command, 126 where it can't be run.
    """
    cpu_s = math.ceil(limits.cpu_s) + 1
    file_bytes = (limits.disk_mb + 1) * 1024 * 1024
    wanted = {
        "core": (resource.RLIMIT_CORE, 0),
        "cpu": (resource.RLIMIT_CPU, cpu_s),
        "fsize": (resource.RLIMIT_FSIZE, file_bytes),
        "nofile": (resource.RLIMIT_NOFILE, _OPEN_FILES),
        "nproc": (resource.RLIMIT_NPROC, limits.processes + _SPARE_PROCESSES),
    }
    if os.geteuid() != 0 and _kernel() < _COUNTS_PER_NAMESPACE:
        del wanted["nproc"]
    options = [
        f"--{name}={_lowered(kind, value)}" for name, (kind, value) in wanted.items()
    ]
    default_signals = ("/usr/bin/env", "--default-signal")
    return (*default_signals, "/usr/bin/prlimit", *options, "--", *argv)


def _lowered(kind: int, value: int) -> int:
    """`value`, or what this process may have at most: nobody can raise that."""
    _, hard = resource.getrlimit(kind)
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def _kernel() -> tuple[int, ...]:
    digits = os.uname().release.replace("-", ".").split(".")[:2]
    return tuple(int(part) for part in digits)
