"""A small graph of batch assets whose bodies fail on request, in any process.

`numbers` (target_repo) -> `doubles` (target_repo) -> `total` (-), and a blocking check
on `numbers`. What shall fail, and what was executed, are files in one folder.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.partitions import target_repo
from envplatform.store import Cost
from resources.store import StoreResource
from tests.assets.runs import range_tags

HUNDRED = dg.BackfillPolicy.multi_run(max_partitions_per_run=100)
"""One for all: assets of a job that differ in it make Dagster warn, and take the least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A row."""

    name: str
    value: int


class Switchboard(dg.ConfigurableResource["Switchboard"]):
    """Tells bodies what to do, and keeps what they did, across processes."""

    folder: str

    def start(self, asset: str, key: str) -> None:
        """Note an execution, then fail or hang if that was asked for."""
        with Path(self.folder, f"executed-{asset}").open("a") as stream:
            stream.write(f"{key}\n")
        if key in self.lines(f"bad-{asset}"):
            message = f"{key} is bad"
            raise ValueError(message)
        if key in self.lines(f"hang-{asset}"):
            Path(self.folder, "hangs").write_text(str(os.getpid()))
            time.sleep(600)

    def lines(self, name: str) -> list[str]:
        """Lines of a file, none if it is missing."""
        path = Path(self.folder, name)
        return path.read_text().split() if path.exists() else []

    def number(self, key: str) -> int:
        """What `numbers` finds in the world outside for a key."""
        changed = dict(line.split("=") for line in self.lines("changed"))
        return int(changed.get(key, len(key)))


@batch_asset(
    row_type=Number,
    revision=3,
    group="test",
    partitions=target_repo,
    backfill_policy=HUNDRED,
)
def numbers(batch: Batch[None], switchboard: Switchboard) -> PartitionResults:
    """One number a partition.

    And a second paragraph.
    """
    for key in batch.partitions:
        switchboard.start("numbers", key)
        yield (
            key,
            PartitionResult(
                rows=[Number(name=key, value=switchboard.number(key))],
                metadata={"length": len(key), "share": 0.5, "kind": "demo", "ok": True},
                markdown={"picture": f"| {key} |"},
                cost=Cost(tokens=5, usd=0.25),
                notes=("a fallback was used",),
            ),
        )


@batch_asset(
    row_type=Number,
    revision=1,
    group="test",
    partitions=target_repo,
    deps=[numbers],
    backfill_policy=HUNDRED,
)
def doubles(batch: Batch[None], switchboard: Switchboard) -> PartitionResults:
    """Twice the number."""
    for key in batch.partitions:
        switchboard.start("doubles", key)
        rows = batch.rows(Number, "numbers")
        doubled = [Number(name=row.name, value=2 * row.value) for row in rows]
        yield key, PartitionResult(rows=doubled)


@batch_asset(row_type=Number, revision=1, group="test", deps=[doubles])
def total(batch: Batch[None], switchboard: Switchboard) -> PartitionResults:
    """The sum over all partitions."""
    for key in batch.partitions:
        switchboard.start("total", key or "total")
        rows = batch.rows(Number, "doubles")
        yield (
            key,
            PartitionResult(
                rows=[Number(name="total", value=sum(row.value for row in rows))]
            ),
        )


@dg.asset_check(asset=numbers, blocking=True)
def numbers_are_positive(store: StoreResource) -> dg.AssetCheckResult:
    """No number below one was stored."""
    rows = store.open().all_rows(Number, "numbers")
    return dg.AssetCheckResult(passed=all(row.value > 0 for row in rows))


ASSETS = [numbers, doubles, total]


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph on one instance and one home."""

    instance: dg.DagsterInstance
    home: Path

    @property
    def switchboard(self) -> Switchboard:
        """The switchboard that the bodies see."""
        return Switchboard(folder=str(switchboard_folder(self.home)))

    def set(self, name: str, *lines: str) -> None:
        """Write a file of the switchboard: `bad-numbers`, `hang-numbers`, `changed`."""
        Path(self.switchboard.folder, name).write_text("\n".join(lines))

    def executed(self, asset: str) -> list[str]:
        """Keys on which the body ran since this was last asked, in order."""
        path = Path(self.switchboard.folder, f"executed-{asset}")
        lines = self.switchboard.lines(path.name)
        path.unlink(missing_ok=True)
        return lines

    def run(
        self,
        *names: str,
        keys: tuple[str, str] | None,
        checks: bool = False,
        tags: Mapping[str, str] | None = None,
    ) -> dg.ExecuteInProcessResult:
        """Materialise some of the assets, `keys` being the ends of a range."""
        return dg.materialize(
            [*ASSETS, *([numbers_are_positive] if checks else [])],
            selection=list(names),
            instance=self.instance,
            raise_on_error=False,
            resources=resources(self.home),
            tags={**(range_tags(*keys) if keys else {}), **(tags or {})},
        )


def resources(home: Path) -> dict[str, object]:
    """Resources of the graph on one home."""
    return {
        "store": StoreResource(home=str(home)),
        "switchboard": Switchboard(folder=str(switchboard_folder(home))),
    }


def switchboard_folder(home: Path) -> Path:
    """Where the switchboard's files lie, created."""
    folder = home / "switchboard"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
