"""SQL over the stored tables, and over nothing else."""

from pathlib import Path

import pytest

from envplatform.errors import StoreError
from envplatform.store import Store
from tests.store.rows import ORIGIN, Finding, Number, finding


def test_each_asset_is_a_view_with_its_partitions(store: Store) -> None:
    for partition, values in (("a'b", [1, 2]), ("c=d", [3]), ("empty", [])):
        rows = [Number(value=value) for value in values]
        store.write_rows(
            "numbers", rows, row_type=Number, origin=ORIGIN, partition=partition
        )
    store.write_rows("one", [Number(value=7)], row_type=Number, origin=ORIGIN)
    assert store.sql(
        "SELECT partition_key, sum(value) AS total FROM numbers GROUP BY 1 ORDER BY 1"
    ) == [{"partition_key": "a'b", "total": 3}, {"partition_key": "c=d", "total": 3}]
    assert store.sql("SELECT * FROM one") == [{"partition_key": None, "value": 7}]


def test_nested_values_and_odd_text_can_be_asked_for(store: Store) -> None:
    store.write_rows("odd name", [finding("\udc80")], row_type=Finding, origin=ORIGIN)
    (row,) = store.sql(
        'SELECT name, tests[1] AS test, span.first AS first FROM "odd name"'
    )
    assert row == {"name": "\udc80", "test": "a::b", "first": 0}


def test_partitions_written_before_a_column_was_added_show_null(store: Store) -> None:
    store.write_rows(
        "a", [Number(value=1)], row_type=Number, origin=ORIGIN, partition="old"
    )
    store.write_rows("a", [finding()], row_type=Finding, origin=ORIGIN, partition="new")
    rows = store.sql("SELECT value, name FROM a ORDER BY partition_key")
    assert rows == [{"value": None, "name": "x"}, {"value": 1, "name": None}]


def test_a_wrong_query_lists_what_there_is(store: Store) -> None:
    with pytest.raises(StoreError, match="Assets with rows: none yet"):
        store.sql("SELECT * FROM numbers")
    store.write_rows("numbers", [], row_type=Number, origin=ORIGIN)
    assert store.sql("SELECT * FROM numbers") == []
    with pytest.raises(StoreError, match="Assets with rows: numbers"):
        store.sql("SELECT * FROM number")


def test_a_query_reaches_no_file_outside_the_store(
    store: Store, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    store.write_rows("numbers", [], row_type=Number, origin=ORIGIN)
    for query in (
        "SELECT * FROM 'OUTSIDE/secret.csv'",
        "SELECT * FROM read_text('OUTSIDE/secret.csv')",
        "SELECT * FROM read_text('OUTSIDE/home/tables/../../secret.csv')",
        "SELECT * FROM numbers; SELECT 1",
        "COPY (SELECT 1) TO 'OUTSIDE/home/tables/out.csv'",
        "ATTACH 'OUTSIDE/home/tables/out.db'",
        "CREATE TABLE numbers2 AS SELECT 1",
        "SET enable_external_access = true",
        "SELECT '\udcff'",  # a byte of the command line that is no UTF-8
        "",
    ):
        with pytest.raises(StoreError, match="the query failed"):
            store.sql(query.replace("OUTSIDE", str(tmp_path)))
    assert {path.name for path in tmp_path.iterdir()} == {"home", "secret.csv"}
    assert [path.name for path in (store.home / "tables").iterdir()] == ["numbers"]


def test_a_lost_file_is_told(store: Store) -> None:
    store.write_rows("numbers", [Number(value=1)], row_type=Number, origin=ORIGIN)
    next(store.home.rglob("*.parquet")).unlink()
    with pytest.raises(StoreError, match="a stored file can't be read"):
        store.sql("SELECT * FROM numbers")
