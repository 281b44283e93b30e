"""What `batch_asset` promises, on a real Dagster instance and a real store."""

from pathlib import Path

import dagster as dg
import pytest

from envplatform.store import Store
from tests.assets.numbers import Graph, Number, doubles, numbers, total
from tests.assets.runs import materialised, metadata, partitions, steps

KEYS = ["a", "bb", "ccc", "dddd"]
ALL = ("a", "dddd")
FORCED = {"envplatform/force": "yes"}


def test_all_good_is_recorded_by_one_output_and_what_follows_runs(graph: Graph) -> None:
    result = graph.run("numbers", "doubles", keys=ALL, checks=True)
    assert result.success
    assert set(steps(result).values()) == {"STEP_SUCCESS"}
    for name in ("numbers", "doubles"):
        events = materialised(graph.instance, name)
        assert partitions(events) == KEYS
        assert graph.executed(name) == KEYS
    (check,) = result.get_asset_check_evaluations()
    assert check.passed


def test_events_show_what_the_manifest_holds(graph: Graph, store: Store) -> None:
    graph.run("numbers", keys=ALL)
    (event,) = (
        event
        for event in materialised(graph.instance, "numbers")
        if event.partition == "bb"
    )
    manifest = store.manifest("numbers", "bb")
    assert manifest is not None
    shown = dict(metadata(event))
    assert shown.pop("seconds") == manifest.cost.seconds
    assert shown == {
        "dagster/partition_row_count": 1,
        "digest": manifest.digest,
        "cached": False,
        "bytes": manifest.bytes,
        "tokens": 5,
        "usd": 0.25,
        "fallbacks in effect": "- a fallback was used",
        "length": 2,
        "share": 0.5,
        "kind": "demo",
        "ok": True,
        "picture": "| bb |",
    }
    assert manifest.recipe.revision == 3
    assert manifest.run_id == graph.instance.get_runs()[0].run_id


def test_the_definition_says_what_it_is() -> None:
    spec = numbers.specs_by_key[numbers.key]
    assert spec.description == "One number a partition.\n\nAnd a second paragraph."
    assert (spec.group_name, spec.code_version) == ("test", "3")
    schema = spec.metadata["dagster/column_schema"]
    assert [(column.name, column.type) for column in schema.schema.columns] == [
        ("name", "str"),
        ("value", "int"),
    ]
    (reference,) = spec.metadata["dagster/code_references"].code_references
    assert reference.file_path == str(Path(__file__).with_name("numbers.py"))
    line = Path(reference.file_path).read_text().splitlines()[reference.line_number - 1]
    assert line == "@batch_asset("


def test_some_bad_leaves_the_good_recorded_and_names_the_bad(
    graph: Graph, store: Store
) -> None:
    graph.set("bad-numbers", "bb", "dddd")
    result = graph.run("numbers", "doubles", keys=ALL, checks=True)
    assert not result.success
    assert graph.executed("numbers") == KEYS
    events = materialised(graph.instance, "numbers")
    assert partitions(events) == ["a", "ccc"]
    assert all(metadata(event)["kind"] == "demo" for event in events)
    assert steps(result) == {"numbers": "STEP_FAILURE"}
    assert materialised(graph.instance, "doubles") == []
    (failed,) = (event for event in result.all_events if event.is_step_failure)
    failure = failed.step_failure_data.user_failure_data
    assert failure is not None
    assert failure.description == "2 of 4 partitions failed: bb, dddd"
    assert failure.metadata["failed_partitions"].value == ["bb", "dddd"]
    reasons = failure.metadata["reasons"]
    assert isinstance(reasons, dg.TableMetadataValue)
    assert [record.data for record in reasons.records] == [
        {"partition": "bb", "reason": "ValueError: bb is bad"},
        {"partition": "dddd", "reason": "ValueError: dddd is bad"},
    ]
    status = store.status(["numbers"])["numbers"]
    assert (status.partitions, status.failed_partitions) == (2, ("bb", "dddd"))
    assert [each.message for each in store.failures("numbers")] == [
        "ValueError: bb is bad",
        "ValueError: dddd is bad",
    ]
    log = graph.instance.all_logs(result.run_id)
    (trouble,) = (
        entry.user_message for entry in log if "'bb' failed" in entry.user_message
    )
    assert "numbers.py" in trouble
    assert trouble.endswith("ValueError: bb is bad\n")


def test_a_rerun_does_only_the_rest_and_records_all(graph: Graph, store: Store) -> None:
    graph.set("bad-numbers", "bb")
    graph.run("numbers", keys=ALL)
    graph.executed("numbers")
    graph.set("bad-numbers")
    result = graph.run("numbers", "doubles", keys=ALL, checks=True)
    assert result.success
    assert graph.executed("numbers") == ["bb"]
    events = materialised(graph.instance, "numbers", result.run_id)
    cached = {event.partition: metadata(event)["cached"] for event in events}
    assert cached == {"a": True, "bb": False, "ccc": True, "dddd": True}
    assert store.status(["numbers"])["numbers"].failed_partitions == ()
    assert partitions(materialised(graph.instance, "doubles")) == KEYS


