"""Many partitions in one run: one bad among 200, and a run that is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from envplatform.store import Store
from tests.assets.numbers import Graph, switchboard_folder
from tests.assets.runs import materialised, metadata, partitions

REPOSITORY = Path(__file__).parents[2]
KEYS = [f"owner__repository{number:03}" for number in range(200)]


@pytest.fixture
def many(instance: dg.DagsterInstance, home: Path) -> Graph:
    """The graph with 200 partitions."""
    instance.add_dynamic_partitions("target_repo", KEYS)
    return Graph(instance, home)


def test_one_bad_of_two_hundred_costs_no_other(many: Graph, store: Store) -> None:
    bad = KEYS[77]
    ends = (KEYS[0], KEYS[-1])
    good = sorted(set(KEYS) - {bad})
    many.set("bad-numbers", bad)
    first = many.run("numbers", keys=ends)
    assert not first.success
    assert many.executed("numbers") == KEYS
    assert partitions(materialised(many.instance, "numbers")) == good
    status = store.status(["numbers"])["numbers"]
    assert (status.partitions, status.failed_partitions) == (199, (bad,))
    (failed,) = (event for event in first.all_events if event.is_step_failure)
    assert failed.step_failure_data.user_failure_data is not None
    description = failed.step_failure_data.user_failure_data.description
    assert description == f"1 of 200 partitions failed: {bad}"

    many.set("bad-numbers")
    second = many.run("numbers", keys=ends)
    assert second.success
    assert many.executed("numbers") == [bad]
    events = materialised(many.instance, "numbers", second.run_id)
    assert partitions(events) == KEYS
    done = [event.partition for event in events if not metadata(event)["cached"]]
    assert done == [bad]
    assert store.status(["numbers"])["numbers"].failed_partitions == ()


def test_a_killed_run_leaves_whole_partitions_and_the_next_does_the_rest(
    many: Graph, store: Store, home: Path
) -> None:
    hanging = KEYS[20]
    ends = (KEYS[0], KEYS[40])
    many.set("hang-numbers", hanging)
    command = [sys.executable, "-m", "tests.assets.run_numbers", *ends]
    process = subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    marker = switchboard_folder(home) / "hangs"
    deadline = time.monotonic() + 120
    while not marker.exists():
        assert process.poll() is None, "the run ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    assert many.executed("numbers") == KEYS[:21]
    stored = [manifest.partition for manifest in store.manifests("numbers")]
    assert stored == KEYS[:20]
    assert store.verify() == ()
    assert store.sweep_orphans() == ()
    assert materialised(many.instance, "numbers") == []

    many.set("hang-numbers")
    result = many.run("numbers", keys=ends)
    assert result.success
    assert many.executed("numbers") == KEYS[20:41]
    assert partitions(materialised(many.instance, "numbers")) == KEYS[:41]
    assert store.verify() == ()
