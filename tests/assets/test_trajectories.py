"""`rollouts`, `valid_trajectories`, `selected_trajectories`: run, resumed, judged, kept."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.key_sensors import experiment_keys, rollout_batch_keys
from assets.rollout_tally import FAILED, LOST, REFUSED, LostRollout, RefusedRollout
from envplatform.bundle import Environment, write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.grading.sessions import image_reference
from envplatform.rollout.schedule import FailedAttempt
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Origin, Store
from envplatform.trajectories import Trajectory, TrajectoryScore
from envplatform.trajectories.rows import (
    REJECTED,
    RejectedTrajectory,
    SelectedTrajectory,
    ValidTrajectory,
)
from resources.configuration import ConfigurationResource
from resources.store import StoreResource
from tests.assets.runs import materialised, metadata
from tests.model_server import (
    Call,
    Reply,
    Request,
    answer,
    model_server,
    refuse,
)
from tests.rollout.made_tasks import table_task
from tests.rollout.tiny import tiny_environment
from tests.swe.small_repository import ENVIRONMENT_ROW

ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
_CONFIGURATION = """
[sandbox]
kind = "bubblewrap"
[model]
attempts = 1
record = "off"
[rollouts]
in_flight = 16
retries = 0
may_lose = {may_lose}
[rollouts.references]
harness = "reference"
perturbations = ["none", "skip_step", "ignore_patch", "false_claim", "truncate"]
[rollouts.floor]
harness = "nop"
where = "environment_id = 'tiny' AND asset = 'seed_environments'"
attempts = 2
[rollouts.asked]
model = "m"
base_url = "{url}"
pillars = ["res"]
[rollouts.both]
model = "m"
base_url = "{url}"
[selection.best]
batches = ["references"]
metric = "{metric}"
bins = 1
keep = 1.0
"""
Run = Callable[..., dg.ExecuteInProcessResult]


def keep(store: Store, image: Image, *environments: Environment) -> None:
    """Store environments as seeds that were published."""
    for environment in environments:
        fitted = replace(environment, image=image_reference(image))
        folder = store.home / "written" / environment.environment_id
        digest = write_environment(fitted, folder)
        store.put_directory("environments", digest, folder)
        row = replace(
            ENVIRONMENT_ROW,
            environment_id=environment.environment_id,
            candidate_id=environment.environment_id,
            operator="",
            digest=digest,
            pillar="res" if environment.views else "swe",
            repository="",
        )
        store.write_rows(
            "seed_environments",
            [row],
            row_type=EnvironmentRow,
            partition=environment.environment_id,
            origin=ORIGIN,
        )


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bubblewrap: BubblewrapProvider,
    store: Store,
    bare_image: Image,
) -> Run:
    """Materialises assets of the group; two environments are published."""
    assert bubblewrap.info.kind == "bubblewrap"
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    keep(store, bare_image, table_task(), tiny_environment())
    instance.add_dynamic_partitions("res_seed", ["table-task", "tiny"])
    instance.add_dynamic_partitions(
        "rollout_batch", ["references", "floor", "asked", "both"]
    )
    instance.add_dynamic_partitions("experiment", ["best"])

    def materialise(
        asset: str,
        partition: str,
        *,
        metric: str = "reward",
        url: str = "http://[::1]:9",
        may_lose: float = 0.0,
    ) -> dg.ExecuteInProcessResult:
        file.write_text(
            _CONFIGURATION.format(metric=metric, url=url, may_lose=may_lose)
        )
        name = "rollout_batches" if asset == "rollouts" else "trajectory_selection"
        job = build_definitions().resolve_job_def(name)
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(asset)],
            partition_key=partition,
            raise_on_error=False,
        )

    return materialise


def test_from_rollouts_to_a_training_set(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    assert run("rollouts", "references").success
    rows = store.rows(Trajectory, "rollouts", "references")
    assert len(rows) == 9, "two environments, five ways, one that can not be"
    refused = store.rows(RefusedRollout, REFUSED, "references")
    assert ["no user inside" in one.reason for one in refused] == [True]
    told = metadata(materialised(instance, "rollouts")[-1])
    assert (told["rollouts"], told["refused"], told["of an earlier run"]) == (9, 1, 0)

    assert run("valid_trajectories", "best").success
    valid = store.rows(ValidTrajectory, "valid_trajectories", "best")
    assert {(one.environment_id, one.policy) for one in valid} == {
        ("table-task", "reference"),
        ("tiny", "reference"),
    }
    rejected = store.rows(RejectedTrajectory, REJECTED, "best")
    assert len(rejected) == 7
    assert {one.policy for one in rejected} == {
        f"reference+{how}"
        for how in ("skip_step", "ignore_patch", "false_claim", "truncate")
    }
    pictures = metadata(materialised(instance, "valid_trajectories")[-1])
    assert "image/svg+xml" in pictures["funnel"]
    assert "image/svg+xml" in pictures["reasons"]

    assert run("selected_trajectories", "best").success
    kept = store.rows(SelectedTrajectory, "selected_trajectories", "best")
    assert [one.arm for one in kept] == ["selected"] * 2 + ["control"] * 2
    assert {one.batch for one in kept} == {"references"}

    assert not run("selected_trajectories", "best", metric="rsr").success
    (failure,) = store.failures("selected_trajectories")
    assert "materialise trajectory_scores" in failure.message
    scores = [
        TrajectoryScore(
            trajectory_id=one.trajectory_id,
            tokens=10,
            sum_surprisal=2.0 + number,
            sum_clipped_rank=20,
            dtype="float32",
            model_digest="m",
            length=40,
        )
        for number, one in enumerate(valid)
    ]
    store.write_rows(
        "trajectory_scores",
        scores,
        row_type=TrajectoryScore,
        partition="best",
        origin=ORIGIN,
    )
    assert run("selected_trajectories", "best", metric="rsr").success
    best = store.rows(SelectedTrajectory, "selected_trajectories", "best")[0]
    assert (best.trajectory_id, best.value) == (valid[1].trajectory_id, 20 / 3)
    overlap = metadata(materialised(instance, "selected_trajectories")[-1])["overlap"]
    assert "| nll and rsr | 2 | 2 | 2 | 100% |" in overlap


def test_a_batch_is_chosen_and_done_once(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    assert run("rollouts", "floor").success
    rows = store.rows(Trajectory, "rollouts", "floor")
    assert [(one.environment_id, one.seed, one.reward) for one in rows] == [
        ("tiny", 0, 0.0),
        ("tiny", 1, 0.0),
    ]
    assert run("rollouts", "floor").success
    assert metadata(materialised(instance, "rollouts")[-1])["cached"] is True


def test_a_failing_server_loses_nothing_and_scores_nothing(
    run: Run, store: Store
) -> None:
    with model_server(lambda _: refuse(500)) as server:
        result = run("rollouts", "asked", url=server.base_url)
    assert not result.success
    (failure,) = store.failures("rollouts")
    assert "1 of 1 rollouts have no record" in failure.message
    assert "1 ModelError" in failure.message
    (attempt,) = store.rows(FailedAttempt, FAILED, "asked")
    assert attempt.error_class == "ModelError"
    assert store.manifest("rollouts", "asked") is None


def test_what_may_be_lost_is_told_and_run_the_next_time(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    """One of two rollouts of the batch has no server that answers it."""
    is_down = threading.Event()
    is_down.set()

    def rule(request: Request) -> Reply:
        is_served = "ws list" in request["messages"][0]["content"]
        if is_served and is_down.is_set():
            return refuse(500)
        return answer(None, Call(name="submit", arguments="{}"))

    with model_server(rule) as server:
        assert not run("rollouts", "both", url=server.base_url).success
        assert run("rollouts", "both", url=server.base_url, may_lose=0.5).success
        (lost,) = store.rows(LostRollout, LOST, "both")
        assert "500" in lost.reason
        told = metadata(materialised(instance, "rollouts")[-1])
        assert (told["rollouts"], told["of an earlier run"], told["lost"]) == (1, 1, 1)

        is_down.clear()
        assert run("rollouts", "both", url=server.base_url, may_lose=0.5).success
    assert store.rows(LostRollout, LOST, "both") == []
    assert len(store.rows(Trajectory, "rollouts", "both")) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no [rollouts.floor]; there are: none"),
        ("harness = 'nop'\npillars = ['cowork']", "no published environment fits"),
        ("harness = 'nop'\nwhere = 'no_such > 1'", "the query failed"),
    ],
)
def test_a_batch_that_can_not_be_says_why(
    run: Run,
    instance: dg.DagsterInstance,
    tmp_path: Path,
    store: Store,
    text: str,
    told: str,
) -> None:
    del run
    table = f"[rollouts.floor]\n{text}" if text else ""
    (tmp_path / "envplatform.toml").write_text(table)
    job = build_definitions().resolve_job_def("rollout_batches")
    result = job.execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey("rollouts")],
        partition_key="floor",
        raise_on_error=False,
    )
    assert not result.success
    (failure,) = store.failures("rollouts")
    assert told in failure.message


def test_batches_and_experiments_become_partitions(
    instance: dg.DagsterInstance, tmp_path: Path, home: Path
) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text("[rollouts.a]\n[rollouts.b]\n[selection.c]\n")
    for sensor, keys in ((rollout_batch_keys, ["a", "b"]), (experiment_keys, ["c"])):
        result = sensor(
            dg.build_sensor_context(instance=instance),
            configuration=ConfigurationResource(path=str(file)),
            store=StoreResource(home=str(home)),
        )
        assert isinstance(result, dg.SensorResult)
        assert result.dynamic_partitions_requests is not None
        assert [one.partition_keys for one in result.dynamic_partitions_requests] == [
            keys
        ]
