"""`trajectory_scores`: a student's sums, once each, and no student costs no one."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.score_recipes import score_sources
from envplatform.configuration import Configuration, StudentSettings
from envplatform.errors import StudentError
from envplatform.store import Origin, Store
from envplatform.trajectories import Trajectory, TrajectoryScore
from envplatform.trajectories.rows import (
    SelectedTrajectory,
    ValidTrajectory,
    valid_row,
)
from tests.assets.runs import materialised, metadata, steps
from tests.trajectories.made_record import TALK, record

pytestmark = pytest.mark.skipif(
    find_spec("torch") is None, reason="needs envplatform[learning]"
)
ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
_MAKE = """
import sys
from pathlib import Path
from tests.learning.chat_templates import CHATML_TOOLS
from tests.learning.made_students import save_student
save_student(Path(sys.argv[1]), CHATML_TOOLS)
"""
CHECKOUT = Path(__file__).resolve().parents[2]
Run = Callable[[str], dg.ExecuteInProcessResult]


@pytest.fixture
def student(tmp_path: Path) -> Path:
    """A tiny random model; made elsewhere, so that no torch comes in here."""
    folder = tmp_path / "student"
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(CHECKOUT)}
    subprocess.run([sys.executable, "-c", _MAKE, folder], env=environ, check=True)
    return folder


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
) -> Run:
    """Scores and selects under a configuration; two of three rollouts are valid."""
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    instance.add_dynamic_partitions("rollout_batch", ["first"])
    instance.add_dynamic_partitions("experiment", ["best"])
    silent = replace(record("silent"), steps=())
    rows = (record("spoken"), record("spurned"), silent)
    _keep(store, "rollouts", rows, Trajectory, "first")
    valid = [valid_row(rows[0], "first"), valid_row(silent, "first")]
    _keep(store, "valid_trajectories", valid, ValidTrajectory, "best")

    def materialise(text: str) -> dg.ExecuteInProcessResult:
        file.write_text(text)
        job = build_definitions().resolve_job_def("trajectory_selection")
        names = ("trajectory_scores", "selected_trajectories")
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in names],
            partition_key="best",
            raise_on_error=False,
        )

    return materialise


def _unread(folder: Path) -> Path:
    """A folder that looks like a student, as long as nobody loads it."""
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).write_text(name)
    return folder


def _keep(
    store: Store, asset: str, rows: object, row_type: type, partition: str
) -> None:
    assert isinstance(rows, tuple | list)
    store.write_rows(asset, rows, row_type=row_type, partition=partition, origin=ORIGIN)


@pytest.mark.slow
def test_a_student_scores_what_is_valid_and_decides(
    run: Run, student: Path, instance: dg.DagsterInstance, store: Store
) -> None:
    text = f"""
    [selection.best]
    metric = "rsr"
    bins = 1
    keep = 1.0
    [selection.best.student]
    model = "{student.name}"
    """
    assert run(text).success
    spoken, silent = store.rows(TrajectoryScore, "trajectory_scores", "best")
    assert (spoken.trajectory_id, spoken.skipped) == ("spoken", None)
    assert spoken.tokens > len(TALK.split())
    assert spoken.sum_surprisal > 0
    assert (silent.trajectory_id, silent.skipped) == ("silent", "no_agent_tokens")
    kept = store.rows(SelectedTrajectory, "selected_trajectories", "best")
    assert [(one.trajectory_id, one.value) for one in kept[:1]] == [
        ("spoken", spoken.rsr)
    ]
    told = metadata(materialised(instance, "trajectory_scores")[-1])
    assert (told["scored"], told["skipped"]) == (1, 1)
    assert told["student digest"] == spoken.model_digest
    assert "no_agent_tokens" in told["skipped reasons"]

    assert run(text).success
    assert metadata(materialised(instance, "trajectory_scores")[-1])["cached"] is True


def test_what_the_student_is_decides_whether_it_is_scored_again(
    store: Store, tmp_path: Path
) -> None:
    folder = _unread(tmp_path / "student")
    student = StudentSettings(model=str(folder))

    def recipe(student: StudentSettings) -> dict[str, str]:
        tables = {"best": {"student": student.model_dump()}}
        configuration = Configuration.model_validate({"selection": tables})
        return score_sources(configuration, "best", store)

    first = recipe(student)
    assert recipe(student.model_copy(update={"dtype": "bfloat16"})) != first
    (tmp_path / "t.jinja").write_text("{{ 1 }}")
    changes = {"template": str(tmp_path / "t.jinja")}
    assert recipe(student.model_copy(update=changes)) != first
    folder = folder.rename(tmp_path / "renamed")
    assert recipe(StudentSettings(model=str(folder))) == first
    (folder / "model.safetensors").write_bytes(b"other")
    assert recipe(StudentSettings(model=str(folder))) != first
    with pytest.raises(StudentError, match=r"gone\.jinja"):
        recipe(
            student.model_copy(update={"model": str(folder), "template": "gone.jinja"})
        )


def test_without_a_student_nothing_is_scored_and_it_is_said(
    run: Run, store: Store
) -> None:
    assert run('[selection.best]\nmetric = "reward"\n').success
    manifest = store.manifest("trajectory_scores", "best")
    assert manifest is not None
    assert (
        manifest.rows,
        store.rows(TrajectoryScore, "trajectory_scores", "best"),
    ) == (
        0,
        [],
    )
    assert ["nothing is scored" in note for note in manifest.notes] == [True]


@pytest.mark.parametrize(
    ("model", "told"),
    [("nowhere", "nowhere is neither a folder"), ("home", "has no config.json")],
)
def test_a_student_that_is_not_there_fails_its_partition(
    run: Run, store: Store, model: str, told: str
) -> None:
    result = run(f'[selection.best.student]\nmodel = "{model}"\n')
    assert steps(result)["trajectory_scores"] == "STEP_FAILURE"
    (failure,) = store.failures("trajectory_scores")
    assert told in failure.message


def test_a_valid_trajectory_that_is_gone_is_named(
    run: Run, tmp_path: Path, store: Store
) -> None:
    _unread(tmp_path / "student")
    _keep(store, "rollouts", (record("other"),), Trajectory, "first")
    assert not run('[selection.best.student]\nmodel = "student"\n').success
    (failure,) = store.failures("trajectory_scores")
    assert "2 valid trajectories are in no batch any more" in failure.message
    assert "'silent' of 'first'" in failure.message
