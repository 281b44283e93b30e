"""verifiers itself validates a taskset of ours, and scores what a scripted policy does.

Its tasks run in a sandbox of this suite: its own container runtime wants a network that
a test engine has not.
"""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envplatform.interop.exporting import Exported
from envplatform.interop.verifiers.write import PACKAGE, TASKSET, write_taskset
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from envplatform.tree import File
from tests.bundle.sample import sample_environment
from tests.interop.other_tools import commands_of
from tests.release.made_release import environment, keep
from tests.rollout.made_user import user_environment

VERIFIERS = "verifiers==0.4.0"
POLICY = """
import asyncio, json, sys
import verifiers.v1 as vf
from verifiers.v1.runtimes import SubprocessConfig, make_runtime
from verifiers.v1.trace import Trace, TraceTask
from envplatform_tasks.taskset import EnvironmentConfig, EnvironmentTaskset

async def play(task, command):
    runtime = make_runtime(SubprocessConfig(), name=f"scripted-{task.data.idx}")
    trace = Trace(
        task=TraceTask(
            type=type(task).__name__, data=task.data, key=task.key, hash=task.hash
        ),
        state=vf.State(),
        agent=vf.AgentInfo(
            config=vf.AgentConfig(runtime=SubprocessConfig()),
            name="scripted",
            trainable=False,
        ),
    )
    await runtime.start()
    try:
        await task.setup(runtime)
        await runtime.run(["sh", "-c", command], {})
        await task.score(trace, runtime)
    finally:
        await runtime.stop()
    return trace.reward

async def main():
    found = {}
    for name, command in json.loads(sys.argv[1]).items():
        taskset = EnvironmentTaskset(EnvironmentConfig(contained=True))
        found[name] = {task.data.id: await play(task, command) for task in taskset}
    print(json.dumps(found))

asyncio.run(main())
"""

pytestmark = pytest.mark.timeout(1200)  # the first run installs verifiers


@pytest.fixture(scope="module")
def commands(cache_folder: Path, bubblewrap: BubblewrapProvider) -> Path:
    """The folder of its commands; the sandbox is there too."""
    assert bubblewrap.info.kind == "bubblewrap"
    return commands_of(VERIFIERS, cache_folder, modules="verifiers.v1")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """Two tasks, one whose solution is wrong, and one that is served left out."""
    store, told = Store(tmp_path / "home"), Exported()
    wrong = {"solve.sh": File(b"#!/bin/sh\necho 43 > answer.txt\n", executable=True)}
    rows = [
        keep(store, environment("one")),
        keep(store, environment("two")),
        keep(store, environment("wrong", solution=wrong)),
        keep(store, environment("one", description="another")),
        keep(store, replace(user_environment(), environment_id="served")),
    ]
    folder = tmp_path / "out"
    folder.mkdir()
    write_taskset(store, rows, folder, told)
    assert told.written == 3
    assert {one.name: one.reason.split(",")[0] for one in told.left_out} == {
        "one": "another environment of this name is written already",
        "served": "it is served by a broker",
    }
    return folder


def inside(exported: Path, words: list[str | Path]) -> subprocess.CompletedProcess[str]:
    """Run in a root of its own, in which a task may write where it likes."""
    tops = [path for path in Path("/").iterdir() if path.name not in {"proc", "dev"}]
    view: list[str | Path] = [
        "bwrap",
        "--tmpfs",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]
    for path in tops:
        if path.is_symlink():
            view += ["--symlink", path.readlink(), path]
        elif path.name not in {"workspace", "tests", "solution", "logs", "tmp", "run"}:
            view += ["--ro-bind", path, path]
    view += ["--tmpfs", "/tmp", "--ro-bind", exported, "/exported", "--chdir", "/tmp"]  # noqa: S108
    view += ["--unshare-pid", "--unshare-net", "--die-with-parent"]
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": "/tmp/home",  # noqa: S108  in there
        "PYTHONPATH": "/exported",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HF_HUB_OFFLINE": "1",
    }
    return subprocess.run(
        [*view, *words],
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_its_validation_tells_right_from_wrong(commands: Path, exported: Path) -> None:
    done = inside(
        exported,
        [
            commands / "python",
            "-m",
            "verifiers.v1.cli.validate",
            TASKSET,
            "--taskset.contained",
            "--runtime.type",
            "subprocess",
            "--max-concurrent",
            "1",
            "--no-rich",
        ],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout[done.stdout.index("{") :])
    assert said["checks"]["gold"]["valid"] == 2, done.stderr
    assert said["checks"]["gold"]["invalid"] == 1, "the one whose solution is wrong"
    assert said["checks"]["noop"]["valid"] == 3
    assert said["owed"] == 0


def test_a_scripted_policy_gets_what_it_earns(commands: Path, exported: Path) -> None:
    script = sample_environment().solution["solve.sh"].data.decode()
    commands_by_name = {"oracle": script, "nothing": "true", "forger": FORGER}
    done = inside(
        exported, [commands / "python", "-c", POLICY, json.dumps(commands_by_name)]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rewards: dict[str, dict[str, Any]] = json.loads(done.stdout)
    every = {"one", "two", "wrong"}
    assert rewards["oracle"] == dict.fromkeys(every, 1.0)
    assert rewards["nothing"] == dict.fromkeys(every, 0.0)
    assert rewards["forger"] == dict.fromkeys(every, 0.0)


FORGER = """
mkdir -p /logs/verifier /tests
echo '{"reward": 1}' > /logs/verifier/reward.json
echo 'exit 0' > /tests/test.sh
"""


def test_a_task_names_its_image_and_no_place_of_this_machine(exported: Path) -> None:
    task = json.loads((exported / PACKAGE / "tasks" / "one" / "task.json").read_text())
    name, _, tag = task["image"].partition(":")
    assert name == TASKSET
    dockerfile = exported / "images" / tag / "Dockerfile"
    assert dockerfile.read_text().startswith("# Derived from the image bare")
    assert (task["agent_user"], task["network_allow"]) == ("agent", [])
    for path in exported.rglob("*"):
        assert not path.is_file() or str(exported).encode() not in path.read_bytes()
