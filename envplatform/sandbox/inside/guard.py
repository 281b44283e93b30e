"""Keep the first process out of reach of the code it runs, which is the same user."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import struct

_PR_SET_DUMPABLE = 4
_RECORD_BYTES = 128
_SENDER_OFFSET = 12


def expose() -> None:
    """Undo `protect` in a forked child, which may then change its own settings."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


def protect() -> None:
    """Refuse to be traced, and to have memory or open files looked at.

    Signals need no guard beyond `Signals`: those without a handler don't reach the
    first process of a pid namespace from inside, SIGKILL included.

    Raises:
        OSError: the kernel refused.
    """
    if ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError("prctl(PR_SET_DUMPABLE) failed")  # noqa: EM101, TRY003
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Signals:
    """Child deaths, and the engine's wish to stop, as something to select on."""

    def __init__(self) -> None:
        wanted = (signal.SIGTERM, signal.SIGCHLD)
        signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
        mask = struct.pack("@Q", sum(1 << (number - 1) for number in wanted))
        self.descriptor = ctypes.CDLL(None).signalfd(
            -1, mask.ljust(_RECORD_BYTES, b"\0"), os.O_CLOEXEC | os.O_NONBLOCK
        )
        if self.descriptor < 0:
            raise OSError("signalfd failed")  # noqa: EM101, TRY003

    def take(self) -> None:
        """Take what has arrived; leave at once if the engine asks for it.

        From inside the namespace nobody may ask: there the sender has a number.
        """
        try:
            record = os.read(self.descriptor, _RECORD_BYTES)
        except BlockingIOError:
            return
        number, sender = record[0], struct.unpack_from("@I", record, _SENDER_OFFSET)[0]
        if number == signal.SIGTERM and sender == 0:
            os._exit(0)


def wait(readable: list[int], writable: list[int], wait_s: float | None) -> list[int]:
    """Return which descriptors are ready, or none after `wait_s` (None: for ever)."""
    ready, accepting, _ = select.select(readable, writable, [], wait_s)
    return [*ready, *accepting]
