"""A served model as a resource of whoever asks: started, found, ended. Loads no torch."""

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from envplatform.errors import StudentError
from envplatform.learning.serving.orders import SERVED, SERVING_ORDER, ServingOrder
from envplatform.learning.serving.serve_process import KEY

_SAID = 2000
_PATIENCE_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One that is there."""

    base_url: str
    key: str
    """Asked for by the server; nobody else on this machine has it."""


@contextmanager
def served_model(order: ServingOrder) -> Iterator[Server]:
    """Serve a model while this is entered.

    Raises:
        StudentError: it can't be served; says why.
    """
    key = secrets.token_urlsafe(24)
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "envplatform.learning.serving.serve_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, KEY: key},
        ) as process,
    ):
        try:
            line = _started(process, order)
            if not line:
                code = process.wait()
                errors.seek(0)
                said = errors.read().decode("utf-8", "replace").strip()[-_SAID:]
                msg = f"{order.name} can't be served (exit code {code}): {said}"
                raise StudentError(msg)
            yield Server(base_url=SERVED.validate_json(line).base_url, key=key)
        finally:
            _end(process)


def _started(process: "subprocess.Popen[bytes]", order: ServingOrder) -> bytes:
    """What it says first; nothing where it ends instead."""
    try:
        if process.stdin is not None:
            process.stdin.write(SERVING_ORDER.dump_json(order) + b"\n")
            process.stdin.flush()
    except OSError:
        return b""
    return process.stdout.readline() if process.stdout else b""


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        if process.stdin is not None:
            process.stdin.close()
        process.wait(timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()
