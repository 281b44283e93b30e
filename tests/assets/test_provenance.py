"""Tags of events that we write are those that Dagster would have set itself."""

import dagster as dg
import pytest
from dagster._core.definitions.data_version import (
    CachingStaleStatusResolver,
    StaleStatus,
)
from dagster._core.loader import LoadingContextForTest

from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.partitions import target_repo
from assets.provenance import INPUT_POINTER
from tests.assets.numbers import (
    ASSETS,
    Graph,
    Number,
    Switchboard,
    doubles,
    numbers,
    resources,
)
from tests.assets.runs import materialised, range_tags

ALL = ("a", "dddd")
FORCED = {"envplatform/force": "yes"}


def tags_of(graph: Graph, asset: str, partition: str) -> dict[str, str]:
    """Version tags of the latest materialisation."""
    latest = [
        event
        for event in materialised(graph.instance, asset)
        if event.partition == partition
    ][-1]
    return {
        name: value
        for name, value in (latest.tags or {}).items()
        if name.startswith("dagster/")
    }


@pytest.mark.parametrize("upstream_has_events", [True, False])
def test_a_partial_failure_tags_as_a_run_of_one_partition_would(
    graph: Graph, *, upstream_has_events: bool
) -> None:
    """Including where an upstream table is there, but no event (another instance)."""
    graph.run("numbers", keys=ALL)
    if not upstream_has_events:
        graph.instance.wipe_assets([dg.AssetKey("numbers")])
    graph.run("doubles", keys=None, tags={"dagster/partition": "bb"})
    by_dagster = tags_of(graph, "doubles", "bb")
    graph.set("bad-doubles", "ccc")
    assert not graph.run("doubles", keys=ALL, tags=FORCED).success
    by_us = tags_of(graph, "doubles", "bb")
    assert by_us == by_dagster
    assert set(by_us) == {
        "dagster/code_version",
        "dagster/data_version",
        "dagster/data_version_is_user_provided",
        "dagster/input_data_version/numbers",
        "dagster/input_event_pointer/numbers",
    }
    assert (by_us[f"{INPUT_POINTER}/numbers"] == "NULL") is not upstream_has_events


def test_unpartitioned_upstreams_are_tagged_alike(graph: Graph) -> None:
    """A partitioned asset below an unpartitioned one, which `numbers` lacks."""

    @batch_asset(row_type=Number, revision=1, group="test")
    def whole(batch: Batch[None]) -> PartitionResults:
        """One row."""
        for key in batch.partitions:
            yield key, PartitionResult(rows=[Number(name="x", value=1)])

    @batch_asset(
        row_type=Number,
        revision=1,
        group="test",
        partitions=target_repo,
        deps=[whole],
    )
    def parts(batch: Batch[None], switchboard: Switchboard) -> PartitionResults:
        """Each the same row."""
        for key in batch.partitions:
            switchboard.start("parts", key)
            yield key, PartitionResult(rows=batch.rows(Number, "whole"))

    def run(name: str, **tags: str) -> bool:
        return dg.materialize(
            [whole, parts],
            selection=[name],
            instance=graph.instance,
            raise_on_error=False,
            resources=resources(graph.home),
            tags=tags,
        ).success

    assert run("whole")
    assert run("parts", **{"dagster/partition": "bb"})
    by_dagster = tags_of(graph, "parts", "bb")
    graph.set("bad-parts", "ccc")
    assert not run("parts", **range_tags(*ALL), **FORCED)
    assert tags_of(graph, "parts", "bb") == by_dagster


def stale(graph: Graph) -> dict[str, StaleStatus]:
    """What the UI would say of each partition of `doubles`."""
    definitions = dg.Definitions(assets=ASSETS, resources=resources(graph.home))
    resolver = CachingStaleStatusResolver(
        instance=graph.instance,
        asset_graph=definitions.resolve_asset_graph(),
        loading_context=LoadingContextForTest(graph.instance),
    )
    keys = graph.instance.get_dynamic_partitions("target_repo")
    return {key: resolver.get_status(doubles.key, key) for key in keys}


def test_the_ui_sees_what_is_stale_after_a_partial_failure(graph: Graph) -> None:
    fresh, out_of_date, missing = (
        StaleStatus.FRESH,
        StaleStatus.STALE,
        StaleStatus.MISSING,
    )
    graph.run("numbers", keys=ALL)
    graph.set("bad-doubles", "ccc")
    graph.run("doubles", keys=ALL)
    assert stale(graph) == {"a": fresh, "bb": fresh, "ccc": missing, "dddd": fresh}
    graph.run("numbers", keys=ALL)
    assert stale(graph)["a"] == fresh, "a cached rerun changed nothing"
    graph.set("changed", "bb=7")
    graph.run("numbers", keys=("bb", "bb"), tags=FORCED)
    assert stale(graph) == {
        "a": fresh,
        "bb": out_of_date,
        "ccc": missing,
        "dddd": fresh,
    }
    graph.set("bad-doubles")
    graph.run("doubles", keys=ALL)
    assert set(stale(graph).values()) == {fresh}


def test_an_upstream_event_during_the_work_is_not_claimed_as_seen(
    graph: Graph,
) -> None:
    """The pointer is read before the body starts."""

    @batch_asset(
        row_type=Number,
        revision=1,
        group="test",
        partitions=target_repo,
        deps=[numbers],
    )
    def slow(batch: Batch[None]) -> PartitionResults:
        """Takes so long that its input is materialised anew."""
        for key in batch.partitions:
            graph.instance.report_runless_asset_event(
                dg.AssetMaterialization("numbers", partition=key)
            )
            if key == "ccc":
                raise ValueError(key)
            yield key, PartitionResult(rows=[])

    def latest() -> int:
        records = graph.instance.fetch_materializations(numbers.key, limit=1).records
        return records[0].storage_id

    graph.run("numbers", keys=ALL)
    seen = latest()
    dg.materialize(
        [numbers, slow],
        selection=["slow"],
        instance=graph.instance,
        raise_on_error=False,
        resources=resources(graph.home),
        tags=range_tags(*ALL),
    )
    assert latest() > seen
    assert tags_of(graph, "slow", "dddd")[f"{INPUT_POINTER}/numbers"] == str(seen)
