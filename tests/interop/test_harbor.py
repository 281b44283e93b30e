"""Harbor itself, in its own Python 3.12, lints and runs an environment of ours.

And its own model of ATIF takes our trajectories.
"""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import Environment, write_environment
from envplatform.interop.atif.write import write_documents
from envplatform.interop.exporting import Exported
from envplatform.sandbox.base import Image
from envplatform.tree import File
from tests.interop.other_tools import commands_of
from tests.interop.test_export import odd
from tests.rollout.made_user import user_environment
from tests.swe.small_repository import small_environment
from tests.trajectories.made_record import record

HARBOR = "harbor==0.26.0"
CLASS = "envplatform.interop.harbor.bubblewrap:BubblewrapEnvironment"
KILLER = """#!/bin/sh
cat > /workspace/spans/core.py <<'END'
import os, pathlib, signal
reward = '{"reward": 1, "fail_to_pass": 1, "pass_to_pass": 1}'
pathlib.Path("/logs/verifier/reward.json").write_text(reward)
os.kill(-1, signal.SIGKILL)
END
"""
CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.timeout(900)  # the first run installs Harbor


@pytest.fixture(scope="module")
def harbor(cache_folder: Path) -> Path:
    """The `harbor` command, installed once into the cache."""
    return commands_of(HARBOR, cache_folder, python="3.12") / "harbor"


@pytest.fixture(scope="module")
def environment(suite_image: Image) -> Environment:
    return small_environment(suite_image)


@pytest.fixture
def folder(environment: Environment, tmp_path: Path) -> Path:
    write_environment(environment, tmp_path / "env")
    return tmp_path / "env"


def _harbor(
    harbor: Path, *arguments: str | Path, jobs: Path
) -> subprocess.CompletedProcess[str]:
    quiet = {"HARBOR_TELEMETRY": "off", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    return subprocess.run(
        [harbor, *arguments],
        cwd=jobs,
        env={**os.environ, **quiet, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _run(harbor: Path, folder: Path, agent: str, images: Path) -> dict[str, object]:
    """The result of the one trial."""
    jobs = folder.parent / "jobs"
    jobs.mkdir()
    run: list[str | Path] = [
        "run",
        "-p",
        folder,
        "-a",
        agent,
        "-e",
        CLASS,
        "--ek",
        f"cache={images}",
    ]
    done = _harbor(harbor, *run, "-o", jobs, "--job-name", "j", "-y", jobs=jobs)
    assert done.returncode == 0, done.stdout + done.stderr
    (trial,) = jobs.glob("j/*/result.json")
    result: dict[str, object] = json.loads(trial.read_text())
    return result


def test_harbor_lint_has_nothing_to_say_under_any_rule(
    harbor: Path, folder: Path
) -> None:
    done = _harbor(
        harbor, "lint", "--select", "ALL", "--json", folder, jobs=folder.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout) == []


def test_harbor_lint_does_see_this_task(harbor: Path, folder: Path) -> None:
    """The proof that the silence above means something."""
    task = (folder / "task.toml").read_text()
    shared = task.replace('environment_mode = "separate"\n', "")
    head, _, tail = shared.partition("[verifier.environment]")
    (folder / "task.toml").write_text(head + tail[tail.index("[environment]") :])
    done = _harbor(harbor, "lint", "--json", folder, jobs=folder.parent)
    assert [found["rule"] for found in json.loads(done.stdout)] == ["shared-verifier"]


@pytest.mark.parametrize(("agent", "reward"), [("oracle", 1.0), ("nop", 0.0)])
@pytest.mark.usefixtures("bubblewrap")
def test_harbor_runs_it_in_bubblewrap_to_our_own_verdict(
    harbor: Path, folder: Path, agent: str, reward: float, cache_folder: Path
) -> None:
    result = _run(harbor, folder, agent, cache_folder / "images")
    assert result["exception_info"] is None
    assert result["verifier_environment_mode"] == "separate"
    assert result["verifier_result"] == {
        "rewards": {"reward": reward, "fail_to_pass": reward, "pass_to_pass": 1.0}
    }


@pytest.mark.usefixtures("bubblewrap")
def test_harbor_gets_no_reward_from_a_verifier_that_was_killed(
    harbor: Path, environment: Environment, tmp_path: Path, cache_folder: Path
) -> None:
    """Harbor itself does not look at the exit status of test.sh."""
    solution = {"solve.sh": File(KILLER.encode(), executable=True)}
    write_environment(replace(environment, solution=solution), tmp_path / "env")
    result = _run(harbor, tmp_path / "env", "oracle", cache_folder / "images")
    assert result["verifier_result"] is None
    assert "RewardFileNotFoundError" in json.dumps(result["exception_info"])


@pytest.mark.usefixtures("bubblewrap")
def test_a_folder_that_is_no_environment_of_ours_is_refused(
    harbor: Path, folder: Path, cache_folder: Path
) -> None:
    (folder / "environment" / "Dockerfile").write_text("FROM scratch\n")
    said = _refused(harbor, folder, cache_folder)
    assert "is not what its digest says" in said


@pytest.mark.usefixtures("bubblewrap")
def test_what_needs_a_broker_is_refused_before_anybody_works_in_it(
    harbor: Path, tmp_path: Path, cache_folder: Path
) -> None:
    """Its verifier would find no log and score honest work 0."""
    write_environment(user_environment(), tmp_path / "env")
    said = _refused(harbor, tmp_path / "env", cache_folder)
    assert "is served through `ws`" in said
    assert "use `envplatform run`" in said


def _refused(harbor: Path, folder: Path, cache: Path) -> str:
    """What Harbor says of it, in one line."""
    jobs = folder.parent
    run: list[str | Path] = [
        "run",
        "-p",
        folder,
        "-a",
        "nop",
        "-e",
        CLASS,
        "-y",
        "-o",
        jobs / "jobs",
    ]
    done = _harbor(harbor, *run, "--ek", f"cache={cache}", jobs=jobs)
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("which", ["plain", "odd"])
def test_harbor_takes_our_trajectories(
    harbor: Path, tmp_path: Path, which: str
) -> None:
    """And its validator would have found what was spoilt."""
    rows = [("b", odd() if which == "odd" else record("plain"))]
    write_documents(rows, tmp_path, Exported())
    document = tmp_path / "b" / f"{which}.json"
    assert _validated(harbor, document) == 0
    document.write_text(document.read_text().replace('"step_id": 2', '"step_id": 7'))
    assert _validated(harbor, document) == 1


def _validated(harbor: Path, document: Path) -> int:
    return subprocess.run(
        [
            harbor.with_name("python"),
            "-m",
            "harbor.utils.trajectory_validator",
            document,
        ],
        cwd=document.parent,
        capture_output=True,
        check=False,
    ).returncode
