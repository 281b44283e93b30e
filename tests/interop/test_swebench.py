"""swebench itself checks a task repository of ours, and reads verdicts off its logs.

Its evaluation script runs in a sandbox of this suite, since its own images want a
registry; what is read off the log, and the report, are its own.
"""

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from envplatform.bundle import Environment, without_repository
from envplatform.bundle.archive import unpack
from envplatform.errors import ExportError
from envplatform.grading import limits_of
from envplatform.interop.exporting import Exported
from envplatform.interop.swebench.bug import as_logged, bug_of
from envplatform.interop.swebench.write import write_task_repository
from envplatform.patches import apply_patch
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from envplatform.tree import File, Tree
from tests.interop.other_tools import commands_of
from tests.release.made_release import environment, keep
from tests.swe.small_repository import CANDIDATE, FAIL_TO_PASS, small_environment

SWEBENCH = "swebench==5.0.2"
GRADE = """
import json, sys
from swebench.harness.grading import get_eval_report
from swebench.harness.utils import load_swebench_dataset, make_test_spec

dataset, log = sys.argv[1:]
(instance,) = load_swebench_dataset(dataset)
prediction = {"instance_id": instance["instance_id"], "model_patch": "x"}
report = get_eval_report(make_test_spec(instance), prediction, log, True)
print(json.dumps(report[instance["instance_id"]]))
"""
SCRIPT = """
import sys
from swebench.harness.utils import load_swebench_dataset, make_test_spec

(instance,) = load_swebench_dataset(sys.argv[1])
sys.stdout.write(make_test_spec(instance).eval_script)
"""

pytestmark = pytest.mark.timeout(1200)  # the first run installs swebench


@pytest.fixture(scope="module")
def commands(cache_folder: Path) -> Path:
    return commands_of(SWEBENCH, cache_folder, modules="swebench.harness.grading")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A task repository of one bug."""

    folder: Path
    environment: Environment
    image: Image
    row: dict[str, Any]

    @property
    def task(self) -> Path:
        """Its folder."""
        return self.folder / "tasks" / str(self.row["instance_id"])

    @property
    def rows(self) -> Path:
        """The classic rows."""
        return self.folder / "rows.jsonl"


@pytest.fixture
def written(suite_image: Image, tmp_path: Path) -> Written:
    made, store = small_environment(suite_image), Store(tmp_path / "home")
    folder = tmp_path / "out"
    folder.mkdir()
    told = Exported()
    rows = [
        keep(store, made, repository="made__spans"),
        keep(store, environment("no-bug")),
        keep(store, replace(made, description="again"), repository="made__spans"),
    ]
    write_task_repository(store, rows, folder, told)
    assert told.written == 1
    assert [one.name for one in told.left_out] == ["no-bug", CANDIDATE.candidate_id]
    assert "its tests have no plan.json" in told.left_out[0].reason
    (line,) = (folder / "rows.jsonl").read_text().splitlines()
    return Written(
        folder=folder, environment=made, image=suite_image, row=json.loads(line)
    )


def run(
    words: list[str | Path], folder: Path, *, fails: bool = False
) -> subprocess.CompletedProcess[str]:
    environ = {"HOME": str(folder), "HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        words,
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert bool(done.returncode) is fails, done.stdout + done.stderr
    return done


def test_its_own_check_has_nothing_to_say(
    commands: Path, written: Written, tmp_path: Path
) -> None:
    of_sets: tuple[str | Path, ...] = (commands / "swebench", "dataset")
    check = [*of_sets, "check", written.folder]
    assert "looks well formed" in run(check, tmp_path).stdout
    run([*of_sets, "build", written.folder, "-o", tmp_path / "built"], tmp_path)
    assert [one.name for one in (tmp_path / "built").rglob("*.parquet")] == [
        "test.parquet"
    ]
    (written.task / "eval.sh").write_text("true\n")
    assert "marker" in run(check, tmp_path, fails=True).stdout


async def graded(
    commands: Path, written: Written, bubblewrap: BubblewrapProvider, left: Tree
) -> dict[str, Any]:
    """What its report says of a repository with these files."""
    folder = written.folder.parent
    python = commands / "python"
    script = run([python, "-c", SCRIPT, written.rows], folder).stdout
    here = script.replace("/testbed", "/workspace")
    limits = limits_of(written.environment, wall_s=240)
    async with bubblewrap.open(written.image, limits) as sandbox:
        await sandbox.upload(left, "/workspace")
        await sandbox.upload({"eval.sh": File(here.encode())}, "/tests")
        result = await sandbox.exec(["bash", "-c", "exec bash /tests/eval.sh 2>&1"])
    log = folder / "log.txt"
    log.write_bytes(result.stdout)
    said = run([python, "-c", GRADE, written.rows, log], folder).stdout
    report: dict[str, Any] = json.loads(said.splitlines()[-1])
    return report


async def test_its_own_report_resolves_the_fix_and_nothing_else(
    commands: Path, written: Written, bubblewrap: BubblewrapProvider
) -> None:
    untouched = unpack((written.task / "repository.tar").read_bytes())
    assert untouched == written.environment.workspace
    buggy = without_repository(untouched)
    fixed = {**untouched, **apply_patch(buggy, written.row["patch"])}
    report = await graded(commands, written, bubblewrap, fixed)
    assert report["resolved"] is True
    assert report["tests_status"]["FAIL_TO_PASS"]["success"] == list(FAIL_TO_PASS)
    report = await graded(commands, written, bubblewrap, untouched)
    assert (report["resolved"], report["patch_successfully_applied"]) == (False, True)
    assert report["tests_status"]["FAIL_TO_PASS"]["failure"] == list(FAIL_TO_PASS)
    assert report["tests_status"]["PASS_TO_PASS"]["failure"] == []


async def test_tests_that_a_solver_changed_are_put_back(
    commands: Path, written: Written, bubblewrap: BubblewrapProvider
) -> None:
    """Visible ones and settings as they were, hidden ones as they are."""
    untouched = unpack((written.task / "repository.tar").read_bytes())
    cheat = (
        b"import pytest\ndef pytest_collection_modifyitems(items):\n    items.clear()\n"
    )
    left = {
        **untouched,
        "tests/conftest.py": File(cheat),
        "tests/test_inside.py": File(b"def test_ends_count(): pass\n"),
    }
    report = await graded(commands, written, bubblewrap, left)
    assert report["resolved"] is False
    assert report["tests_status"]["PASS_TO_PASS"]["failure"] == []


def test_what_no_row_can_hold_is_left_out(suite_image: Image) -> None:
    made = small_environment(suite_image)
    job = json.loads(made.tests["job.json"].data)

    def with_test(name: str, data: bytes) -> Environment:
        return replace(made, tests={**made.tests, name: File(data)})

    for changed, told in (
        (
            with_test("job.json", json.dumps({**job, "services": [1]}).encode()),
            "services",
        ),
        (
            with_test("job.json", json.dumps({**job, "results": "junit"}).encode()),
            "log",
        ),
        (with_test("plan.json", b"[1]"), "no JSON object"),
        (with_test("plan.json", b"{"), "is no JSON"),
        (with_test("plan.json", b"{}"), "none fails"),
        (with_test("hidden/tests/test_x.py", b"# \xff\n"), "no UTF-8"),
        (with_test("hidden/tests/test_x.py", b"# >>>>> End Test Output\n"), "a mark"),
    ):
        with pytest.raises(ExportError, match=told):
            bug_of(changed)
    assert as_logged(["a.py::t[x y]", "a.py::t[x z]", "b.py::u"]) == (
        "a.py::t[x",
        "b.py::u",
    )
