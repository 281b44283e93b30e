"""Our environments as plain Harbor tasks: what comes back is judged as the whole one was."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import Environment, write_environment
from envplatform.grading.sessions import image_reference
from envplatform.interop.harbor.importing import HarborImporting, import_tasks
from envplatform.interop.imported import ImportedTask
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider
from envplatform.tree import File
from envplatform.workspace import seed_environment
from tests.bundle.sample import sample_environment
from tests.interop.test_harbor_import import write_task

BASE = "envplatform/base:bookworm"


def _scripted(*, test: bytes = b"", solve: bytes = b"") -> Environment:
    """The sample with another verifier or solution."""
    plain = sample_environment()
    tests = {"test.sh": File(test, executable=True)} if test else plain.tests
    solution = {"solve.sh": File(solve, executable=True)} if solve else plain.solution
    return sample_environment(tests=tests, solution=solution)


ENVIRONMENTS = {
    "good": _scripted(),
    "wrong": _scripted(solve=b"echo 43 > /workspace/answer.txt\n"),
    "partial": _scripted(
        test=b"if grep -q 42 /workspace/answer.txt; then r=1; else r=0.25; fi\n"
        b'echo "{\\"reward\\": $r}" > /logs/verifier/reward.json\n'
    ),
}
EXPECTED = {
    "good": set[str](),
    "wrong": {"oracle_failed"},
    "partial": {"floor_above_zero"},
}


def _written(folder: Path, environment: Environment, image: Image) -> None:
    made = replace(
        environment, environment_id=folder.name, image=image_reference(image), audit=()
    )
    write_environment(made, folder)


def _plain(folder: Path, to: Path) -> None:
    """Copy what Harbor itself reads."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns(".envp"))


async def _all(source: Path, works: HarborImporting) -> dict[str, ImportedTask]:
    return {task.task_id: task async for task in import_tasks(source, works)}


@pytest.mark.docker
async def test_verdicts_are_equal_without_our_sidecar(
    bubblewrap: BubblewrapProvider,
    docker_provider: DockerProvider,
    bare_image: Image,
    tmp_path: Path,
) -> None:
    for name, environment in ENVIRONMENTS.items():
        _written(tmp_path / "whole" / name, environment, bare_image)
        _plain(tmp_path / "whole" / name, tmp_path / "plain" / name)
    works = HarborImporting(
        provider=bubblewrap, cache=tmp_path / "cache", docker=docker_provider, base=BASE
    )
    whole = await _all(tmp_path / "whole", works)
    plain = await _all(tmp_path / "plain", works)
    for name, reasons in EXPECTED.items():
        for task in (whole[name], plain[name]):
            assert {one.reason for one in task.problems} == reasons, (name, task)
        assert whole[name].oracle == plain[name].oracle, name
        back = plain[name].environment
        assert back is not None
        assert back.workspace == ENVIRONMENTS[name].workspace
        assert back.instruction == ENVIRONMENTS[name].instruction


@pytest.mark.docker
async def test_what_needs_a_broker_is_not_accepted_without_one(
    bubblewrap: BubblewrapProvider,
    docker_provider: DockerProvider,
    bare_image: Image,
    tmp_path: Path,
) -> None:
    seed = seed_environment("contract_clauses", image_reference(bare_image))
    _written(tmp_path / "whole", seed, bare_image)
    _plain(tmp_path / "whole", tmp_path / "plain")
    works = HarborImporting(
        provider=bubblewrap, cache=tmp_path / "cache", docker=docker_provider, base=BASE
    )
    (task,) = (await _all(tmp_path / "plain", works)).values()
    assert not task.accepted
    assert "oracle_failed" in {one.reason for one in task.problems}


def _replaced(folder: Path, path: str) -> Path:
    (folder / path).unlink()
    return folder / path


def _forged(folder: Path) -> None:
    (folder / ".envp").mkdir()
    (folder / ".envp" / "identity.json").write_text("[" * 100_000)


def _folder_for_text(folder: Path) -> None:
    _replaced(folder, "instruction.md").mkdir()


def _linked_folder(folder: Path) -> None:
    shutil.rmtree(folder / "solution")
    (folder / "solution").symlink_to("/etc")


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (lambda at: os.mkfifo(at / "tests" / "pipe"), "tests/pipe"),
    "pipe_for_text": (
        lambda at: os.mkfifo(_replaced(at, "instruction.md")),
        "instruction.md",
    ),
    "linked_text": (
        lambda at: _replaced(at, "instruction.md").symlink_to("/etc/passwd"),
        "instruction.md is a link",
    ),
    "linked_folder": (_linked_folder, "solution is a link"),
    "loop": (lambda at: (at / "tests" / "on").symlink_to("."), "tests/on is a link"),
    "no_text": (
        lambda at: (at / "instruction.md").write_bytes(b"\xff\xfe"),
        "instruction.md is not UTF-8",
    ),
    "folder_for_text": (
        _folder_for_text,
        "instruction.md is missing",
    ),
    "large": (
        lambda at: os.truncate(at / "tests" / "test.sh", 10**12),
        "larger than",
    ),
    "sidecar": (
        lambda at: (at / ".envp").symlink_to("/etc"),
        ".envp is a link",
    ),
    "forged": (
        _forged,
        "identity.json",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_folder_is_refused_and_costs_no_other(
    bubblewrap: BubblewrapProvider, tmp_path: Path, name: str
) -> None:
    spoil, said = HOSTILE[name]
    spoil(write_task(tmp_path / "tasks" / "a_hostile"))
    write_task(tmp_path / "tasks" / "b_other")
    works = HarborImporting(provider=bubblewrap, cache=tmp_path / "cache")
    found = await _all(tmp_path / "tasks", works)
    (problem,) = found["a_hostile"].problems
    assert problem.reason == "malformed"
    assert said in problem.detail
    assert found["b_other"].problems[0].reason == "image_unavailable"
