"""Running a body over partitions one at a time, so that one failure costs no other.

Knows the store and nothing of Dagster: what is cached, done or failed comes back as
values. `batch.py` turns them into events.
"""

import contextlib
import logging
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Generic, TypeVar

from assets.keeping import Bench, PartitionResult, Task
from envplatform.errors import StoreError
from envplatform.store import (
    Manifest,
    Store,
)

WHOLE = ""
"""The key under which a body sees the only table of an unpartitioned asset."""

S = TypeVar("S")
Row = TypeVar("Row")


PartitionResults = Iterator[tuple[str, PartitionResult]]
"""What a body is: a generator over `batch.partitions`."""


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
