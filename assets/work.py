"""Running a body over partitions one at a time, so that one failure costs no other.

Knows the store and nothing of Dagster: what is cached, done or failed comes back as
values. `batch.py` turns them into events.
"""

import contextlib
import logging
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Any, Generic, TypeVar

from envplatform.errors import StoreError
from envplatform.store import (
    Cost,
    Fact,
    Failure,
    Manifest,
    Origin,
    Recipe,
    Store,
)

WHOLE = ""
"""The key under which a body sees the only table of an unpartitioned asset."""

S = TypeVar("S")
Row = TypeVar("Row")


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


PartitionResults = Iterator[tuple[str, PartitionResult]]
"""What a body is: a generator over `batch.partitions`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One partition to be produced."""

    key: str
    recipe: Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """One partition that is stored as its recipe asks."""

    manifest: Manifest
    cached: bool
    """Whether it had been produced before this run."""


class Batch(Generic[S]):
    """What a body works on. It is consumed: each partition is handed out once."""

    def __init__(
        self,
        tasks: Sequence[Task],
        *,
        settings: S,
        store: Store,
        log: logging.Logger,
    ) -> None:
        self.settings = settings
        """The part of the configuration that the asset declared; None if none."""
        self.store = store
        self.log = log
        self._waiting = deque(tasks)
        self._current: Task | None = None
        self._started = 0.0

    @property
    def partitions(self) -> Iterator[str]:
        """Hand out keys one at a time; an exception is the fault of the last one.

        So finish one before taking the next, and yield its result under its key. An
        unpartitioned asset gets one key, the empty string.
        """
        while self._waiting:
            self._current = self._waiting.popleft()
            self._started = monotonic()
            yield self._current.key
            if self._current is not None:
                msg = "the body took this partition and put nothing out for it"
                raise RuntimeError(msg)

    def rows(self, row_type: type[Row], asset: str) -> list[Row]:
        """Rows of an upstream asset that belong to the partition under work.

        Exactly the versions that the partition's recipe names.

        Raises:
            StoreError: a table was replaced since, or holds another row type.
        """
        return list(self.scan(row_type, asset))

    def scan(
        self,
        row_type: type[Row],
        asset: str,
        *,
        only: Collection[str | None] | None = None,
    ) -> Iterator[Row]:
        """Read them one by one, as `rows`, without holding them.

        Args:
            row_type: what was written, or a view of it.
            asset: one of the upstream assets.
            only: partitions of it; None: all that belong to the one under work.
        """
        inputs = self._current.recipe.inputs if self._current else ()
        parts = [part for part in inputs if part.asset == asset]
        if not parts:
            msg = f"{asset!r} is no upstream of the partition under work"
            raise RuntimeError(msg)
        for part in parts:
            if only is not None and part.partition not in only:
                continue
            yield from self.store.scan(
                row_type,
                asset,
                part.partition,
                digest=part.digest,
                part=part.part,
            )

    @property
    def current(self) -> Task | None:
        """The task under work."""
        return self._current

    @property
    def seconds(self) -> float:
        """Since the current key was handed out."""
        return monotonic() - self._started

    @property
    def is_done(self) -> bool:
        """Whether no key is under work or waiting."""
        return not self._waiting and self._current is None

    def end_current(self) -> None:
        """End the work on the current key, well or not."""
        self._current = None

    def give_up(self) -> list[Task]:
        """Take the task under work, or else all that wait."""
        if self._current is not None:
            tasks = [self._current]
            self._current = None
        else:
            tasks = list(self._waiting)
            self._waiting.clear()
        return tasks


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


Report = Callable[[str, Product | str], None]
"""Called once a key, as soon as its fate is known: a product, or why there is none."""


def work_through(
    body: Callable[[Batch[S]], PartitionResults],
    batch: Batch[S],
    bench: Bench,
    report: Report,
) -> None:
    """Produce every task of `batch`, each on its own.

    The body is called again for what is left after it raised. This is the boundary
    at which its exceptions end: the text is recorded, the traceback logged.
    """
    while not batch.is_done:
        try:
            with contextlib.closing(_generator(body(batch))) as results:
                for key, result in results:
                    _finish(key, result, batch, bench, report)
            if not batch.is_done:
                msg = "the body ended before this partition"
                raise RuntimeError(msg)  # noqa: TRY301  one way to record a failure
        except Exception as error:  # noqa: BLE001  the stated boundary
            _blame(error, batch, bench, report)


def _generator(results: PartitionResults) -> Any:  # noqa: ANN401  Generator or the like
    if not hasattr(results, "close"):
        msg = "an asset body must be a generator over batch.partitions"
        raise TypeError(msg)
    return results


def _finish(
    key: str,
    result: PartitionResult,
    batch: Batch[S],
    bench: Bench,
    report: Report,
) -> None:
    current = batch.current
    if current is None or current.key != key:
        under_work = "none" if current is None else repr(current.key)
        msg = f"the body put out {key!r}, the partition under work is {under_work}"
        raise StoreError(msg)
    manifest = bench.keep(current, result, lambda: batch.seconds)
    batch.end_current()
    report(key, Product(manifest=manifest, cached=False))


def _blame(error: Exception, batch: Batch[S], bench: Bench, report: Report) -> None:
    """Record `error` for the key under work, or for all that wait if none is."""
    message = f"{type(error).__name__}: {error}"
    # In the text, because Dagster's log keeps no exc_info.
    trace = "".join(traceback.format_exception(error))
    for task in batch.give_up():
        batch.log.error("partition %r failed:\n%s", task.key, trace)
        bench.fail(task.key, message)
        report(task.key, message)
