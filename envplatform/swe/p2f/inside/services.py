"""Servers that tests talk to: started before the suite, watched, ended after it.

They run beside the code under test, as the same user: it can talk to them and end them.
Their output and our knowledge of them stay with the runner.
"""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import subprocess
import threading
import time
from typing import Any

from .commanded import environment_of

_CHUNK = 65_536
_PAUSE_S = 0.1
_TAIL_BYTES = 2_000


class ServiceError(Exception):
    """A service is not there to be talked to; the message says which and why."""


class Services:
    """All services of one run, in the order of the job."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job
        self._running: list[_Running] = []

    def start(self) -> None:
        """Start each and wait until it is ready.

        Raises:
            ServiceError: one does not get ready.
        """
        for service in self._job["services"]:
            try:
                running = _Running(service, self._job)
            except OSError as error:
                msg = f"service {service['name']} can't be started: {error}"
                raise ServiceError(msg) from error
            self._running.append(running)
            running.wait()

    def check(self) -> None:
        """Raise if one has ended.

        Raises:
            ServiceError: names the first.
        """
        for running in self._running:
            running.check("while the suite ran")

    def stop(self) -> None:
        """End all of them."""
        for running in reversed(self._running):
            running.stop()


class _Running:
    """One service."""

    def __init__(self, service: dict[str, Any], job: dict[str, Any]) -> None:
        self._service = service
        self._name = f"service {service['name']}"
        self._directory = job["directory"]
        self._environment = environment_of(job)
        self._tail: collections.deque[bytes] = collections.deque(maxlen=4)
        self._process = subprocess.Popen(
            service["command"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._directory,
            env=self._environment,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def _drain(self) -> None:
        """Keep its pipe from filling up, and the end of what it said."""
        stream = self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            while stream:
                data = os.read(stream.fileno(), _CHUNK)
                if not data:
                    return
                self._tail.append(data)

    def wait(self) -> None:
        """Try its readiness until it is ready.

        Raises:
            ServiceError: its time is up, or it ended.
        """
        limit = self._service["ready_timeout_s"]
        deadline = time.monotonic() + limit
        why = "was never tried"
        while True:
            self.check("before it was ready; it must stay in the foreground")
            left = deadline - time.monotonic()
            if left <= 0:
                msg = f"{self._name} is not ready after {limit:g} s: ready {why}"
                raise ServiceError(msg + self._said())
            why = self._try(left)
            if not why:
                self.check("as soon as it was ready; it must stay in the foreground")
                return
            time.sleep(min(_PAUSE_S, max(left, 0)))

    def check(self, when: str) -> None:
        """Raise if it has ended.

        Raises:
            ServiceError: with the end of what it said.
        """
        status = self._process.poll()
        if status is None:
            return
        self._reader.join(1.0)
        how = f"signal {-status}" if status < 0 else f"status {status}"
        msg = f"{self._name} ended ({how}) {when}{self._said()}"
        raise ServiceError(msg)

    def stop(self) -> None:
        """End it and its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _try(self, left_s: float) -> str:
        """Run its readiness check once; empty if it succeeds, else what it did."""
        try:
            tried = subprocess.Popen(
                self._service["ready"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._directory,
                env=self._environment,
                start_new_session=True,
            )
        except OSError as error:
            return f"can't be started: {error}"
        try:
            status = tried.wait(left_s)
        except subprocess.TimeoutExpired:
            return "does not end"
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(tried.pid, signal.SIGKILL)
            tried.wait()
        return f"ends with status {status}" if status else ""

    def _said(self) -> str:
        text = b"".join(self._tail)[-_TAIL_BYTES:].decode("utf-8", "replace").strip()
        return "; it said: " + " | ".join(text.splitlines()[-5:]) if text else ""
