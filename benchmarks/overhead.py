"""What a ranged run costs beyond its work: `python -m benchmarks.overhead`.

Materialises many partitions of a batch asset whose body does next to nothing, in one
run, on the Dagster instance that `dagster.yaml` describes, in a new home. Then again,
when all of it is cached and only recorded. Timed from the request to the end of the
run; start of the process and imports are left out.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic

import dagster as dg

from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.instance import POSTGRES_VARIABLE
from assets.partitions import target_repo
from benchmarks.report import print_result, progress, refuse
from resources.store import StoreResource

ROWS = 20
REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row of the size of a small verdict."""

    name: str
    text: str
    number: int


@batch_asset(row_type=Line, revision=1, group="benchmark", partitions=target_repo)
def measured_lines(batch: Batch[None]) -> PartitionResults:
    """Rows that take no time to make."""
    for key in batch.partitions:
        rows = [
            Line(name=f"{key}.{number}", text=key * 10, number=number)
            for number in range(ROWS)
        ]
        yield key, PartitionResult(rows=rows, metadata={"share": 0.5})


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """One repeat."""

    first_s: float
    cached_s: float
    events_per_partition: float


def measure(partitions: int, folder: Path) -> Timing:
    """Run the asset twice in a new home below `folder`."""
    keys = [f"owner__repository{number:05}" for number in range(partitions)]
    with _instance(folder) as instance:
        instance.add_dynamic_partitions("target_repo", keys)
        first_s, events = _materialise(instance, keys, folder, cached=False)
        progress(f"first: {partitions} partitions in {first_s:.1f} s")
        cached_s, _ = _materialise(instance, keys, folder, cached=True)
        progress(f"cached: {partitions} partitions in {cached_s:.1f} s")
    return Timing(
        first_s=first_s,
        cached_s=cached_s,
        events_per_partition=round(events / partitions, 2),
    )


@contextmanager
def _instance(folder: Path) -> Iterator[dg.DagsterInstance]:
    """The instance of `dagster.yaml`, with all its files below `folder`."""
    os.environ["ENVPLATFORM_HOME"] = str(folder)
    os.environ.pop(POSTGRES_VARIABLE, None)
    home = folder / "dagster"
    home.mkdir()
    shutil.copy(REPOSITORY / "dagster.yaml", home)
    with dg.DagsterInstance.from_config(str(home)) as instance:
        yield instance


def _materialise(
    instance: dg.DagsterInstance, keys: Sequence[str], folder: Path, *, cached: bool
) -> tuple[float, int]:
    """Seconds and number of events of one run over all keys."""
    started = monotonic()
    result = dg.materialize(
        [measured_lines],
        instance=instance,
        resources={"store": StoreResource(home=str(folder / "home"))},
        run_config={"loggers": {"console": {"config": {"log_level": "ERROR"}}}},
        tags={
            "dagster/asset_partition_range_start": keys[0],
            "dagster/asset_partition_range_end": keys[-1],
        },
    )
    seconds = monotonic() - started
    _check(instance, result.run_id, len(keys), cached=cached)
    return round(seconds, 2), len(instance.all_logs(result.run_id))


def _check(
    instance: dg.DagsterInstance, run_id: str, partitions: int, *, cached: bool
) -> None:
    """Refuse a figure unless the run recorded every partition once, truthfully."""
    events = instance.all_logs(
        run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
    )
    recorded = [event.asset_materialization for event in events]
    keys = {one.partition for one in recorded if one is not None}
    if not len(recorded) == len(keys) == partitions:
        refuse(f"{len(recorded)} events for {len(keys)} of {partitions} partitions")
    flags = {one.metadata["cached"].value for one in recorded if one is not None}
    if flags != {cached}:
        refuse(f"cached should be {cached}, the events say {flags}")


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=688)
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    if options.partitions < 1 or options.repeats < 1:
        parser.error("--partitions and --repeats must be at least 1")
    timings = []
    for number in range(options.repeats):
        progress(f"repeat {number + 1} of {options.repeats}")
        with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
            timings.append(measure(options.partitions, Path(folder)))
    print_result(
        {
            "partitions": options.partitions,
            "first_s": median(timing.first_s for timing in timings),
            "cached_s": median(timing.cached_s for timing in timings),
            "events_per_partition": timings[0].events_per_partition,
        },
        made_from=f"{ROWS} rows a partition, sqlite as in dagster.yaml",
        repeats=options.repeats,
    )


if __name__ == "__main__":
    main()
