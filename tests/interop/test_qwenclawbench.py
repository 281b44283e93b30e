"""A made set is read, executed in real sandboxes, and each bad task costs no other."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from envplatform.bundle import read_environment, write_environment
from envplatform.errors import BundleError
from envplatform.interop.imported import ImportedTask, count_reasons
from envplatform.interop.qwenclawbench.importing import Importing, import_set
from envplatform.interop.qwenclawbench.reading import find_set, read_tasks
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.interop.made_qwen import (
    FILES,
    GRADE,
    REPOSITORY,
    SAYING,
    TOOLS,
    returning,
    write_task,
)

BROKEN = {
    "hangs": returning("{}", before="while True: pass"),
    "nan": returning('{"a": float("nan")}'),
    "negative": returning('{"a": -0.5}'),
    "above_one": returning('{"a": 2}'),
    "strings": returning('{"a": "1.0"}'),
    "huge": returning('{f"k{i}": 0.0 for i in range(100_000)}'),
    "odd_name": returning('{"../reward": 0.0}'),
    "own_reward": returning('{"reward": 1.0}'),
    "no_dict": returning("1.0"),
    "raises": returning("{}", before='raise KeyError("x")'),
    "exits": returning("{}", before="import os; os._exit(0)"),
    "no_function": "score = 1\n",
    "no_python": "def grade(:\n",
}
WRITES = returning(
    '{"a": 0.0}',
    before="""\
import os, pathlib, time
print('{"reward": 1}')
root = pathlib.Path(workspace_path)
seen = (root / "left.txt").exists()
(root / "left.txt").write_text("x")
(root / "data" / "numbers.txt").unlink()
if os.fork() == 0:
    time.sleep(600)
