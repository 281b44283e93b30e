"""Status, failures, damage and leftovers."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from envplatform.errors import StoreError
from envplatform.store import Failure, Manifest, Store, combined_digest, status_json
from tests.store.rows import ORIGIN, THEN, Number


def write(store: Store, partition: str | None = None, *values: int) -> Manifest:
    rows = [Number(value=value) for value in values]
    return store.write_rows(
        "a", rows, row_type=Number, origin=ORIGIN, partition=partition
    )


def fail(store: Store, partition: str | None) -> Failure:
    failure = Failure(
        asset="a",
        partition=partition,
        message="SandboxError: \udc80 no space left",
        created=THEN,
        run_id="run",
    )
    store.record_failure(failure)
    return failure


def test_status_is_the_object_of_the_contract(store: Store) -> None:
    first = write(store, "p", 1, 2)
    later = replace(ORIGIN, created=THEN + timedelta(hours=1))
    second = store.write_rows(
        "a", [Number(value=3)], row_type=Number, origin=later, partition="q"
    )
    fail(store, "r")
    fail(store, "b")
    status = status_json(store.status(["a", "never"]), store.home)
    assert json.loads(json.dumps(status)) == {
        "assets": {
            "a": {
                "partitions": 2,
                "rows": 3,
                "bytes": first.bytes + second.bytes,
                "failed_partitions": ["b", "r"],
                "updated": "2026-01-02T04:04:05+00:00",
            },
            "never": {
                "partitions": 0,
                "rows": 0,
                "bytes": 0,
                "failed_partitions": [],
                "updated": None,
            },
        },
        "home": str(store.home),
    }


@pytest.mark.parametrize("partition", ["p", None])
def test_a_failure_stays_until_the_partition_is_written(
    store: Store, partition: str | None
) -> None:
    write(store, partition, 1)
    failure = fail(store, partition)
    assert store.failures("a") == (failure,)
    assert store.rows(Number, "a", partition) == [Number(value=1)]
    write(store, partition, 2)
    assert store.failures("a") == ()


def test_a_failed_partition_without_a_table_is_no_partition(store: Store) -> None:
    fail(store, "p")
    assert store.manifests("a") == ()
    assert store.assets() == ()
    assert store.status(["a"])["a"].partitions == 0


def test_verify_names_damaged_and_missing_data(store: Store) -> None:
    for partition in ("fine", "damaged", "missing", "unreadable"):
        write(store, partition, 1)
    assert store.verify() == ()
    damaged, missing, unreadable = (
        next((store.home / "tables" / "a" / name).glob(pattern))
        for name, pattern in (
            ("damaged", "*.parquet"),
            ("missing", "*.parquet"),
            ("unreadable", "manifest.json"),
        )
    )
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"x")
    missing.unlink()
    unreadable.write_text("{}")
    assert {problem.path for problem in store.verify()} == {
        damaged,
        missing,
        unreadable,
    }


def test_damage_is_told_when_it_is_read(store: Store) -> None:
    manifest = write(store, None, 1)
    folder = store.home / "tables" / "a" / "@"
    data = folder / manifest.data_file
    data.write_bytes(data.read_bytes()[:20])
    with pytest.raises(StoreError, match="is damaged"):
        store.rows(Number, "a")
    assert not store.is_complete(manifest)
    data.unlink()
    assert not store.is_complete(manifest)
    with pytest.raises(StoreError, match="is missing: materialise again"):
        store.rows(Number, "a")
    text = (folder / "manifest.json").read_text()
    for bad in (text[:-9], "", text.replace(manifest.digest, "../x"), "[]"):
        (folder / "manifest.json").write_text(bad)
        with pytest.raises(StoreError, match=r"manifest\.json is no manifest"):
            store.manifest("a")
    later = text.replace('"format_version": 1', '"format_version": 2')
    (folder / "manifest.json").write_text(later)
    with pytest.raises(StoreError, match="upgrade"):
        store.manifest("a")


def test_sweep_deletes_what_no_manifest_names_and_no_more(store: Store) -> None:
    write(store, "p", 1)
    store.results("stage").put("key", b"value")
    folder = store.home / "tables" / "a" / "p"
    orphans = [
        folder / f"{'0' * 64}.parquet",
        folder / ".data.tmp",
        store.home / "results" / "stage" / "ke" / ".x.tmp",
    ]
    for path in orphans:
        path.write_bytes(b"")
    kept = set(store.home.rglob("*")) - set(orphans)
    assert set(store.sweep_orphans()) == set(orphans)
    assert set(store.home.rglob("*")) == kept
    assert store.sweep_orphans() == ()


def test_an_unreadable_manifest_keeps_its_data(store: Store) -> None:
    manifest = write(store, "p", 1)
    folder = store.home / "tables" / "a" / "p"
    (folder / "manifest.json").write_text("{")
    store.sweep_orphans()
    assert (folder / manifest.data_file).exists()


def test_several_versions_have_one_digest(store: Store) -> None:
    first, second = write(store, "p", 1), write(store, "q", 2)
    assert combined_digest([first]) == first.digest
    both = combined_digest([first, second])
    assert both == combined_digest([second, first])
    assert both not in {first.digest, second.digest}
    assert combined_digest([first, write(store, "q", 3)]) != both


def test_a_damaged_failure_record_is_named(store: Store, tmp_path: Path) -> None:
    fail(store, "p")
    (path,) = tmp_path.rglob("failure.json")
    path.write_text("{")
    with pytest.raises(StoreError, match=r"failure\.json is damaged"):
        store.failures("a")
