"""`sft_checkpoint`: from selected trajectories to an adapter, through Dagster Pipes."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.training_recipes import sft_order, sft_sources
from envplatform.cli.lineage import lineage_of
from envplatform.configuration import Configuration, TrainingSettings
from envplatform.learning.training.published import CheckpointRow, kept_checkpoint
from envplatform.learning.training.workfolder import WorkFolder
from envplatform.store import Origin, Store
from envplatform.trajectories import Trajectory
from envplatform.trajectories.rows import SelectedTrajectory
from resources.trainer import container_arguments
from tests.assets.runs import materialised, metadata, steps
from tests.learning.made_elsewhere import student
from tests.trajectories.made_record import record

pytestmark = pytest.mark.skipif(
    find_spec("trl") is None, reason="needs envplatform[learning]"
)
ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
SETTINGS = """
[selection.best]
metric = "reward"
[training.best]
base = "{base}"
base_licence = "Apache-2.0"
dtype = "float32"
max_length = {length}
rank = 4
checkpoint_every = 1
[training.best.sft]
steps = 3
batch = 2
"""
Run = Callable[[str], dg.ExecuteInProcessResult]


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
) -> Run:
    """Trains under a configuration, on two trajectories of three."""
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    instance.add_dynamic_partitions("rollout_batch", ["first"])
    instance.add_dynamic_partitions("experiment", ["best"])
    _keep(store, "rollouts", map(record, ("one", "two", "three")), Trajectory, "first")
    selected = [_selected("one"), _selected("two"), _selected("three", arm="control")]
    _keep(store, "selected_trajectories", selected, SelectedTrajectory, "best")

    def materialise(text: str) -> dg.ExecuteInProcessResult:
        file.write_text(text)
        job = build_definitions().resolve_job_def("model_training")
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey("sft_checkpoint")],
            partition_key="best",
            raise_on_error=False,
        )

    return materialise


def _selected(name: str, arm: str = "selected") -> SelectedTrajectory:
    plain = SelectedTrajectory(
        trajectory_id=name,
        batch="first",
        arm="selected",
        metric="reward",
        value=1.0,
        length=9,
        bin=0,
    )
    return replace(plain, arm="control") if arm == "control" else plain


def _keep(
    store: Store, asset: str, rows: Iterable[object], row_type: type, partition: str
) -> None:
    store.write_rows(asset, rows, row_type=row_type, partition=partition, origin=ORIGIN)


def _settings(length: int = 400) -> str:
    return SETTINGS.format(base=student(), length=length)


@pytest.mark.slow
def test_selected_trajectories_become_an_adapter_with_its_record(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    assert run(_settings()).success
    (row,) = store.rows(CheckpointRow, "sft_checkpoint", "best")
    record = kept_checkpoint(store, row.checkpoint).record
    assert (row.rows, row.steps, row.base, row.base_licence) == (
        2,
        3,
        "student",
        "Apache-2.0",
    )
    assert record.row_ids == ("one", "two")
    assert record.kind == "sft_conversation"
    told = metadata(materialised(instance, "sft_checkpoint")[-1])
    assert told["checkpoint"] == row.checkpoint
    assert told["loss curve"].startswith("![")
    lines = [
        entry.user_message
        for entry in instance.all_logs(instance.get_runs()[0].run_id)
        if "loss" in entry.user_message
    ]
    assert [line for line in lines if "step 3 of 3: loss" in line]
    assert list(store.cache_folder("training").iterdir()) == []

    node = lineage_of(store, row.checkpoint[:12])
    assert (node.kind, node.digest, node.state) == (
        "checkpoint",
        row.checkpoint,
        "current",
    )
    (table,) = node.made_from
    assert {part.name for part in table.made_from} >= {
        "rollouts",
        "selected_trajectories",
        "base",
    }

    assert run(_settings()).success
    assert metadata(materialised(instance, "sft_checkpoint")[-1])["cached"] is True


@pytest.mark.slow
def test_why_nothing_can_be_trained_is_told_in_its_own_words(
    run: Run, store: Store
) -> None:
    result = run(_settings(length=8))
    assert steps(result)["sft_checkpoint"] == "STEP_FAILURE"
    (failure,) = store.failures("sft_checkpoint")
    assert "no row is left to train on (2 over_length)" in failure.message


def test_without_training_nothing_is_trained_and_it_is_said(
    run: Run, store: Store
) -> None:
    assert run('[selection.best]\nmetric = "reward"\n').success
    manifest = store.manifest("sft_checkpoint", "best")
    assert manifest is not None
    assert manifest.rows == 0
    assert ["nothing is trained" in note for note in manifest.notes] == [True]


def test_a_trajectory_that_is_gone_is_named(run: Run, store: Store) -> None:
    _keep(store, "rollouts", [record("one")], Trajectory, "first")
    assert not run(_settings()).success
    (failure,) = store.failures("sft_checkpoint")
    assert "1 selected trajectories are in no batch" in failure.message
    assert "'two' of 'first'" in failure.message


def test_what_decides_the_weights_decides_whether_it_is_trained_again(
    store: Store,
) -> None:
    def recipe(**changes: object) -> dict[str, str]:
        training = {"base": str(student()), "sft": {"steps": 2}, **changes}
        said = {"selection": {"best": {}}, "training": {"best": training}}
        return sft_sources(Configuration.model_validate(said), "best", store)

    first = recipe()
    assert recipe(threads=2) == first
    assert recipe(seed=1) != first
    assert recipe(sft={"steps": 3}) != first
    assert recipe(template="chatml_tools") != first


def test_a_container_gets_its_gpus_and_sees_no_more_than_it_needs(
    tmp_path: Path,
) -> None:
    said = {
        "runner": "docker",
        "image": "trainer",
        "gpus": 2,
        "best": {"base": str(tmp_path / "base"), "device": "cuda", "sft": {}},
    }
    settings = TrainingSettings.model_validate(said)
    order = sft_order(settings.experiments["best"], tmp_path / "w" / "rows.jsonl")
    given = container_arguments(order, WorkFolder(tmp_path / "w"), settings)
    (request,) = given["device_requests"]
    assert (request["Count"], request["Capabilities"]) == (2, [["gpu"]])
    writable = [path for path, how in given["volumes"].items() if how["mode"] == "rw"]
    assert writable == [str(tmp_path / "w")]
    assert str(tmp_path / "base") in given["volumes"]
    assert given["network_mode"] == "none"
    none = settings.model_copy(update={"gpus": 0})
    assert (
        container_arguments(order, WorkFolder(tmp_path), none)["device_requests"] == []
    )
    assert json.dumps({name: str(value) for name, value in given.items()})
