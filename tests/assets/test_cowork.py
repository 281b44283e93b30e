"""The group `cowork`: shards planned, made, kept and reported; a bad key costs no other."""

from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.bundle.row import EnvironmentRow
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.coverage import QuotaLine
from envplatform.grading import may_publish
from envplatform.grading.kept import kept_environment
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from tests.assets.runs import materialised, metadata, partitions, range_tags

FAMILY = "invoice_matching"
ASSETS = (
    "resource_library",
    "task_blueprints",
    "cowork_environments",
    "coverage_report",
)


def _configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: str) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text(
        '[sandbox]\nkind = "bubblewrap"\n'
        f"[cowork]\n{rest}\n[cowork.library]\nbuiltin = []\n"
    )
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))


def _run(
    instance: dg.DagsterInstance, names: tuple[str, ...], assets: tuple[str, ...]
) -> dg.ExecuteInProcessResult:
    job = build_definitions().resolve_job_def("cowork_breadth")
    return job.execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey(name) for name in assets],
        raise_on_error=False,
        tags=range_tags(names[0], names[-1]) if names else {},
    )


@pytest.mark.slow
def test_a_shard_is_planned_made_and_reported(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
    bubblewrap: BubblewrapProvider,
) -> None:
    assert bubblewrap.info.kind == "bubblewrap"
    _configured(
        tmp_path,
        monkeypatch,
        f'first_seed = 3\nenvironments_per_seed = 1\nfamilies = ["{FAMILY}"]',
    )
    instance.add_dynamic_partitions("cowork_seed", ["3"])
    assert _run(instance, (), ASSETS[:1]).success
    made = _run(instance, ("3",), ASSETS[1:3])
    assert made.success
    assert _run(instance, (), ASSETS[3:]).success

    (planned,) = store.rows(Blueprint, "task_blueprints", "3")
    (row,) = store.rows(EnvironmentRow, "cowork_environments", "3")
    assert row.candidate_id == planned.blueprint_id
    assert (row.family, row.scenario) == (FAMILY, "finance")
    assert row.has_user
    assert "user_matters=passed" in row.checks
    assert "controlled_failures=passed" in row.checks
    assert may_publish(kept_environment(store, row).audit)
    told = metadata(materialised(instance, "cowork_environments")[-1])
    assert told["accepted"] == 1
    assert told["kill rate, criteria"] == 1.0
    quotas = store.rows(QuotaLine, "coverage_report")
    met = {one.name: one.is_met for one in quotas}
    assert met["finance"]
    assert not met["legal"]
    report = metadata(materialised(instance, "coverage_report")[-1])
    assert "| finance |" in report["heat map"]
    assert report["near-duplicates"] == 0

    again = _run(instance, ("3",), ASSETS[1:3])
    assert again.success
    assert store.rows(EnvironmentRow, "cowork_environments", "3") == [row]


def test_an_unknown_family_fails_its_partitions_by_name(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
) -> None:
    _configured(tmp_path, monkeypatch, 'families = ["tea_making"]')
    instance.add_dynamic_partitions("cowork_seed", ["1"])
    assert _run(instance, (), ASSETS[:1]).success
    assert not _run(instance, ("1",), ASSETS[1:2]).success
    (failure,) = store.failures("task_blueprints")
    assert failure.partition == "1"
    assert "there is no family 'tea_making'" in failure.message
    assert partitions(materialised(instance, "task_blueprints")) == []
