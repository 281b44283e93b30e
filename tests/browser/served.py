"""The UI as a user starts it, on a free port, until the test is done with it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
_NOT_INHERITED = ("DAGSTER_HOME", "ENVPLATFORM_POSTGRES_URL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running UI with its daemon."""

    url: str
    log: Path
    """What the server and the runs it launched wrote, both streams."""


@contextmanager
def serve(home: Path, configuration: Path, *, start_s: float) -> Iterator[Served]:
    """Run `python -m assets.serve`; on leaving, nothing of it is left running."""
    port = _free_port()
    served = Served(url=f"http://127.0.0.1:{port}", log=home.parent / "server.log")
    inherited = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    with served.log.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "assets.serve", "--port", str(port)],
            cwd=CHECKOUT,
            env={
                **inherited,
                "ENVPLATFORM_HOME": str(home),
                "ENVPLATFORM_CONFIG": str(configuration),
            },
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_it_answers(served, process, time.monotonic() + start_s)
        yield served
    finally:
        _end(process)


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _wait_until_it_answers(
    served: Served, process: subprocess.Popen[bytes], deadline: float
) -> None:
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{served.url}/server_info", timeout=10):  # noqa: S310  our own
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    msg = f"the UI did not start:\n{served.log.read_text(errors='replace')[-4000:]}"
    raise RuntimeError(msg)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group: webserver, daemon, code servers, runs."""
    for number, patience_s in ((signal.SIGTERM, 30), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience_s)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def register(home: Path, keys: Mapping[str, Sequence[str]]) -> None:
    """Tell Dagster of the partitions, as those who made what lies in the store had.

    `keys`: by the name of their set.
    """
    dagster_home = home / "dagster"
    dagster_home.mkdir()
    shutil.copy(CHECKOUT / "dagster.yaml", dagster_home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENVPLATFORM_HOME", str(home))
        patch.delenv("ENVPLATFORM_POSTGRES_URL", raising=False)
        with dg.DagsterInstance.from_config(str(dagster_home)) as instance:
            for key_set, names in keys.items():
                instance.add_dynamic_partitions(key_set, list(names))
