"""A suite that a command of its own runs, and that reports in JUnit XML.

There is no private channel: whatever runs in the suite can write the report. So the
report must be new, sound and of one mind with the exit status; more can't be known.
"""

from __future__ import annotations

import collections
import contextlib
import os
import selectors
import signal
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

from .junit import MAX_BYTES, ReportError, read_report

_CHUNK = 65_536
_TICK_S = 0.05
_MAX_FILES = 10_000
_MAX_REPORTS = 2_000_000
"""Characters of all failure texts together; later ones are left empty."""


def environment_of(job: dict[str, Any]) -> dict[str, str]:
    """What commands start with: the job's settings, the repository's folders first."""
    found = {**os.environ, **job["env"]}
    site = found.get("PYTHONPATH", "")
    folders = [*job["pythonpath"], *([site] if site else [])]
    return {**found, "PYTHONPATH": os.pathsep.join(folders)}


class Commanded:
    """One run of the command."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job
        self._report = Path(job["report"])
        self._tail: collections.deque[bytes] = collections.deque(maxlen=4)
        self._output_bytes = 0

    def run(self) -> dict[str, Any]:
        """Run it to its end, read its report, and return the result."""
        if _is_there(self._report):
            where = f"{self._report.name} was there before the run"
            said = f"{where}: take it out of the repository"
            return self._result("inconsistent", said, [])
        try:
            child = self._spawn()
        except OSError as error:
            said = f"the command can't be started: {error}"
            return self._result("crashed", said, [])
        try:
            is_late = self._pump(child)
        finally:
            _kill(child)
        if is_late:
            limit_s = self._job["run_timeout_s"]
            said = f"the suite ran for more than {limit_s:g} s"
            return self._result("timeout", said, [])
        return self._judge(child.returncode)

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._job["command"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._job["directory"],
            env=environment_of(self._job),
            start_new_session=True,
        )

    def _pump(self, child: subprocess.Popen[bytes]) -> bool:
        """Read what it prints until it has ended; whether its time was up before."""
        output = child.stdout.fileno() if child.stdout else -1
        os.set_blocking(output, False)
        deadline = time.monotonic() + self._job["run_timeout_s"]
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while child.poll() is None:
                if selector.get_map():
                    for _ in selector.select(_TICK_S):
                        if not self._take(output):
                            selector.unregister(output)
                else:
                    time.sleep(_TICK_S)
                if time.monotonic() > deadline:
                    return True
        while self._output_bytes < self._job["max_drain_bytes"]:
            with contextlib.suppress(BlockingIOError):
                if self._take(output):
                    continue
            break
        return False

    def _take(self, output: int) -> bool:
        data = os.read(output, _CHUNK)
        self._output_bytes += len(data)
        self._tail.append(data)
        return bool(data)

    def _judge(self, status: int) -> dict[str, Any]:
        if status < 0:
            said = f"the command was ended by signal {-status}"
            return self._result("crashed", said, [])
        broken = "inconsistent" if status == 0 else "crashed"
        ended = f"the command ended with status {status}"
        try:
            files = _read(self._report)
            if not files:
                said = f"{ended} and wrote no {self._report.name}"
                return self._result(broken, said, [])
            cases = read_report(
                files,
                report_chars=self._job["report_chars"],
                unique_ids=self._job.get("unique_ids", False),
            )
        except (OSError, ReportError) as error:
            return self._result(broken, f"{ended}, and its report {error}", [])
        ending, detail = _agree(status, {case["outcome"] for case in cases})
        return self._result(ending, detail, cases if ending == "completed" else [])

    def _result(
        self, ending: str, detail: str, cases: list[dict[str, Any]]
    ) -> dict[str, Any]:
        wanted, unwanted = self._job["ids"], set(self._job["without"])
        chosen = None if wanted is None else set(wanted)
        kept = [
            case
            for case in cases
            if case["id"] not in unwanted and (chosen is None or case["id"] in chosen)
        ]
        room = _MAX_REPORTS
        for case in kept:
            room -= len(case["report"])
            case["report"] = case["report"] if room > 0 else ""
        tail = b"".join(self._tail)[-self._job["tail_bytes"] :]
        return {
            "ending": ending,
            "detail": detail[:1000],
            "running": None,
            "rounds": 1,
            "collected": [case["id"] for case in kept],
            "executions": kept,
            "broken": [],
            "lines": [],
            "output": tail.decode("utf-8", "replace"),
            "output_bytes": self._output_bytes,
        }


def _agree(status: int, outcomes: set[str]) -> tuple[str, str]:
    """Return the ending that exit status and outcomes make together."""
    if not outcomes:
        return "no_tests", "the report holds no test case"
    is_bad = bool(outcomes & {"failed", "error"})
    if is_bad == (status != 0):
        return "completed", ""
    held = "holds" if is_bad else "holds no"
    said = f"the command ended with status {status}, its report {held} failures"
    return "inconsistent", said


def _read(report: Path) -> list[tuple[str, bytes]]:
    """Return name and content of a file, or of all `*.xml` of a folder by name."""
    if report.is_dir() and not report.is_symlink():
        paths = sorted(report.glob("*.xml"))
        if len(paths) > _MAX_FILES:
            msg = f"{report.name} consists of more than {_MAX_FILES} files"
            raise ReportError(msg)
    else:
        paths = [report] if _is_there(report) else []
    files: list[tuple[str, bytes]] = []
    room = MAX_BYTES
    for path in paths:
        name = path.name if path == report else f"{report.name}/{path.name}"
        name = name.encode("ascii", "backslashreplace").decode()
        files.append((name, _plain(path, name, room)))
        room -= len(files[-1][1])
    return files


def _is_there(path: Path) -> bool:
    """Whether anything has this name, a link to nothing included."""
    return path.is_symlink() or path.exists()


def _plain(path: Path, name: str, room: int) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(os.open(str(path), flags), "rb") as stream:  # noqa: PTH123
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            msg = f"{name} is no plain file"
            raise ReportError(msg)
        content = stream.read(room + 1)
    if len(content) > room:
        msg = f"{name} is larger than {MAX_BYTES} bytes (all files together)"
        raise ReportError(msg)
    return content


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the command and its group; the sandbox ends what left the group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdout:
        child.stdout.close()
