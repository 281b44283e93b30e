"""`dagster dev` in a folder that holds our `dagster.yaml`, as in a checkout."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

REPOSITORY = Path(__file__).parents[2]


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_for(url: str, process: subprocess.Popen[bytes]) -> str:
    """Body of the first answer."""
    deadline = time.monotonic() + 150
    while time.monotonic() < deadline:
        assert process.poll() is None, "dagster dev ended by itself"
        try:
            return httpx.get(url, timeout=5).text
        except httpx.TransportError:
            time.sleep(0.5)
    pytest.fail(f"no answer from {url}")


@pytest.mark.slow
def test_the_working_directory_stays_clean(tmp_path: Path) -> None:
    """With neither DAGSTER_HOME nor ENVPLATFORM_HOME set."""
    shutil.copy(REPOSITORY / "dagster.yaml", tmp_path)
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DAGSTER_HOME", "ENVPLATFORM_HOME"}
    }
    port = free_port()
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "dagster", "dev", "-p", str(port)),
            *("-m", "tests.assets.numbers_location"),
        ],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert "dagster" in wait_for(
                f"http://127.0.0.1:{port}/server_info", process
            )
        finally:
            # Not SIGINT: who runs tests in the background may have it ignored.
            process.send_signal(signal.SIGTERM)
    assert {path.name for path in tmp_path.iterdir()} == {
        "dagster.yaml",
        ".envplatform",
    }
    folder = tmp_path / ".envplatform" / "dagster"
    assert (folder / "history" / "runs" / "index.db").exists()
