"""A socket that a sandbox serves, held and reached from the platform's own process.

What serves may be hostile: it may put a link under the name, to the socket of some
service of this machine, or swap the socket later. So the folder is opened once and no
link is followed; what lies there must be a socket of the folder's own owner, with this
one name; and it is the inode that is held and connected to, never the name again.
What is said through it is the caller's matter.
"""

import errno
import os
import socket
import stat
from pathlib import Path

from envplatform.errors import SandboxError

_HOLD = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_BUSY = frozenset({errno.EAGAIN, errno.EINTR})
"""Connecting finds the queue of the server full."""


class HeldSocket:
    """One socket of a folder, whatever bears its name by now. Close it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def connect(self) -> socket.socket | None:
        """Return a connection that never blocks; None where it has to be tried again.

        Raises:
            SandboxError: nobody listens any more.
        """
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(0)
        try:
            line.connect(f"/proc/self/fd/{self._descriptor}")
        except OSError as error:
            line.close()
            if error.errno in _BUSY:
                return None
            msg = f"nobody listens at a sandbox's socket: {error}"
            raise SandboxError(msg) from error
        return line

    def close(self) -> None:
        """Let go of it; connections stay."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class SocketFolder:
    """A folder in which a sandbox makes sockets, as this machine has it. Close it.

    Raises:
        SandboxError: it can't be opened, or is a link.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._descriptor = os.open(path, _HOLD | os.O_DIRECTORY)
        except OSError as error:
            msg = f"the folder of a sandbox's sockets can't be opened: {error}"
            raise SandboxError(msg) from error
        self._folder = os.fstat(self._descriptor)

    def hold(self, name: str) -> HeldSocket | None:
        """Return the socket `name`; None while there is nothing of that name.

        Raises:
            SandboxError: what is there is no socket that was made there.
        """
        try:
            descriptor = os.open(name, _HOLD, dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            msg = f"a sandbox's socket can't be opened: {error}"
            raise SandboxError(msg) from error
        why = self._objection(os.fstat(descriptor))
        if why:
            os.close(descriptor)
            msg = f"what lies at a sandbox's {name} {why}"
            raise SandboxError(msg)
        return HeldSocket(descriptor)

    def close(self) -> None:
        """Let go of the folder; sockets that are held stay so."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _objection(self, found: os.stat_result) -> str:
        """Why it is not what a sandbox that serves would make; empty if it is."""
        if not stat.S_ISSOCK(found.st_mode):
            return "is no socket"
        if found.st_dev != self._folder.st_dev:
            return "is of another file system"
        if found.st_uid != self._folder.st_uid:
            return "belongs to somebody else"
        if found.st_nlink != 1:
            return "has other names elsewhere"
        return ""
