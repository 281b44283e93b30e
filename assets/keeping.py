"""What a body put out for a partition, and where that is kept, or why there is nothing.

Knows the store and nothing of Dagster. `work.py` says which partitions are worked on.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from envplatform.errors import StoreError
from envplatform.store import Cost, Fact, Failure, Manifest, Origin, Recipe, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionResult:
    """What a body puts out for one partition."""

    rows: Iterable[object]
    """Values of the asset's row type, in the order to be kept; may be empty. Consumed
    once, so that a generator may put out more than fits in memory.
    """
    metadata: Mapping[str, Fact] = field(default_factory=dict)
    """Figures for a person, shown in the UI and kept in the manifest. This and what
    follows is read after the last row, so a generator may fill it.
    """
    markdown: Mapping[str, str] = field(default_factory=dict)
    """Small tables or pictures by title. They enter the event log: keep them small."""
    cost: Cost = field(default_factory=Cost)
    """`seconds` left at 0 is measured by the clock."""
    notes: tuple[str, ...] = ()
    """Fallbacks in effect, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One partition to be produced."""

    key: str
    recipe: Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where products and failures of one asset in one run are kept."""

    store: Store
    asset: str
    row_type: type[Any]
    partitioned: bool
    run_id: str
    clock: Callable[[], datetime]
    part_by: str = ""
    """Text field whose values divide the rows into parts; empty: no parts."""

    def partition(self, key: str) -> str | None:
        """The store's name of a key."""
        return key if self.partitioned else None

    def keep(
        self, task: Task, result: PartitionResult, seconds: Callable[[], float]
    ) -> Manifest:
        """Write a finished partition; from here on a crash can't lose it."""

        def origin() -> Origin:
            cost = result.cost
            if not cost.seconds:
                took = round(seconds(), 3)
                cost = Cost(tokens=cost.tokens, usd=cost.usd, seconds=took)
            return Origin(
                created=self.clock(),
                recipe=task.recipe,
                cost=cost,
                earlier=self._spent(task.key),
                run_id=self.run_id,
                notes=result.notes,
                facts=result.metadata,
                markdown=result.markdown,
            )

        return self.store.write_rows(
            self.asset,
            result.rows,
            row_type=self.row_type,
            origin=origin,
            partition=self.partition(task.key),
            part_by=self.part_by,
        )

    def _spent(self, key: str) -> Cost:
        """What all versions of a table took so far, as far as its manifest says."""
        try:
            manifest = self.store.manifest(self.asset, self.partition(key))
        except StoreError:  # damaged, and about to be replaced
            return Cost()
        return manifest.cost + manifest.earlier if manifest else Cost()

    def fail(self, key: str, message: str) -> None:
        """Keep why a partition could not be produced."""
        failure = Failure(
            asset=self.asset,
            partition=self.partition(key),
            message=message,
            created=self.clock(),
            run_id=self.run_id,
        )
        self.store.record_failure(failure)

    def clear(self, key: str) -> None:
        """Forget an earlier failure: what is stored serves."""
        self.store.clear_failure(self.asset, self.partition(key))
