"""Start one bubblewrap, with the private pipes through which it is held and read.

Blocking. The life of what was started is `execution`'s business.
"""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

_BARE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
"""Bubblewrap's own environment: its first process in the sandbox shows it."""
TAG = "ENVPLATFORM_SANDBOX"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start, ready made."""

    launcher: tuple[str, ...]
    """Up to bubblewrap itself, which is the last word."""
    options: tuple[str, ...]
    """Bubblewrap's, given through a file: they may be long."""
    argv: tuple[str, ...]
    stdin: bytes
    system_calls: bytes
    """Filter program for the kernel; empty for none."""
    tag: str
    """Name of the sandbox's folder, by which a sweep finds what is left of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A bubblewrap that sets its sandbox up and then waits to be let go."""

    process: subprocess.Popen[bytes]
    status: int
    """Read end: JSON lines from bubblewrap, end of file when it has exited."""
    held: socket.socket
    """Receiving end, shared with the sandbox: what is in it, not yet taken, means that
    the set-up never came to its end."""
    release: socket.socket
    """Sending end of `held`."""

    def let_go(self) -> None:
        """Let the command start as soon as the set-up is done."""
        self.release.send(b".")

    def taken(self) -> bool:
        """Whether the set-up was completed; to be asked after the end."""
        try:
            return not self.held.recv(1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True


@contextmanager
def launched(command: Command) -> Iterator[Launched]:
    """Start bubblewrap; at the end its pipes are closed, the process must be dead.

    Raises:
        OSError: the launcher is missing, or the command line is too long.
    """
    with ExitStack() as stack:
        status, status_in = _pipe(stack)
        # Datagrams: should this process be killed before it lets go, the sandbox sees
        # no end of file, which bubblewrap would take for leave to start.
        held, release = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        stack.enter_context(held)
        stack.enter_context(release)
        own: tuple[str, ...] = (
            "--json-status-fd",
            str(status_in),
            "--block-fd",
            str(held.fileno()),
        )
        system_calls = _file(command.system_calls, stack)
        if command.system_calls:
            own += ("--seccomp", str(system_calls))
        words = (*command.options, *own)
        options = _file(b"".join(os.fsencode(word) + b"\0" for word in words), stack)
        process = subprocess.Popen(
            [*command.launcher, "--args", str(options), "--", *command.argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**_BARE, TAG: command.tag},
            cwd="/",
            pass_fds=(options, system_calls, status_in, held.fileno()),
            start_new_session=True,
            umask=0o022,
            bufsize=0,
        )
        stack.callback(_close_pipes, process)
        # Only bubblewrap may hold this end, or its exit would not end the stream.
        _replace(status_in)
        yield Launched(process=process, status=status, held=held, release=release)


def _pipe(stack: ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        stack.callback(os.close, end)
    return ends


def _file(data: bytes, stack: ExitStack) -> int:
    """An anonymous file with `data`, at its beginning."""
    descriptor = os.memfd_create("envplatform")
    stack.callback(os.close, descriptor)
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _replace(descriptor: int) -> None:
    """Close what `descriptor` stands for; the number itself stays taken."""
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
