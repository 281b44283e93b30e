"""`bug_candidates` and the models and patterns it may stand on, by the UI's way."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import (
    CachingStaleStatusResolver,
    StaleStatus,
)
from dagster._core.loader import LoadingContextForTest

from assets.definitions import build_definitions
from envplatform.learning.training.published import CheckpointRow
from envplatform.sandbox.base import Image
from envplatform.store import Cost, Input, Origin, Store
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.inducers.mined import BugPattern
from envplatform.swe.repository_row import TargetRow, row_of
from envplatform.swe.targets import HealthyRepository
from resources.targets import TargetsResource
from tests.assets.runs import materialised, metadata
from tests.swe.small_repository import small_baseline, small_repository

IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)
NAME = small_repository(IMAGE).name
ORIGIN = Origin(created=datetime(2026, 3, 4, tzinfo=UTC), cost=Cost(seconds=1.0))
_LEARNED = """\
[bug_models.tiny]
base = "{base}"
base_licence = "Apache-2.0"
[synthesis]
inducers = [{inducers}]
[synthesis.sampling]
experiment = "tiny"
"""
Run = Callable[[str], dg.ExecuteInProcessResult]


class ReadyTargets(TargetsResource):
    """Has the small repository at hand: no image is built."""

    async def measured(self, row: TargetRow) -> HealthyRepository:
        """Return it."""
        assert row.repository == NAME
        return small_repository(IMAGE)


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Materialise the candidates of a measured repository under a configuration."""
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    instance.add_dynamic_partitions("target_repo", [NAME])
    store.write_rows(
        "target_repositories",
        [row_of(small_repository(IMAGE), small_baseline())],
        row_type=TargetRow,
        partition=NAME,
        origin=ORIGIN,
    )
    ready = ReadyTargets(path=str(file), home=str(store.home))

    def materialise(text: str) -> dg.ExecuteInProcessResult:
        file.write_text(text)
        job = build_definitions({"targets": ready}).resolve_job_def("swe_synthesis")
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey("bug_candidates")],
            partition_key=NAME,
            raise_on_error=False,
        )

    return materialise


def learned(tmp_path: Path, *inducers: str) -> str:
    """A configuration that asks the adapters of `tiny`."""
    names = ", ".join(f'"{name}"' for name in inducers)
    return _LEARNED.format(base=tmp_path, inducers=names)


def inputs(store: Store) -> tuple[Input, ...]:
    """What the stored candidates were made from."""
    manifest = store.manifest("bug_candidates", NAME)
    assert manifest is not None
    return manifest.recipe.inputs


def test_an_untrained_adapter_costs_only_what_its_inducer_would_propose(
    run: Run, instance: dg.DagsterInstance, store: Store, tmp_path: Path
) -> None:
    assert run(learned(tmp_path, "mutation", "model")).success
    rows = store.rows(BugCandidate, "bug_candidates", NAME)
    assert {row.inducer for row in rows} == {"mutation"}
    told = metadata(materialised(instance, "bug_candidates")[-1])
    assert told["inducers left out"] == "model"
    why = told["fallbacks in effect"]
    assert "bug_model of 'tiny' (synthesis.sampling.experiment) was never" in why
    assert "materialise bug_model for the partition 'tiny'" in why


def test_where_no_inducer_is_left_the_run_fails_and_says_what_to_train(
    run: Run, store: Store, tmp_path: Path
) -> None:
    assert not run(learned(tmp_path, "model")).success
    (failure,) = store.failures("bug_candidates")
    assert "materialise bug_model for the partition 'tiny'" in failure.message


def test_mined_patterns_are_an_input_once_they_are_there(
    run: Run, store: Store
) -> None:
    """Without them those that ship are used: bugs need no fixes."""
    text = '[synthesis]\ninducers = ["mined"]\n'
    assert run(text).success
    assert {each.asset for each in inputs(store)} == {"target_repositories"}
    manifest = store.write_rows(
        "mined_patterns", [], row_type=BugPattern, origin=ORIGIN
    )
    assert run(text).success
    assert manifest.as_input in inputs(store)


def stale(instance: dg.DagsterInstance) -> StaleStatus:
    """What the UI says of the candidates."""
    resolver = CachingStaleStatusResolver(
        instance=instance,
        asset_graph=build_definitions().resolve_asset_graph(),
        loading_context=LoadingContextForTest(instance),
    )
    return resolver.get_status(dg.AssetKey("bug_candidates"), NAME)


def test_a_model_that_nobody_asks_makes_no_candidates_out_of_date(
    run: Run, instance: dg.DagsterInstance, store: Store
) -> None:
    """Neither for the UI nor for a run, which finds them there."""
    text = '[synthesis]\ninducers = ["mutation"]\n'
    instance.add_dynamic_partitions("experiment", ["other"])
    assert run(text).success
    for asset in ("bug_model", "pattern_model"):
        store.write_rows(
            asset, [], row_type=CheckpointRow, partition="other", origin=ORIGIN
        )
        instance.report_runless_asset_event(
            dg.AssetMaterialization(asset, partition="other")
        )
    assert stale(instance) == StaleStatus.FRESH
    assert run(text).success
    last = metadata(materialised(instance, "bug_candidates")[-1])
    assert last["cached"] is True
    assert {each.asset for each in inputs(store)} == {"target_repositories"}
