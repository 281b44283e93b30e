"""The process that watches: starts the child, keeps time, prints one result line.

Everything the code under test can reach is taken to lie: standard output is counted
and mostly dropped, and only signed records and the exit status are believed. The
job's nonce, which makes the result line genuine for the host, never enters the child.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from .channel import ChannelError, Reader
from .commanded import Commanded
from .judge import Account, judge
from .services import ServiceError, Services

FORMAT = 1
_CHUNK = 65_536
_TICK_S = 0.05
_PR_SET_DUMPABLE = 4
_MAX_REPORTS = 2_000_000
"""Characters of all failure texts together; later ones are left empty."""
_NOTHING: dict[str, Any] = {
    "ending": "service_failed",
    "running": None,
    "rounds": 1,
    "collected": [],
    "executions": [],
    "broken": [],
    "lines": [],
    "output": "",
    "output_bytes": 0,
}


def main(start: str) -> int:
    """Run the job on standard input. `start` is the file that starts either process."""
    hidden = hide()
    job = json.loads(sys.stdin.buffer.read())
    nonce = job.pop("nonce")
    began = time.monotonic()
    result = _run(job, start)
    result.update(
        format=FORMAT,
        nonce=nonce,
        hidden=hidden,
        seconds=round(time.monotonic() - began, 3),
    )
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()
    return 0


def _run(job: dict[str, Any], start: str) -> dict[str, Any]:
    """Run the suite between the start and the end of its services."""
    suite = Commanded(job) if job["results"] == "junit" else Watch(job, start)
    services = Services(job)
    try:
        services.start()
        result = suite.run()
        services.check()
    except ServiceError as error:
        # Without it tests mean nothing, whatever they said.
        result = {**_NOTHING, "detail": str(error)[:2000]}
    finally:
        services.stop()
    return result


def hide() -> bool:
    """Shut this process's memory and files to others of its user; say if it worked."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return bool(prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)


class Watch:
    """One child from start to end."""

    def __init__(self, job: dict[str, Any], start: str) -> None:
        self._job = job
        self._start = start
        self._key = os.urandom(32)
        self._account = Account()
        self._reader = Reader(self._key, job["max_record_bytes"])
        self._tail: collections.deque[bytes] = collections.deque(maxlen=4)
        self._output_bytes = 0
        self._test_deadline = 0.0

    def run(self) -> dict[str, Any]:
        """Start the child, see it to its end, and return the result."""
        records, to_runner = os.pipe()
        child = self._spawn(to_runner)
        os.close(to_runner)
        try:
            self._pump(child, records)
        finally:
            _kill(child)
        os.close(records)
        return self._result(child.returncode)

    def _spawn(self, to_runner: int) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-s", "-B", self._start, "child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._job["directory"],
            env={**os.environ, **self._job["env"]},
            pass_fds=[to_runner],
            start_new_session=True,
        )
        words = {**self._job, "fd": to_runner, "key": self._key.hex()}
        if child.stdin is not None:
            # A child that has ended already breaks the pipe; its status says why.
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(words).encode())
                child.stdin.close()
        return child

    def _pump(self, child: subprocess.Popen[bytes], records: int) -> None:
        """Read both pipes until the child has ended or its time is up."""
        output = child.stdout.fileno() if child.stdout else -1
        with selectors.DefaultSelector() as selector:
            for fd in (records, output):
                os.set_blocking(fd, False)
                selector.register(fd, selectors.EVENT_READ)
            deadline = time.monotonic() + self._job["run_timeout_s"]
            while child.poll() is None and not self._account.breach:
                for ready, _ in selector.select(_TICK_S):
                    if not self._take(ready.fd, records):
                        selector.unregister(ready.fd)
                if self._is_late(deadline):
                    return
            # What it wrote before its end is still in the pipes; a grandchild may
            # hold them open, so nobody waits for their end.
            for key in list(selector.get_map().values()):
                while self._take(key.fd, records, drain=True):
                    pass
        self._close()

    def _take(self, fd: int, records: int, *, drain: bool = False) -> bool:
        """Read a piece; False at the end of the pipe (draining: also if empty)."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return not drain
        if not data or self._account.breach:
            return False
        if fd != records:
            self._output_bytes += len(data)
            self._tail.append(data)
            return not drain or self._output_bytes < self._job["max_drain_bytes"]
        try:
            for stream, record in self._reader.feed(data):
                self._set_deadline(record["kind"])
                if record["kind"] == "begin":  # should we be killed, the host knows
                    sys.stderr.write(json.dumps({"running": record["id"]}) + "\n")
                    sys.stderr.flush()
                self._account.take(stream, record)
        except ChannelError as error:
            self._account.breach = str(error)
        return True

    def _close(self) -> None:
        try:
            self._reader.close()
        except ChannelError as error:
            self._account.breach = self._account.breach or str(error)

    def _set_deadline(self, kind: str) -> None:
        limit = self._job["test_timeout_s"] + self._job["grace_s"]
        self._test_deadline = time.monotonic() + limit if kind == "begin" else 0.0

    def _is_late(self, deadline: float) -> bool:
        now = time.monotonic()
        if now > deadline:
            limit = self._job["run_timeout_s"]
            self._account.late = f"the suite ran for more than {limit:g} s"
        elif self._test_deadline and now > self._test_deadline:
            limit = self._job["test_timeout_s"]
            self._account.late = f"a test ran for more than {limit:g} s"
        return bool(self._account.late)

    def _result(self, returncode: int) -> dict[str, Any]:
        account = self._account
        ending, detail = judge(account, returncode)
        tail = b"".join(self._tail)[-self._job["tail_bytes"] :]
        if ending == "collection_error" and not account.broken:
            last = tail.decode("utf-8", "replace").strip().splitlines()[-1:]
            detail = ": ".join([detail, *(line.strip()[:200] for line in last)])
        return {
            "ending": ending,
            "detail": detail,
            "running": account.running,
            "rounds": max(len(account.finished_rounds), 1),
            "collected": account.collected,
            "executions": list(self._executions()),
            "broken": account.broken[:100],
            "lines": account.lines,
            "output": tail.decode("utf-8", "replace"),
            "output_bytes": self._output_bytes,
        }

    def _executions(self) -> Iterator[dict[str, Any]]:
        account, budget = self._account, _MAX_REPORTS
        for number, done in sorted(account.rounds.items()):
            for record in done.values():
                budget -= len(record["report"])
                shown = record["report"] if budget > 0 else ""
                yield {**record, "round": number, "report": shown}
        if account.running and account.late:
            yield {
                "id": account.running,
                "round": account.running_round,
                "outcome": "timeout",
                "cause": None,
                "seconds": 0.0,
                "report": "",
            }


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the child and its group; the sandbox ends what left the group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
