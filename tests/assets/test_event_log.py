"""Our event log keeps what Dagster's keeps."""

import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage.event_log.sqlite.sqlite_event_log import (
    SqliteEventLogStorage,
)

from assets.event_log import (
    BATCH_VARIABLE,
    BatchingSqliteEventLog,
    partitions_held,
)
from tests.assets.numbers import ASSETS, Graph, numbers_are_positive, resources
from tests.assets.runs import range_tags

TABLES = ["event_logs", "asset_keys", "asset_event_tags", "asset_check_executions"]


def rows(path: Path, table: str) -> list[dict[str, object]]:
    """All rows of a table, without the time at which they were inserted."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(f"SELECT * FROM {table}")  # noqa: S608  a constant
        names = [column[0] for column in found.description]
        table_rows = [dict(zip(names, row, strict=True)) for row in found]
    for row in table_rows:
        row.pop("create_timestamp", None)
    return table_rows


def test_a_run_is_recorded_as_by_dagsters_own_log(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same events are stored again, one by one, and all tables compared."""
    monkeypatch.setenv(BATCH_VARIABLE, "3")
    result = dg.materialize(
        [*ASSETS[:2], numbers_are_positive],
        instance=graph.instance,
        resources=resources(graph.home),
        tags=range_tags("a", "dddd"),
    )
    ours = graph.instance.event_log_storage
    assert isinstance(ours, BatchingSqliteEventLog)
    single = SqliteEventLogStorage(str(tmp_path / "single"))
    single.register_instance(graph.instance)
    batched = BatchingSqliteEventLog(str(tmp_path / "batched"))
    batched.register_instance(graph.instance)
    events = [
        record.event_log_entry
        for record in ours.get_records_for_run(result.run_id).records
    ]
    for event in events:
        single.store_event(event)
    for start in range(0, len(events), 7):
        batched.store_event_batch(events[start : start + 7])
    for name in ("index.db", f"{result.run_id}.db"):
        for table in TABLES:
            expected = rows(tmp_path / "single" / name, table)
            assert rows(tmp_path / "batched" / name, table) == expected, (name, table)
    assert rows(tmp_path / "batched" / "index.db", "asset_event_tags")


def test_events_of_a_batch_keep_their_order(graph: Graph) -> None:
    graph.run("numbers", keys=("a", "dddd"))
    log = graph.instance.event_log_storage
    records = graph.instance.fetch_materializations(
        dg.AssetKey("numbers"), limit=10, ascending=True
    ).records
    by_run = [
        record.event_log_entry
        for record in log.get_records_for_run(records[0].run_id).records
        if record.event_log_entry.asset_materialization
    ]
    assert [record.event_log_entry.timestamp for record in records] == [
        entry.timestamp for entry in by_run
    ]
    assert [record.partition_key for record in records] == [
        entry.asset_materialization.partition
        for entry in by_run
        if entry.asset_materialization
    ]


def test_partitions_are_read_once_only_while_held(graph: Graph) -> None:
    instance = graph.instance
    with partitions_held(instance):
        assert instance.has_dynamic_partition("target_repo", "a")
        assert not instance.has_dynamic_partition("target_repo", "e")
        assert instance.get_dynamic_partitions("rollout_batch") == []
        instance.add_dynamic_partitions("target_repo", ["e"])
        assert not instance.has_dynamic_partition("target_repo", "e")
    assert instance.has_dynamic_partition("target_repo", "e")
    assert instance.get_dynamic_partitions("target_repo")[-1] == "e"


def test_other_instances_are_left_alone() -> None:
    with dg.DagsterInstance.ephemeral() as instance, partitions_held(instance):
        instance.add_dynamic_partitions("target_repo", ["a"])
        assert instance.has_dynamic_partition("target_repo", "a")
