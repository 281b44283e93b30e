"""One bubblewrap process, from its start to the death of all that ran in it.

Blocking, for a thread of its own: pumps the three streams, asks the watchdog and
kills. What bubblewrap mounts is decided in `mounts`, what counts as a breach in
`watch` and `cgroups`, what the outcome means in `bubblewrap`.

The order is: bubblewrap sets the sandbox up and waits; its process goes into the
control group, from outside; then the command starts. A set-up that fails is thus never mistaken for a command that fails.
"""

import json
import os
import selectors
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import SandboxError
from envplatform.sandbox.base import Ending, Limits
from envplatform.sandbox.cgroups import Box
from envplatform.sandbox.launch import Command, Launched, launched
from envplatform.sandbox.output import Kept
from envplatform.sandbox.watch import Watch, disk_use

_SETUP_S = 30.0
_DEATH_S = 30.0
_POLL_S = 0.05
_REST = 10
_LONGEST_REST_S = 1.0
_CHUNK = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is known at the end."""

    stdout: Kept
    stderr: Kept
    set_up: bool
    """Whether the sandbox was complete and the command let go."""
    exit_code: int | None
    """As a shell would see it; None where the command never ran or was killed."""
    breach: Ending | None
    seconds: float
    used: int
    """Bytes on disk in the writable places, at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the execution is held to, and by what."""

    limits: Limits
    places: Path
    """Host folder of the writable places."""
    used_before: int
    """Bytes on disk that earlier executions left there."""
    box: Box | None
    """Control group, where this machine has one for us."""


def execute(command: Command, bounds: Bounds, cancelled: Callable[[], bool]) -> Outcome:
    """Run `command` to the end of all its processes.

    `cancelled` is asked at every look; once true, everything is killed.

    Raises:
        SandboxError: what ran in the sandbox does not die.
        OSError: the launcher is missing, or the command line is too long.
    """
    with launched(command) as launch:
        execution = _Execution(launch, command.stdin, bounds)
        try:
            execution.pump(cancelled)
        finally:
            execution.close()
        return execution.outcome(set_up=launch.taken())


def rest_s(took_s: float, *, boxed: bool) -> float:
    """Seconds until the next look at what runs, after one that took so long.

    Where hundreds run at once, looking at them would else be most of what is done.
    `boxed`: a control group holds memory and processes meanwhile; only then is there
    time.
    """
    if not boxed:
        return _POLL_S
    return max(_POLL_S, min(_REST * took_s, _LONGEST_REST_S))


class _Execution:
    """The state of one run; the selector maps each open stream to its handler."""

    def __init__(self, launch: Launched, stdin: bytes, bounds: Bounds) -> None:
        self._launch = launch
        self._bounds = bounds
        self._box = bounds.box
        self._unsent = memoryview(stdin)
        self._stdout = Kept(bounds.limits.output_bytes)
        self._stderr = Kept(bounds.limits.output_bytes)
        self._status = b""
        self._init: int | None = None
        """Handle of the sandbox's first process; with it dies all else inside."""
        self._watch: Watch | None = None
        self._breach: Ending | None = None
        self._started_at = time.monotonic()
        self._ended_at = self._started_at
        self._deadline = self._started_at + _SETUP_S
        self._killed_at: float | None = None
        self._selector = selectors.DefaultSelector()
        self._register()

    def _register(self) -> None:
        streams: list[tuple[int, int, Callable[[int], None]]] = [
            (self._launch.status, selectors.EVENT_READ, self._on_status)
        ]
        process = self._launch.process
        if process.stdin and process.stdout and process.stderr:
            streams += [
                (process.stdin.fileno(), selectors.EVENT_WRITE, self._on_stdin),
                (process.stdout.fileno(), selectors.EVENT_READ, self._on_stdout),
                (process.stderr.fileno(), selectors.EVENT_READ, self._on_stderr),
            ]
        for descriptor, event, handler in streams:
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, event, handler)

    def pump(self, cancelled: Callable[[], bool]) -> None:
        """Move bytes and enforce limits until every stream has ended."""
        next_look = 0.0
        while self._selector.get_map():
            left_s = max(0.0, next_look - time.monotonic())
            for key, _ in self._selector.select(left_s):
                key.data(key.fd)
            now = time.monotonic()
            if now >= next_look:
                self._judge(now, cancelled())
                done = time.monotonic()
                next_look = done + rest_s(done - now, boxed=self._box is not None)

    def close(self) -> None:
        """Kill what still runs and let go of the handles."""
        self._kill()
        self._launch.process.wait()
        self._selector.close()
        if self._init is not None:
            os.close(self._init)

    def outcome(self, *, set_up: bool) -> Outcome:
        """Everything there is to know, after the end."""
        breach = self._breach
        used = disk_use(self._bounds.places)
        if set_up and breach is None and self._watch is not None:
            breach = self._box.breach() if self._box else None
            breach = breach or ("disk_limit" if self._watch.full(used) else None)
        return Outcome(
            stdout=self._stdout,
            stderr=self._stderr,
            set_up=set_up and self._watch is not None,
            exit_code=self._exit_code(),
            breach=breach,
            seconds=self._ended_at - self._started_at,
            used=used,
        )

    def _on_stdout(self, descriptor: int) -> None:
        self._read(descriptor, self._stdout)

    def _on_stderr(self, descriptor: int) -> None:
        self._read(descriptor, self._stderr)

    def _read(self, descriptor: int, kept: Kept) -> None:
        chunk = os.read(descriptor, _CHUNK)
        kept.add(chunk)
        if not chunk:
            self._selector.unregister(descriptor)

    def _on_stdin(self, descriptor: int) -> None:
        try:
            sent = os.write(descriptor, self._unsent[:_CHUNK])
            self._unsent = self._unsent[sent:]
        except BrokenPipeError:
            self._unsent = self._unsent[:0]  # nobody reads it
        if not self._unsent:
            self._end_stdin()

    def _end_stdin(self) -> None:
        stdin = self._launch.process.stdin
        if stdin is not None and not stdin.closed:
            self._selector.unregister(stdin)
            stdin.close()

    def _on_status(self, descriptor: int) -> None:
        chunk = os.read(descriptor, _CHUNK)
        self._status += chunk
        if not chunk:  # bubblewrap has exited, and its first process is to follow
            self._ended_at = time.monotonic()
            self._selector.unregister(descriptor)
            self._end_stdin()
            self._kill()
        elif self._init is None and b"\n" in self._status:
            self._begin(int(json.loads(self._status.splitlines()[0])["child-pid"]))

    def _begin(self, pid: int) -> None:
        """Put the sandbox's first process into its group and let it go."""
        try:
            self._init = os.pidfd_open(pid)
            self._selector.register(self._init, selectors.EVENT_READ, self._on_death)
            if self._box is not None:
                self._box.add(pid)
        except ProcessLookupError:
            return  # the set-up failed already; the end of the streams will tell
        self._watch = Watch(
            pid,
            self._bounds.places,
            self._bounds.limits,
            used_before=self._bounds.used_before,
            boxed=self._box is not None,
        )
        self._started_at = time.monotonic()
        self._deadline = self._started_at + self._bounds.limits.wall_s
        self._launch.let_go()

    def _on_death(self, descriptor: int) -> None:
        self._selector.unregister(descriptor)

    def _judge(self, now: float, cancelled: bool) -> None:  # noqa: FBT001
        if self._killed_at is not None:
            if now > self._killed_at + _DEATH_S:
                msg = "processes of the sandbox do not die; is the disk hanging?"
                raise SandboxError(msg)
            return
        breach: Ending | None = "timeout" if now >= self._deadline else None
        if breach is None and self._box is not None:
            breach = self._box.breach()
        if breach is None and self._watch is not None:
            breach = self._watch.breach()
        if breach is not None or cancelled:
            self._breach = breach
            self._kill()

    def _kill(self) -> None:
        self._killed_at = self._killed_at or time.monotonic()
        with suppress(ProcessLookupError):
            if self._init is None:
                self._launch.process.kill()
            else:
                signal.pidfd_send_signal(self._init, signal.SIGKILL)

    def _exit_code(self) -> int | None:
        for line in self._status.split(b"\n")[:-1]:
            code = json.loads(line).get("exit-code")
            if code is not None:
                return int(code)
        return None
