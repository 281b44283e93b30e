"""Run one command with its limits, and leave nothing of it alive.

The engine's control group limits memory and processes of the container; here its
counters are read, CPU time and disk are watched, and the wall clock is kept.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import time
from contextlib import suppress
from pathlib import Path

from envplatform.sandbox.inside import seccomp
from envplatform.sandbox.inside.channel import CHUNK, Channel, Request, reap
from envplatform.sandbox.inside.guard import Signals, expose, wait

_PLACES = ("/workspace", "/tests", "/solution", "/logs", "/tmp", "/home/agent")  # noqa: S108
_POLL_S = 0.05
_DISK_POLL_S = 0.01
"""Short, so that a disk that fills up is noticed before it is full."""
_OPEN_FILES = 4096
_WHY_BYTES = 4096  # a pipe takes this much at once
_MEGABYTE = 1024 * 1024
_TICKS_S = os.sysconf("SC_CLK_TCK")
_NOT_RUN, _NOT_FOUND = 126, 127
_BROKEN = 0
"""No fault of the command: its walls could not be put up."""
_COUNTERS = {
    "out_of_memory": ("oom_kill", "memory.events", "memory/memory.oom_control"),
    "process_limit": ("max", "pids.events", "pids/pids.events"),
}


def run(
    request: Request, channel: Channel, signals: Signals
) -> tuple[dict[str, object], bytes]:
    """Run the command of `request` to the death of all its processes."""
    command = _Command(request, channel, signals)
    started = time.monotonic()
    try:
        command.start()
        command.pump(started + request.number("wall_s"))
    finally:
        kill_all()
    command.drain()
    answer = command.answer()
    if "error" in answer:
        return answer, b""
    answer["seconds"] = time.monotonic() - started
    return answer, bytes(command.kept[0]) + bytes(command.kept[1])


def kill_all() -> None:
    """Kill every other process of the container, whoever started it."""
    while True:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


class _Command:
    def __init__(self, request: Request, channel: Channel, signals: Signals) -> None:
        self._request = request
        self._channel = channel
        self._signals = signals
        self._unsent = memoryview(request.payload)
        self._before = {name: _counter(name) for name in _COUNTERS}
        self._pid = 0
        self._status: int | None = None
        self._why = b""
        self._breach: str | None = None
        self._stdin = -1
        self._outputs: dict[int, int] = {}
        self.kept = (bytearray(), bytearray())
        self._dropped = False
        self._used_before = _disk_use()

    def start(self) -> None:
        """Fork and execute; a command that can't be run ends like in a shell."""
        ends = [os.pipe() for _ in range(4)]
        self._pid = os.fork()
        if self._pid == 0:
            _become(self._request, ends)
        for end in (ends[0][0], ends[1][1], ends[2][1], ends[3][1]):
            os.close(end)
        self._stdin = ends[0][1]
        self._outputs = {ends[1][0]: 0, ends[2][0]: 1}
        os.set_blocking(self._stdin, False)
        self._why = os.read(ends[3][0], CHUNK)  # empty as soon as it executes
        os.close(ends[3][0])

    def pump(self, deadline: float) -> None:
        """Move bytes until the command itself has ended or must end."""
        next_look = 0.0
        while self._status is None and self._breach is None:
            self._move(_DISK_POLL_S)
            now = time.monotonic()
            if now >= deadline or self._channel.called_off():
                self._breach = "timeout"
            elif self._disk_full():
                self._breach = "disk_limit"
            elif now >= next_look:
                self._breach = self._look()
                next_look = time.monotonic() + _POLL_S

    def drain(self) -> None:
        """Take what the dead left in the pipes, and close them."""
        self._end_stdin()
        while self._outputs:
            self._move(None)

    def answer(self) -> dict[str, object]:
        """How it ended, in the words of `base`; a signal as a shell would say it."""
        code: int | None = None
        if self._why:
            number, _, text = self._why.partition(b" ")
            code = int(number)
            if code == _BROKEN:
                return {"error": text.decode(errors="replace")}
            self._keep(1, b"envplatform: " + text + b"\n")
        elif self._status is not None:
            signaled = os.WIFSIGNALED(self._status)
            code = os.WEXITSTATUS(self._status)
            code = 128 + os.WTERMSIG(self._status) if signaled else code
        return {
            "breach": self._breach or self._look(),
            "exit_code": code,
            "stdout": len(self.kept[0]),
            "stderr": len(self.kept[1]),
            "truncated": self._dropped,
        }

    def _move(self, wait_s: float | None) -> None:
        watched = [0, self._signals.descriptor, *self._outputs]
        sending = [self._stdin] if self._stdin >= 0 else []
        for ready in wait(watched, sending, wait_s):
            if ready == 0:
                self._channel.listen()
            elif ready == self._signals.descriptor:
                self._signals.take()
                self._status = reap().get(self._pid, self._status)
            elif ready == self._stdin:
                self._send()
            else:
                self._receive(ready)

    def _send(self) -> None:
        try:
            sent = os.write(self._stdin, self._unsent[:CHUNK])
            self._unsent = self._unsent[sent:]
        except BrokenPipeError:
            self._unsent = self._unsent[:0]  # nobody reads it
        if not self._unsent:
            self._end_stdin()

    def _end_stdin(self) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def _receive(self, descriptor: int) -> None:
        chunk = os.read(descriptor, CHUNK)
        if chunk:
            self._keep(self._outputs[descriptor], chunk)
        else:
            del self._outputs[descriptor]
            os.close(descriptor)

    def _keep(self, which: int, chunk: bytes) -> None:
        room = int(self._request.number("output_bytes")) - len(self.kept[which])
        self.kept[which].extend(chunk[:room])
        self._dropped = self._dropped or len(chunk) > room

    def _look(self) -> str | None:
        """Which limit is passed now, if any."""
        for name, before in self._before.items():
            if _counter(name) > before:
                return name
        threads, busiest_s = _use()
        if threads > self._request.number("processes"):
            return "process_limit"
        if busiest_s >= self._request.number("cpu_s"):
            return "timeout"
        return "disk_limit" if self._disk_full() else None

    def _disk_full(self) -> bool:
        """Whether too much is written; what was found so may be emptied."""
        limit = self._request.number("disk_mb") * _MEGABYTE
        return _disk_use() > max(limit, self._used_before)


