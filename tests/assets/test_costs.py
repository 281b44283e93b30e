"""What `cost_ledger` counts: every run that made a table, not only the last."""

from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.evaluation.costs import CostRow
from envplatform.store import Cost, Manifest, Origin, Store
from tests.assets.numbers import Graph, Number

ENDS = ("bb", "bb")
FORCED = {"envplatform/force": "yes"}


def manifest_of(graph: Graph) -> Manifest:
    """Of the one partition that is made."""
    found = Store(graph.home).manifest("numbers", "bb")
    assert found is not None
    return found


def test_a_table_that_replaces_another_carries_what_that_took(graph: Graph) -> None:
    assert graph.run("numbers", keys=ENDS).success
    first = manifest_of(graph)
    assert first.earlier == Cost()
    assert graph.run("numbers", keys=ENDS).success
    assert manifest_of(graph) == first, "it was up to date"
    assert graph.run("numbers", keys=ENDS, tags=FORCED).success
    second = manifest_of(graph)
    assert second.earlier == first.cost
    assert (second.earlier.tokens, second.earlier.usd) == (5, 0.25)
    assert graph.run("numbers", keys=ENDS, tags=FORCED).success
    assert manifest_of(graph).earlier == first.cost + second.cost


def test_the_ledger_sums_over_all_runs_also_where_the_rows_stayed(
    instance: dg.DagsterInstance,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "envplatform.toml").write_text("")
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(tmp_path / "envplatform.toml"))

    def seconds(minute: int, earlier: float) -> float:
        store.write_rows(
            "task_blueprints",
            [Number(name="x", value=1)],
            row_type=Number,
            partition="1",
            origin=Origin(
                created=datetime(2026, 3, 4, 5, minute, tzinfo=UTC),
                cost=Cost(seconds=3.0),
                earlier=Cost(seconds=earlier),
            ),
        )
        job = build_definitions().resolve_job_def("benchmark_evaluation")
        key = dg.AssetKey("cost_ledger")
        assert job.execute_in_process(instance=instance, asset_selection=[key]).success
        (row,) = store.rows(CostRow, "cost_ledger")
        return row.seconds

    assert seconds(1, earlier=0.0) == 3.0
    assert seconds(2, earlier=3.0) == 6.0