def test_a_cached_run_executes_nothing_and_records_all(graph: Graph) -> None:
    graph.run("numbers", "doubles", keys=ALL)
    result = graph.run("numbers", "doubles", keys=ALL, checks=True)
    assert result.success
    for name in ("numbers", "doubles"):
        graph.executed(name)
        events = materialised(graph.instance, name, result.run_id)
        assert partitions(events) == KEYS
        assert all(metadata(event)["cached"] for event in events)
        assert all(metadata(event).get("picture") for event in events) is (
            name == "numbers"
        )


def test_a_single_partition_runs_by_its_own_tag(graph: Graph) -> None:
    result = graph.run("numbers", keys=None, tags={"dagster/partition": "ccc"})
    assert result.success
    assert graph.executed("numbers") == ["ccc"]
    assert partitions(materialised(graph.instance, "numbers")) == ["ccc"]


def test_an_unpartitioned_asset_reads_all_there_is(graph: Graph, store: Store) -> None:
    graph.set("bad-doubles", "a")
    graph.run("numbers", keys=ALL)
    graph.run("doubles", keys=ALL)
    assert graph.run("total", keys=None).success
    assert store.rows(Number, "total") == [Number(name="total", value=2 * 9)]
    graph.set("bad-doubles")
    graph.run("doubles", keys=ALL)
    assert graph.executed("doubles") == [*KEYS, "a"]
    assert graph.run("total", keys=None).success
    assert graph.run("total", keys=None).success
    assert graph.executed("total") == ["total", "total"]
    assert store.rows(Number, "total") == [Number(name="total", value=2 * 10)]
    events = materialised(graph.instance, "total")
    assert [metadata(event)["cached"] for event in events] == [False, False, True]
    assert [metadata(event)["dagster/row_count"] for event in events] == [1, 1, 1]
    assert partitions(events) == ["None"] * 3


def test_an_unpartitioned_asset_that_fails_says_why(graph: Graph, store: Store) -> None:
    result = graph.run("total", keys=None)
    assert not result.success
    (failed,) = (event for event in result.all_events if event.is_step_failure)
    failure = failed.step_failure_data.user_failure_data
    assert failure is not None
    expected = (
        "doubles lacks partition 'a', 'bb', 'ccc', 'dddd': materialise that first"
    )
    assert failure.description == f"total: {expected}"
    assert [each.message for each in store.failures("total")] == [expected]
    assert store.status(["total"])["total"].failed_partitions == ("",)
    assert graph.executed("total") == []


def test_a_missing_upstream_partition_fails_only_who_needs_it(
    graph: Graph, store: Store
) -> None:
    graph.set("bad-numbers", "bb")
    graph.run("numbers", keys=ALL)
    result = graph.run("doubles", keys=ALL)
    assert not result.success
    assert graph.executed("doubles") == ["a", "ccc", "dddd"]
    assert partitions(materialised(graph.instance, "doubles")) == ["a", "ccc", "dddd"]
    (failure,) = store.failures("doubles")
    assert (failure.partition, failure.message) == (
        "bb",
        "numbers lacks partition 'bb': materialise that first",
    )


def test_a_changed_input_is_produced_again_and_no_other(
    graph: Graph, store: Store
) -> None:
    graph.run("numbers", "doubles", keys=ALL)
    graph.executed("doubles")
    graph.set("changed", "bb=100")
    graph.run("numbers", keys=("bb", "bb"), tags=FORCED)
    assert graph.run("doubles", keys=ALL).success
    assert graph.executed("doubles") == ["bb"]
    assert store.rows(Number, "doubles", "bb") == [Number(name="bb", value=200)]
    graph.run("numbers", keys=ALL, tags=FORCED)
    assert graph.run("doubles", keys=ALL).success
    assert graph.executed("doubles") == [], "the same rows were taken for others"


def test_damage_to_what_is_stored_is_made_good(graph: Graph, store: Store) -> None:
    graph.run("numbers", keys=ALL)
    graph.executed("numbers")
    folder = store.home / "tables" / "numbers"
    (folder / "a" / "manifest.json").write_text("{")
    next((folder / "bb").glob("*.parquet")).unlink()
    next((folder / "ccc").glob("*.parquet")).write_bytes(b"")
    assert graph.run("numbers", keys=ALL).success
    assert graph.executed("numbers") == ["a", "bb", "ccc"]
    assert store.verify() == ()


def test_a_failed_blocking_check_stops_what_follows(graph: Graph) -> None:
    graph.set("changed", "bb=-1")
    result = graph.run("numbers", "doubles", keys=ALL, checks=True)
    assert not result.success
    assert partitions(materialised(graph.instance, "numbers")) == KEYS
    assert graph.executed("doubles") == []


@pytest.mark.parametrize("asset", [numbers, doubles, total])
def test_bodies_need_what_they_name_and_the_store(asset: dg.AssetsDefinition) -> None:
    assert asset.required_resource_keys == {"store", "switchboard", "io_manager"}


def test_a_failure_is_forgotten_when_what_is_stored_serves_after_all(
    graph: Graph, store: Store
) -> None:
    graph.run("numbers", keys=ALL)
    graph.set("bad-numbers", "bb")
    graph.run("numbers", keys=("bb", "bb"), tags=FORCED)
    assert store.status(["numbers"])["numbers"].failed_partitions == ("bb",)
    assert store.rows(Number, "numbers", "bb") == [Number(name="bb", value=2)]
    assert graph.run("numbers", keys=ALL).success
    assert store.status(["numbers"])["numbers"].failed_partitions == ()
