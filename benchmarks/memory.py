"""Memory of this process, as Linux counts it: what is resident, and its peak."""

import ctypes
import sys
from pathlib import Path


def forget_peak() -> int:
    """Bytes that are resident now; the peak counts from here."""
    ctypes.CDLL(None).malloc_trim(0)  # or what loading freed would hide what comes
    Path("/proc/self/clear_refs").write_text("5")
    return _status_bytes("VmRSS")


def peak_bytes() -> int:
    """The most that was resident since `forget_peak`, or since the program began.

    `getrusage` would count the parent's, too.
    """
    return _status_bytes("VmHWM")


def _status_bytes(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    sys.exit(f"/proc/self/status has no {name}")