if seen: raise RuntimeError("another grading left its files")""",
)
UNREADABLE = {
    "duplicate_key": ("name: Again\n", "'name' stands twice"),
    "alias": ("a: &a [1]\nb: *a\n", "aliases"),
    "long_front": (f"a: {'x' * 600_000}\n", "front matter of more than"),
    "ten_mb": (f"a: {'x' * 10_000_000}\n", "larger than 2000000 bytes"),
    "no_mapping": ("workspace_files: 3\n", "stands twice"),
}


@pytest.fixture(scope="module")
def made_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("qwen")
    for name in ("files", "script", "wrong", "unproven"):
        write_task(folder, name)
    write_task(folder, "saying", grade=SAYING)
    write_task(folder, "tools", grade=TOOLS)
    write_task(folder, "repository", grade=REPOSITORY)
    write_task(folder, "paid", grade=returning('{"a": 1, "b": 0.0}'))
    write_task(folder, "writes", grade=WRITES)
    chance = returning(
        '{"a": int.from_bytes(os.urandom(4)) / 2**33}', before="import os"
    )
    write_task(folder, "chance", grade=chance)
    for name, grade in BROKEN.items():
        write_task(folder, name, grade=grade)
    for name, (more, _) in UNREADABLE.items():
        write_task(folder, name, more=more)
    _write_bad_files(folder)
    (folder / "LICENSE").write_text("MIT, by whoever made the set\n")
    return folder


def _write_bad_files(folder: Path) -> None:
    entry = "- source: {}\n  dest: {}\n"
    missing = entry.format("a.txt", "a.txt") + entry.format("b.txt", "b.txt")
    write_task(folder, "missing", files=FILES + missing)
    out = entry.format("../../LICENSE", "x") + entry.format("data/numbers.txt", "../x")
    write_task(folder, "leaves", files=FILES + out)
    write_task(folder, "link", files=FILES + entry.format("link/passwd", "passwd"))
    (folder / "assets" / "link" / "link").symlink_to("/etc")
    write_task(folder, "twice", files=FILES + entry.format("data/numbers.txt", "data"))


@pytest.fixture(scope="module")
def solutions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("solutions")
    given = {
        "files/total.txt": "6\n",
        "wrong/total.txt": "7\n",
        "script/solve.sh": "awk '{s += $1} END {print s}' data/numbers.txt > total.txt",
        "saying/FINAL_ANSWER.md": "The sum is 6.\n",
        "tools/FINAL_ANSWER.md": "I called a tool.\n",
    }
    for path, text in given.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def imported(
    made_set: Path, solutions: Path, bubblewrap: BubblewrapProvider, bare_image: Image
) -> Mapping[str, ImportedTask]:
    works = Importing(
        provider=bubblewrap,
        image_for=lambda _: bare_image,
        solutions=solutions,
        verifier_timeout_s=2,
    )

    async def whole() -> dict[str, ImportedTask]:
        return {task.task_id: task async for task in import_set(made_set, works)}

    return asyncio.run(whole())


def _reasons(task: ImportedTask) -> set[str]:
    return {problem.reason for problem in task.problems}


def test_what_was_solved_is_accepted_and_nothing_else(
    imported: Mapping[str, ImportedTask], tmp_path: Path
) -> None:
    accepted = {name: task for name, task in imported.items() if task.accepted}
    assert accepted.keys() == {"files", "script", "saying"}
    for name, task in accepted.items():
        assert (task.floor, task.oracle) == (0, 1)
        assert task.environment is not None
        assert task.environment.core.facts["judge"] == "none"
        assert "MIT" in task.environment.tests["LICENSE"].data.decode()
        write_environment(task.environment, tmp_path / name)
        assert read_environment(tmp_path / name) == task.environment


def test_the_instruction_asks_for_an_answer_only_where_one_is_read(
    imported: Mapping[str, ImportedTask],
) -> None:
    files, saying = imported["files"].environment, imported["saying"].environment
    assert files is not None
    assert saying is not None
    assert "FINAL_ANSWER.md" not in files.instruction
    assert "FINAL_ANSWER.md" in saying.instruction
    assert "## no heading" in files.instruction
    assert files.workspace.keys() == {"data/numbers.txt", "notes/inline.md"}


def test_every_other_task_has_its_reason(imported: Mapping[str, ImportedTask]) -> None:
    expected = {
        "wrong": ({"oracle_failed"}, 0.5),
        "unproven": ({"no_oracle"}, None),
        "tools": ({"oracle_failed", "needs_tool_calls"}, 0),
        "repository": ({"needs_repository", "no_oracle"}, None),
        "paid": ({"floor_above_zero", "no_oracle"}, None),
        "chance": ({"nondeterministic", "floor_above_zero", "no_oracle"}, None),
        "missing": ({"missing_file", "no_oracle"}, None),
        "leaves": ({"unsafe", "no_oracle"}, None),
        "link": ({"unsafe", "no_oracle"}, None),
        "twice": ({"malformed"}, None),
    }
    for name, (reasons, oracle) in expected.items():
        assert (_reasons(imported[name]), imported[name].oracle) == (reasons, oracle)
    told = [p.detail for p in imported["missing"].problems if p.reason != "no_oracle"]
    assert len(told) == 2


@pytest.mark.parametrize("name", BROKEN)
def test_a_grader_without_a_valid_verdict_is_told(
    imported: Mapping[str, ImportedTask], name: str
) -> None:
    assert "verifier_broken" in _reasons(imported[name])
    assert imported[name].floor is None


def test_what_a_grader_prints_writes_and_leaves_running_changes_nothing(
    imported: Mapping[str, ImportedTask],
) -> None:
    assert _reasons(imported["writes"]) == {"no_oracle"}
    assert imported["writes"].floor == 0


@pytest.mark.parametrize("name", UNREADABLE)
def test_front_matter_that_is_none_is_told(made_set: Path, name: str) -> None:
    found = next(one for one in read_tasks(made_set) if one.task_id == name)
    (problem,) = found.problems
    assert problem.reason == "malformed"
    assert UNREADABLE[name][1] in problem.detail


def test_long_lines_of_blanks_and_many_keys_are_read(tmp_path: Path) -> None:
    keys = "".join(f"key_{number}: 1\n" for number in range(20_000))
    blanks = " " * 500_000
    grade = f'x = """\n## a{blanks}b\n"""\n' + GRADE
    write_task(tmp_path, "long", more=keys, grade=grade)
    path = tmp_path / "tasks" / "long.md"
    path.write_text(path.read_text() + f"\n```{blanks}`\n## c{blanks}d\n")
    (found,) = read_tasks(tmp_path)
    assert found.problems == ()
    assert found.text is not None
    assert found.text.code.startswith('x = """\n## a ')
    assert any(name.startswith("c ") for name in found.text.sections)


def test_counts_name_every_reason_once_a_task(
    imported: Mapping[str, ImportedTask],
) -> None:
    counts = count_reasons(list(imported.values()))
    assert counts["missing_file"] == 1
    assert counts["verifier_broken"] == len(BROKEN)


async def test_solutions_of_no_task_are_refused(
    made_set: Path, tmp_path: Path, bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    (tmp_path / "fiels").mkdir()
    works = Importing(
        provider=bubblewrap, image_for=lambda _: bare_image, solutions=tmp_path
    )
    with pytest.raises(BundleError, match="fiels is named after no task"):
        await anext(import_set(made_set, works))


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="holds no folder tasks/"):
        find_set(tmp_path)
