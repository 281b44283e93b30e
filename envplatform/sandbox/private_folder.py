"""The host folder of one bubblewrap sandbox: private, given away, swept when orphaned.

A platform process that is killed can't clean up. Each folder therefore holds a lock
for as long as its owner lives; whoever opens a provider removes folders without one.
"""

import fcntl
import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

from envplatform.errors import SandboxError
from envplatform.sandbox.beneath import remove
from envplatform.sandbox.launch import TAG

_PREFIX = "envplatform-sandbox-"
_LOCK = "lock"
_FIRST_OWNER = 1_879_048_192
_OWNERS = 268_435_456
"""Users that neither distributions nor systemd give to anybody."""


class PrivateFolder:
    """A fresh folder below `scratch`, for its owner only.

    Raises:
        OSError: `scratch` can't be written.
    """

    def __init__(self, scratch: Path) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=scratch))
        fresh = self.path / "unlocked"
        self._lock = os.open(fresh, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fresh.rename(self.path / _LOCK)  # no sweep ever sees it without its lock

    def give_away(self) -> int:
        """Give the folder to a user of its own; return its id. Root only.

        Two folders that exist at one time have different users.
        """
        owner = _FIRST_OWNER + self.path.stat().st_ino % _OWNERS
        for path in (*self.path.rglob("*"), self.path):
            if path.name != _LOCK:
                os.chown(path, owner, owner)
        return owner

    def remove(self) -> None:
        """Remove it with all that is in it.

        Raises:
            SandboxError: something of it is still there.
        """
        try:
            remove(self.path)
        finally:
            os.close(self._lock)


def sweep(scratch: Path) -> None:
    """Remove the folders below `scratch` whose owner has been killed."""
    for path in scratch.glob(f"{_PREFIX}*"):
        # No lock file yet, or locked: its owner lives. Not ours: its user sweeps it.
        with suppress(OSError, SandboxError):
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _kill_inhabitants(path)
                remove(path)
                _kill_inhabitants(path)  # who was about to move in
            finally:
                os.close(lock)


def _kill_inhabitants(folder: Path) -> None:
    """Kill what was launched for `folder`.

    A bubblewrap whose owner is killed while it sets up would wait for ever.
    """
    tag = f"{TAG}={folder.name}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile, or not ours
            if tag in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
