"""The screen's watch: one warm worker, one fork a candidate, one line an answer.

As `runner.py`, it takes everything that the code under test can reach to lie: the
nonce that makes a line genuine never enters the worker. After each candidate all
processes that it left are killed and all places restored. When the worker is gone or
something can't be undone, the watch ends; what has no answer is asked again elsewhere.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .judge import judge
from .runner import hide
from .screen_attempt import Attempt, Patience
from .screen_pristine import Pristine, TooLargeError
from .screen_processes import UndoneError, kill, processes, reap

_CHUNK = 65_536
_TICK_S = 0.02
_PR_SET_CHILD_SUBREAPER = 36
_KILL_ROUNDS = 200
_PLACES = [
    "/workspace",
    "/tests",
    "/solution",
    "/logs",
    "/tmp",  # noqa: S108  paths inside the sandbox
    "/home/agent",
    "/dev/shm",  # noqa: S108
]


def main(start: str) -> int:
    """Answer the questions on standard input, in order, until time is up."""
    hidden = hide()
    job = json.loads(sys.stdin.buffer.read())
    nonce = job.pop("nonce")

    def say(**answer: Any) -> None:  # noqa: ANN401
        sys.stdout.write(json.dumps({**answer, "nonce": nonce}) + "\n")
        sys.stdout.flush()

    if not hidden:
        say(kind="unusable", detail="the kernel refused to hide the watch")
        return 0
    try:
        watch = Watch(job, start)
        unfit = watch.prepare()
        say(kind="ready", unfit=sorted(unfit), seconds=watch.seconds())
        for question in job["questions"]:
            if watch.seconds() > job["stop_after_s"]:
                break
            say(kind="begin", place=question["place"])
            began = watch.seconds()
            answer = watch.ask(question, unfit)
            seconds = round(watch.seconds() - began, 4)
            say(kind="answer", place=question["place"], seconds=seconds, **answer)
    except (UndoneError, OSError, TooLargeError) as error:
        say(kind="unusable", detail=f"{type(error).__name__}: {error}")
    else:
        say(kind="done")
    return 0


class Watch:
    """The worker, the places as they were, and the processes that may live."""

    def __init__(self, job: dict[str, Any], start: str) -> None:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._job = job
        self._began = time.monotonic()
        self._pristine = Pristine(_PLACES)
        self._kept = processes()
        self._records, records = os.pipe()
        self._replies, replies = os.pipe()
        self._worker = subprocess.Popen(
            [sys.executable, "-s", "-B", start, "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=job["root"],
            env={**os.environ, **job["env"]},
            pass_fds=[records, replies],
            start_new_session=True,
        )
        self._kept.add(self._worker.pid)
        os.close(records)
        os.close(replies)
        for fd in (self._records, self._replies):
            os.set_blocking(fd, False)
        self._rest = b""
        self._patience: Patience | None = None
        self._tell(
            {
                "root": job["root"],
                "own": job["own"],
                "records": records,
                "replies": replies,
            }
        )

    def seconds(self) -> float:
        """Return how long the watch has run."""
        return time.monotonic() - self._began

    def prepare(self) -> set[str]:
        """Warm the worker up; return the tests that don't pass in a healthy fork.

        Raises:
            UndoneError: it can't be made ready.
        """
        plain = self._job["healthy"]
        if not plain["ids"]:
            return set()
        learning = {**plain, "args": [*plain["args"], "--collect-only"]}
        attempt = self._attempt("learn", learning)
        if attempt.status != 0 or not attempt.reply.get("is_alone"):
            msg = f"the worker is not alone after its imports ({attempt.status})"
            raise UndoneError(msg)
        self._grow(plain)
        began = self.seconds()
        healthy = self._attempt("run", plain)
        self._patience = Patience(healthy.seconds_by_test(), self.seconds() - began)
        ending, detail = judge(healthy.account, healthy.status or 0)
        if healthy.is_dead or ending != "completed":
            msg = f"the healthy suite does not run in a fork: {ending}: {detail}"
            raise UndoneError(msg)
        outcomes = healthy.outcomes()
        return {test for test in plain["ids"] if outcomes.get(test) != "passed"}

    def _grow(self, plain: dict[str, Any]) -> None:
        """Let a started pytest serve in the worker's place, where that can be.

        Raises:
            UndoneError: no answer comes.
        """
        self._tell({"do": "stem", "job": plain})
        reply: dict[str, Any] = {}
        deadline = time.monotonic() + plain["run_timeout_s"]
        while "stem" not in reply:
            reply.update(self._replied())
            if time.monotonic() > deadline:
                msg = "pytest does not start"
                raise UndoneError(msg)
            time.sleep(0.001)
        if reply["stem"]:
            self._kept.add(reply["stem"])
        self._kill_rest()
        self._pristine.restore()

    def ask(self, question: dict[str, Any], unfit: set[str]) -> dict[str, Any]:
        """Try one candidate stage by stage, and leave no trace of it.

        Raises:
            UndoneError: the candidate is to be judged elsewhere, and so is the rest.
        """
        answer: dict[str, Any] = {}
        for stage in question["stages"]:
            strange = unfit.intersection(stage["ids"])
            if strange:
                detail = f"{min(strange)} does not pass in a fork"
                return {"said": "cold", "detail": detail}
            said = self._ask_stage(question["files"], stage)
            if not answer or said["said"] != "no_failure":
                answer = said
            if said["said"] not in {"no_failure", "only_errors"}:
                break
        return answer

    def _ask_stage(
        self, files: dict[str, str], stage: dict[str, Any]
    ) -> dict[str, Any]:
        for path, data in files.items():
            Path(self._job["root"], path).write_bytes(base64.b64decode(data))
        job = {**self._job["common"], **stage}
        attempt = self._attempt("run", job, sorted(files))
        return attempt.answer(stage["ids"])

    def _attempt(
        self, do: str, job: dict[str, Any], changed: list[str] | None = None
    ) -> Attempt:
        key = os.urandom(32)
        self._tell({"do": do, "key": key.hex(), "job": job, "changed": changed or []})
        attempt = Attempt(job, key, self._patience if changed else None)
        with selectors.DefaultSelector() as selector:
            for fd in (self._records, self._replies):
                selector.register(fd, selectors.EVENT_READ)
            while not attempt.is_over():
                for ready, _ in selector.select(_TICK_S):
                    self._take(ready.fd, attempt)
                self._stop(attempt)
        self._take_rest(attempt)
        self._kill_rest()
        self._pristine.restore()
        return attempt

    def _take(self, fd: int, attempt: Attempt) -> bool:
        if fd == self._replies:
            attempt.reply.update(self._replied())
            return True
        data = _read(fd)
        if data:
            attempt.take(data)
        return bool(data)

    def _replied(self) -> dict[str, Any]:
        """Return what the worker says, if it does."""
        *lines, self._rest = (self._rest + _read(self._replies)).split(b"\n")
        reply: dict[str, Any] = {}
        for line in lines:
            reply.update(json.loads(line))
        return reply

    def _take_rest(self, attempt: Attempt) -> None:
        """Empty the pipe of records, so that none is taken for the next candidate's."""
        budget = 400
        while self._take(self._records, attempt):
            budget -= 1
            if not budget:
                msg = "a candidate writes without end"
                raise UndoneError(msg)
        attempt.close()

    def _stop(self, attempt: Attempt) -> None:
        """End a fork that has shown enough, or has used up its time."""
        pid = attempt.reply.get("pid")
        if attempt.wants_end() and pid and "status" not in attempt.reply:
            kill(pid)
        if attempt.is_stuck():
            msg = "the worker does not answer"
            raise UndoneError(msg)

    def _kill_rest(self) -> None:
        """Kill whatever the fork started, reparented to us or not.

        Raises:
            UndoneError: there is always one more.
        """
        for _ in range(_KILL_ROUNDS):
            reap(self._worker.pid)
            left = processes() - self._kept
            if not left:
                return
            for pid in left:
                kill(pid)
            time.sleep(0.001)
        msg = "a candidate's processes don't end"
        raise UndoneError(msg)

    def _tell(self, words: dict[str, Any]) -> None:
        line = json.dumps(words).encode() + b"\n"
        if self._worker.stdin is not None:
            try:
                self._worker.stdin.write(b"%09d" % len(line) + line)
                self._worker.stdin.flush()
            except BrokenPipeError as error:
                msg = "the worker has ended"
                raise UndoneError(msg) from error


def _read(fd: int) -> bytes:
    """Return what is there by now.

    Raises:
        UndoneError: nobody is left at the other end.
    """
    try:
        data = os.read(fd, _CHUNK)
    except BlockingIOError:
        return b""
    if not data:
        msg = "the worker ended"
        raise UndoneError(msg)
    return data
