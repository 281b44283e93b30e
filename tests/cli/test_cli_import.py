"""`envplatform import`: foreign tasks are accepted or kept out, and said why."""

import json
from pathlib import Path

import pytest

from envplatform.bundle import read_environment
from tests.cli.conftest import Call
from tests.interop.made_qwen import returning, write_task


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """One task that can be accepted, one that nobody solved, one whose grader crashes."""
    folder = tmp_path / "set"
    for name in ("task_1_sum", "task_2_sum"):
        write_task(folder, name)
    write_task(folder, "task_3_odd", grade=returning("1 / 0"))
    return folder


@pytest.fixture
def solutions(tmp_path: Path) -> Path:
    """Of the first task."""
    folder = tmp_path / "solutions"
    (folder / "task_1_sum").mkdir(parents=True)
    (folder / "task_1_sum" / "total.txt").write_text("6\n")
    return folder


def test_a_set_is_imported_and_what_is_kept_out_has_reasons(
    ask: Call, tasks: Path, solutions: Path, tmp_path: Path
) -> None:
    words = ("import", "--format", "qwenclawbench", tasks, "--solutions", solutions)
    answer = ask(*words, "--to", tmp_path / "out", "--json")
    assert answer.code == 0, answer.err
    told = json.loads(answer.out)
    assert (told["accepted"], told["quarantined"]) == (1, 2)
    assert told["reasons"] == {"no_oracle": 2, "verifier_broken": 1}
    by_name = {one["task"]: one for one in told["tasks"]}
    assert (by_name["task_1_sum"]["floor"], by_name["task_1_sum"]["oracle"]) == (0, 1)
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["qwenclawbench.task_1_sum"]
    kept = read_environment(tmp_path / "out" / written[0])
    assert {one.status for one in kept.audit} == {"passed"}


def test_only_what_is_asked_for_is_executed(ask: Call, tasks: Path) -> None:
    words = ("import", "--format", "qwenclawbench", tasks, "--only", "task_2*")
    told = json.loads(ask(*words, "--json").out)
    assert [one["task"] for one in told["tasks"]] == ["task_2_sum"]
    answer = ask(*words)
    assert "accepted 0, kept out 1" in answer.out
    assert "no_oracle: 1" in answer.out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("claw-eval-live", "."), "holds no folder with a task.yaml"),
        (("harbor", ".", "--solutions", "."), "--solutions is of qwenclawbench"),
        (("harbor", ".", "--serve-evidence"), "is of claw-eval-live, not of harbor"),
        (("harbor", "."), "holds no Harbor task"),
    ],
    ids=("no_set", "solutions_of_another", "evidence_of_another", "no_task"),
)
def test_what_is_no_set_is_said(
    ask: Call, words: tuple[str, ...], problem: str
) -> None:
    answer = ask("import", "--format", *words)
    assert answer.code != 0
    assert problem in answer.err + answer.out
