"""A backfill as the UI launches it: by the daemon, in runs of their own processes."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.assets.graph.asset_graph_subset import (
    AssetGraphSubset,
)
from dagster._core.definitions.events import AssetKeyPartitionKey
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill

from envplatform.store import Store
from tests.assets.numbers import ASSETS, Graph, numbers, resources
from tests.assets.runs import materialised, metadata, partitions

REPOSITORY = Path(__file__).parents[2]
KEYS = [f"owner__repository{number:03}" for number in range(200)]
BAD = KEYS[77]
DONE = {
    BulkActionStatus.COMPLETED_SUCCESS,
    BulkActionStatus.COMPLETED_FAILED,
    BulkActionStatus.FAILED,
}


@pytest.fixture
def daemon(instance: dg.DagsterInstance, home: Path) -> Iterator[Graph]:
    """The graph with 200 partitions, and a daemon that works on it."""
    instance.add_dynamic_partitions("target_repo", KEYS)
    graph = Graph(instance, home)
    graph.set("bad-numbers", BAD)
    log = (home / "daemon.log").open("wb")
    with (
        log,
        subprocess.Popen(
            [
                *(sys.executable, "-m", "dagster._daemon", "run"),
                *("-m", "tests.assets.numbers_location"),
            ],
            cwd=REPOSITORY,
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            yield graph
        finally:
            process.terminate()


def backfill(graph: Graph, name: str) -> BulkActionStatus:
    """Ask for all partitions of `numbers` and wait for the end."""
    definitions = dg.Definitions(assets=ASSETS, resources=resources(graph.home))
    instance = graph.instance
    wanted = AssetGraphSubset.from_asset_partition_set(
        {AssetKeyPartitionKey(numbers.key, key) for key in KEYS},
        definitions.resolve_asset_graph(),
    )
    instance.add_backfill(
        PartitionBackfill.from_asset_graph_subset(
            backfill_id=name,
            backfill_timestamp=time.time(),
            tags={},
            dynamic_partitions_store=instance,
            asset_graph_subset=wanted,
            title=None,
            description=None,
            run_config=None,
        )
    )
    deadline = time.monotonic() + 280
    while time.monotonic() < deadline:
        found = instance.get_backfill(name)
        if found is not None and found.status in DONE:
            return found.status
        time.sleep(1)
    pytest.fail((graph.home / "daemon.log").read_text()[-4000:])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_backfill_of_two_hundred_with_one_bad(daemon: Graph, store: Store) -> None:
    instance = daemon.instance
    assert backfill(daemon, "first") is BulkActionStatus.COMPLETED_FAILED
    assert Counter(daemon.executed("numbers")) == Counter(KEYS)
    good = sorted(set(KEYS) - {BAD})
    assert partitions(materialised(instance, "numbers")) == good
    assert store.status(["numbers"])["numbers"].failed_partitions == (BAD,)
    runs = instance.get_runs()
    assert sorted(run.status.value for run in runs) == ["FAILURE", "SUCCESS"]

    daemon.set("bad-numbers")
    assert backfill(daemon, "second") is BulkActionStatus.COMPLETED_SUCCESS
    assert daemon.executed("numbers") == [BAD]
    latest = materialised(instance, "numbers")[len(good) :]
    assert partitions(latest) == KEYS
    done = [event.partition for event in latest if not metadata(event)["cached"]]
    assert done == [BAD]
    assert store.status(["numbers"])["numbers"].failed_partitions == ()
