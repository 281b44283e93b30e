"""A made set is read, executed in real sandboxes, and each bad task costs no other."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from envplatform.bundle import read_environment, write_environment
from envplatform.errors import BundleError
from envplatform.interop.claw_eval_live.importing import ClawImporting, import_set
from envplatform.interop.claw_eval_live.reading import read_tasks
from envplatform.interop.imported import ImportedTask
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.interop.made_claw import BASE, HEAD

SUM = "        scores.completion = 0.1 + 0.7 * ('6' in text)\n"
RETURN = "        return scores\n"
TASK = """\
task_id: {name}
task_name: Sum of numbers
prompt:
  text: Sum the numbers of the attachment.
  attachments: [fixtures/numbers.txt]
environment: {{timeout_seconds: 60, fixtures: ["{fixture}"]}}
reference_solution: {reference}
"""
GRADERS = {
    "good": SUM + RETURN,
    "prints": "        print('{\"reward\": 1}')\n" + SUM + RETURN,
    "hangs": "        while True: pass\n",
    "crashes": "        raise KeyError('x')\n",
    "exits": "        raise SystemExit(0)\n",
    "nan": "        scores.completion = float('nan')\n" + RETURN,
    "strings": "        scores.completion = '1.0'\n" + RETURN,
    "paid": "        scores.completion = 0.75\n" + RETURN,
    "chance": "        import os\n"
    "        scores.completion = int.from_bytes(os.urandom(4)) / 2**33\n" + RETURN,
    "unloadable": "        import nothing_of_the_kind\n\nimport missing_module\n",
}
EXPECTED = {
    "good": set[str](),
    "prints": set[str](),
    "wrong": {"oracle_failed"},
    "hangs": {"verifier_broken"},
    "crashes": {"verifier_broken"},
    "exits": {"verifier_broken"},
    "nan": {"verifier_broken"},
    "strings": {"verifier_broken"},
    "paid": {"floor_above_zero"},
    "chance": {"nondeterministic"},
    "unloadable": {"verifier_broken"},
    "leaves": {"unsafe"},
    "missing": {"missing_file"},
    "link": {"unsafe"},
    "no_grader": {"missing_file"},
    "service": {"unsupported"},
    "tool": {"malformed"},
    "snapshot": {"unsupported"},
    "silent": {"no_oracle"},
    "bomb": {"malformed"},
    "twice": {"malformed"},
    "types": {"malformed"},
    "name with sp\u00e4ce": {"malformed"},
}


def _write(
    folder: Path,
    name: str,
    *,
    grader: str = SUM + RETURN,
    fixture: str = "fixtures/numbers.txt",
    reference: str = "The sum is 6.",
    more: str = "",
) -> Path:
    task = folder / "tasks" / name
    (task / "fixtures").mkdir(parents=True)
    (task / "fixtures" / "numbers.txt").write_text("1\n2\n3\n")
    text = TASK.format(name=name, fixture=fixture, reference=reference)
    (task / "task.yaml").write_text(text + more, encoding="utf-8")
    (task / "grader.py").write_text(HEAD + grader)
    return task


@pytest.fixture(scope="module")
def made_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("claw")
    base = folder / "src" / "liveclaw_500" / "graders" / "base.py"
    base.parent.mkdir(parents=True)
    base.write_text(BASE)
    for name, grader in GRADERS.items():
        _write(folder, name, grader=grader)
    _write(folder, "wrong", reference="The sum is 7.")
    _write(folder, "silent", reference="''")
    _write(folder, "leaves", fixture="../good/grader.py")
    _write(folder, "missing", fixture="fixtures/absent.txt")
    link = _write(folder, "link", fixture="fixtures/passwd")
    (link / "fixtures" / "passwd").symlink_to("/etc/passwd")
    (_write(folder, "no_grader") / "grader.py").unlink()
    _write(folder, "service", more="services: [{name: mail}]\n")
    _write(folder, "tool", more="services: []\ntools: [{name: list}]\n")
    _write(folder, "snapshot", more="env_snapshot_commands: [ls]\n")
    _write(folder, "bomb", more="a: &a [1]\nb: [*a, *a]\n")
    _write(folder, "twice", more="task_name: Again\n")
    _write(folder, "types", more="services: 3\n")
    _write(folder, "name with sp\u00e4ce")
    return folder


@pytest.fixture(scope="module")
def imported(
    made_set: Path, bubblewrap: BubblewrapProvider, bare_image: Image
) -> Mapping[str, ImportedTask]:
    works = ClawImporting(provider=bubblewrap, image=bare_image, verifier_timeout_s=2)

    async def whole() -> dict[str, ImportedTask]:
        return {task.task_id: task async for task in import_set(made_set, works)}

    return asyncio.run(whole())


@pytest.mark.parametrize("name", EXPECTED)
def test_each_task_ends_with_its_reasons(
    imported: Mapping[str, ImportedTask], name: str
) -> None:
    task = imported[name]
    assert {problem.reason for problem in task.problems} == EXPECTED[name]
    assert task.accepted == (not EXPECTED[name])


def test_a_reference_at_the_pass_mark_is_an_oracle_and_the_floor_is_no_reward(
    imported: Mapping[str, ImportedTask], tmp_path: Path
) -> None:
    task = imported["good"]
    assert (task.floor, task.oracle) == (0.1, 1.0)
    assert task.environment is not None
    assert task.environment.labels["license"] == "CC-BY-4.0"
    write_environment(task.environment, tmp_path / "good")
    assert read_environment(tmp_path / "good") == task.environment


def test_a_folder_without_tasks_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"holds no folder with a task\.yaml"):
        list(read_tasks(tmp_path))


@pytest.mark.parametrize(
    ("files", "oracle"),
    [
        ({"FINAL_ANSWER.md": "It is 6."}, 1.0),
        ({"solve.sh": "echo six is 6 > /workspace/FINAL_ANSWER.md\n"}, 1.0),
        ({"FINAL_ANSWER.md": "It is 8."}, 0.0),
    ],
)
async def test_a_solution_that_comes_beside_the_set_takes_the_reference_s_place(
    made_set: Path,
    bubblewrap: BubblewrapProvider,
    bare_image: Image,
    tmp_path: Path,
    files: Mapping[str, str],
    oracle: float,
) -> None:
    (tmp_path / "silent").mkdir()
    for name, text in files.items():
        (tmp_path / "silent" / name).write_text(text)
    works = ClawImporting(provider=bubblewrap, image=bare_image, solutions=tmp_path)
    (task,) = [one async for one in import_set(made_set, works, only="silent")]
    assert (task.oracle, task.accepted) == (oracle, oracle == 1)


async def test_a_solution_of_no_task_is_refused(
    made_set: Path, bubblewrap: BubblewrapProvider, bare_image: Image, tmp_path: Path
) -> None:
    (tmp_path / "absent").mkdir()
    works = ClawImporting(provider=bubblewrap, image=bare_image, solutions=tmp_path)
    with pytest.raises(BundleError, match="absent is named after no task"):
        await anext(import_set(made_set, works))