def _become(request: Request, ends: list[tuple[int, int]]) -> None:
    """Turn the forked child into the command; never returns."""
    try:
        for number, end in enumerate((ends[0][0], ends[1][1], ends[2][1])):
            os.dup2(end, number)
        os.setsid()
        _set_limits(request)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python had them ignored
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        seccomp.apply(os.uname().machine)
        why = _execute(request.header)
    except BaseException as error:  # noqa: BLE001  this is a forked child: it must end
        why = f"{_BROKEN} {error}"
    os.write(ends[3][1], why.encode("utf-8", "surrogateescape")[:_WHY_BYTES])
    os._exit(_NOT_RUN)


def _execute(header: dict[str, object]) -> str:
    """Execute the command, or return its exit code and what hindered it."""
    argv, env, cwd = header["argv"], header["env"], header["cwd"]
    if not (isinstance(argv, list) and isinstance(env, dict) and isinstance(cwd, str)):
        raise TypeError("argv, env or cwd")  # noqa: EM101, TRY003
    try:
        os.chdir(cwd)
    except OSError as error:
        return f"{_NOT_RUN} can't change to {cwd}: {error.strerror}"
    try:
        os.execvpe(argv[0], argv, env)  # noqa: S606  it is what a sandbox is for
    except OSError as error:
        code = _NOT_FOUND if error.errno == errno.ENOENT else _NOT_RUN
        return f"{code} {argv[0]}: {error.strerror}"


def _set_limits(request: Request) -> None:
    """The kernel's own limits: the second line, behind what is watched."""
    file_bytes = int(request.number("disk_mb") + 1) * _MEGABYTE
    cpu_s = int(request.number("cpu_s")) + 2
    for kind, soft, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_FSIZE, file_bytes, file_bytes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
    ):
        resource.setrlimit(kind, (soft, hard))
    expose()
    # Out of memory, the kernel shall take the command, not the first process.
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _counter(name: str) -> int:
    """How often the control group had to step in; 0 where it can't be read."""
    key, *places = _COUNTERS[name]
    for place in places:
        try:
            text = Path("/sys/fs/cgroup", place).read_text(encoding="ascii")
        except OSError:
            continue
        for line in text.splitlines():
            if line.startswith(key + " "):
                return int(line.split()[1])
    return 0


def _use() -> tuple[int, float]:
    """Threads of all other processes, and CPU seconds of the busiest."""
    threads, busiest_s = 0, 0.0
    for name in os.listdir("/proc"):  # noqa: PTH208  names are all that is wanted
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            line = Path("/proc", name, "stat").read_text(encoding="latin-1")
        except OSError:
            continue
        fields = line.rpartition(")")[2].split()
        threads += int(fields[17])
        busiest_s = max(busiest_s, (int(fields[11]) + int(fields[12])) / _TICKS_S)
    return threads, busiest_s


def _disk_use() -> int:
    """Bytes in the writable places, each of which is a file system of its own."""
    used = 0
    for place in _PLACES:
        found = os.statvfs(place)
        used += (found.f_blocks - found.f_bfree) * found.f_frsize
    return used
