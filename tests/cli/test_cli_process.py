"""Commands as processes of their own: the demo, the UI, a terminal with Ctrl-C."""

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from envplatform.bundle.row import EnvironmentRow
from envplatform.store import Store
from tests.made_project import BROKEN, CHECKOUT, REPOSITORY, Made, Project

pytestmark = pytest.mark.slow
PATIENCE_S = 240
INTERRUPTED = 130


@pytest.fixture
def copy(made: Made, tmp_path: Path) -> Project:
    """The made project, free to be changed."""
    folder = tmp_path / "copy"
    shutil.copytree(made.project.folder, folder, symlinks=True)
    return Project(folder=folder)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "envplatform", *words]


def environ_of(project: Project) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "DAGSTER_HOME"}
    return {**kept, "PYTHONPATH": str(CHECKOUT), **project.environ}


def test_the_demo_is_one_object_and_its_progress_is_elsewhere(copy: Project) -> None:
    """A target that fails is an exit code; what is there is printed all the same."""
    done = subprocess.run(
        command("demo", "--json"),
        cwd=copy.folder,
        env=environ_of(copy),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assets = json.loads(done.stdout)["assets"]
    assert assets["swe_environments"]["rows"] == 2
    assert f"[2/2] {REPOSITORY}" in done.stderr
    assert done.stderr.splitlines()[-1] == f"failed: {BROKEN}"


def test_the_ui_says_where_it_is_and_ends_with_ctrl_c(copy: Project) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    process = subprocess.Popen(
        command("ui", "--json", "--port", str(port)),
        cwd=copy.folder,
        env=environ_of(copy),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _ in range(4))
        url = json.loads(said)["url"]
        wait_until(lambda: answers(f"{url}/server_info"))
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == INTERRUPTED
        assert not answers(f"{url}/server_info")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_ctrl_c_at_the_prompt_of_a_shell_leaves_it(made: Made) -> None:
    """On a real terminal; one Ctrl-C is enough."""
    store = Store(made.project.home)
    row = store.rows(EnvironmentRow, "swe_environments", REPOSITORY)[0]
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        command("shell", row.environment_id),
        env=environ_of(made.project),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said = b""

    def prompts() -> int:
        nonlocal said
        said += os.read(terminal, 4096)
        return said.count(b"/workspace$ ")

    try:
        wait_until(lambda: prompts() == 1)
        os.write(terminal, b"cd spans; pwd\n")
        wait_until(lambda: prompts() == 2)
        assert b"/workspace/spans" in said
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE_S) == INTERRUPTED
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):  # noqa: S310  our own
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
