"""`seed_environments`: gated, kept with audit and kill rates, or refused with the reason."""

from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import find_environment
from envplatform.cli.lineage import lineage_of
from envplatform.cli.why_seed import find_seed_fate
from envplatform.grading import may_publish
from envplatform.grading.kept import kept_environment
from envplatform.grading.publish import REFUSED, RefusedTask
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from tests.assets.runs import materialised, metadata, partitions

SEED = "contract_clauses"
ASSET = "seed_environments"


@pytest.fixture
def run(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bubblewrap: BubblewrapProvider,
) -> dg.ExecuteInProcessResult:
    """One run over a seed that ships, a folder that holds none, and another's name."""
    assert bubblewrap.info.kind == "bubblewrap"
    file = tmp_path / "envplatform.toml"
    file.write_text(
        f'[sandbox]\nkind = "bubblewrap"\n'
        f'[seeds]\nbuiltin = ["{SEED}", "no_such"]\nfolders = ["gone"]\n'
    )
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    definitions = build_definitions()
    names = definitions.resources["seeds"].names()  # type: ignore[index]
    assert names == (SEED, "broken__no_such", "broken__gone")
    instance.add_dynamic_partitions("res_seed", list(names))
    return definitions.resolve_job_def("res_lineage").execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey(ASSET)],
        raise_on_error=False,
        tags={
            "dagster/asset_partition_range_start": names[0],
            "dagster/asset_partition_range_end": names[-1],
        },
    )


@pytest.mark.slow
def test_a_seed_becomes_an_environment_and_a_bad_one_costs_no_other(
    run: dg.ExecuteInProcessResult, instance: dg.DagsterInstance, store: Store
) -> None:
    assert not run.success
    (event,) = materialised(instance, ASSET)
    assert partitions([event]) == [SEED]
    told = metadata(event)
    assert told["kill rate, criteria"] == 1.0
    assert told["kill rate, generic"] >= 0.6
    assert told["user inside"] is False
    assert "| oracle_max | passed | " in told["gate"]
    assert "| portability | not run | " in told["gate"]
    reasons = {one.partition: one.message for one in store.failures(ASSET)}
    assert "no seed 'no_such' ships" in reasons["broken__no_such"]
    assert "gone can't be read" in reasons["broken__gone"]

    (row,) = store.rows(EnvironmentRow, ASSET, SEED)
    environment = kept_environment(store, row)
    assert row.gated
    assert may_publish(environment.audit)
    assert row.criteria == environment.criteria
    assert row.kill_rate_generic == told["kill rate, generic"]
    assert store.rows(RefusedTask, REFUSED, SEED) == []

    for name in (SEED, SEED[:5], row.environment_id, row.digest[:9]):
        assert find_environment(store, name)[0] == environment
    node = lineage_of(store, row.environment_id)
    assert [(part.kind, part.name) for part in node.made_from] == [
        ("source", SEED),
        ("table", ASSET),
    ]
    fate = find_seed_fate(store, SEED)
    assert fate is not None
    assert [(one.check, one.status) for one in fate.audit] == [
        (one.name, one.status) for one in environment.audit
    ]
    assert fate.conclusion == f"passed the gate as environment {row.environment_id}"
