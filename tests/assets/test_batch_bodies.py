"""Bodies that misbehave: each fails the partitions it did wrong, and no others."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from assets.keeping import Bench, PartitionResult, Task
from assets.work import Batch, PartitionResults, Product, work_through
from envplatform.errors import SandboxError
from envplatform.store import Recipe, Store
from tests.assets.numbers import Number
from tests.store.rows import THEN

KEYS = ["a", "bb", "ccc"]
Body = Callable[[Batch[None]], PartitionResults]


def result(value: int = 1) -> PartitionResult:
    """One row."""
    return PartitionResult(rows=[Number(name="x", value=value)])


def work(body: Body, store: Store) -> dict[str, Product | str]:
    """Run a body over all keys; returns what was reported of each, in that order."""
    outcomes: dict[str, Product | str] = {}

    def report(key: str, outcome: Product | str) -> None:
        assert key not in outcomes, f"{key} was reported twice"
        outcomes[key] = outcome

    bench = Bench(
        store=store,
        asset="numbers",
        row_type=Number,
        partitioned=True,
        run_id="run",
        clock=lambda: THEN,
    )
    tasks = [Task(key=key, recipe=Recipe()) for key in KEYS]
    log = logging.getLogger("test")
    work_through(body, Batch(tasks, settings=None, store=store, log=log), bench, report)
    return outcomes


def raises_first(batch: Batch[None]) -> PartitionResults:
    message = "no space left"
    raise SandboxError(message)
    yield from ((key, result()) for key in batch.partitions)


def returns_early(batch: Batch[None]) -> PartitionResults:
    yield next(batch.partitions), result()


def skips_one(batch: Batch[None]) -> PartitionResults:
    for key in batch.partitions:
        if key != "bb":
            yield key, result()


def stops_at_one(batch: Batch[None]) -> PartitionResults:
    for key in batch.partitions:
        if key == "bb":
            return
        yield key, result()


def answers_for_another(batch: Batch[None]) -> PartitionResults:
    for key in batch.partitions:
        yield ("a" if key == "bb" else key), result()


def answers_twice(batch: Batch[None]) -> PartitionResults:
    for key in batch.partitions:
        yield key, result()
        if key == "bb":
            yield key, result(2)


def puts_out_wrong_rows(batch: Batch[None]) -> PartitionResults:
    for key in batch.partitions:
        good = Number(name="x", value=1)
        bad = Number(name="x", value="y")  # type: ignore[arg-type]  # the point
        yield key, PartitionResult(rows=[good, bad if key == "bb" else good])


def is_no_generator(_: Batch[None]) -> PartitionResults:
    return iter([("a", result())])


def reads_what_is_no_upstream(batch: Batch[None]) -> PartitionResults:
    for key in batch.partitions:
        rows = batch.rows(Number, "others") if key == "bb" else []
        yield key, PartitionResult(rows=rows)


BAD_BODIES = [
    (raises_first, KEYS, "SandboxError: no space left"),
    (returns_early, ["bb", "ccc"], "RuntimeError: the body ended before"),
    (skips_one, ["bb"], "RuntimeError: the body took this partition"),
    (stops_at_one, ["bb"], "RuntimeError: the body ended before this partition"),
    (answers_for_another, ["bb"], "StoreError: the body put out 'a', the partition"),
    (answers_twice, ["ccc"], "StoreError: the body put out 'bb', the partition"),
    (puts_out_wrong_rows, ["bb"], "StoreError: numbers[bb], row 1, field value"),
    (is_no_generator, KEYS, "TypeError: an asset body must be a generator"),
    (reads_what_is_no_upstream, ["bb"], "RuntimeError: 'others' is no upstream"),
]


@pytest.mark.parametrize(("body", "bad", "why"), BAD_BODIES)
def test_a_body_that_misbehaves_fails_where_it_did(
    body: Body, bad: list[str], why: str, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    outcomes = work(body, store)
    assert sorted(outcomes) == KEYS
    good = sorted(set(KEYS) - set(bad))
    assert [manifest.partition for manifest in store.manifests("numbers")] == good
    assert sorted(key for key in KEYS if isinstance(outcomes[key], Product)) == good
    failures = store.failures("numbers")
    assert [failure.partition for failure in failures] == bad
    for failure in failures:
        assert failure.message.startswith(why)
        assert outcomes[failure.partition or ""] == failure.message


def test_a_body_may_clean_up_when_one_of_its_results_is_refused(tmp_path: Path) -> None:
    closed = []

    def body(batch: Batch[None]) -> PartitionResults:
        try:
            yield from puts_out_wrong_rows(batch)
        finally:
            closed.append(True)

    work(body, Store(tmp_path))
    assert closed == [True, True]


def test_a_partition_is_stored_before_the_next_is_begun(tmp_path: Path) -> None:
    store = Store(tmp_path)
    seen = []

    def body(batch: Batch[None]) -> PartitionResults:
        for key in batch.partitions:
            seen.append([manifest.partition for manifest in store.manifests("numbers")])
            yield key, result()

    work(body, store)
    assert seen == [[], ["a"], ["a", "bb"]]


def test_an_interruption_is_not_taken_for_a_failure(tmp_path: Path) -> None:
    """Dagster ends a run by raising what is no Exception."""
    store = Store(tmp_path)

    def body(batch: Batch[None]) -> PartitionResults:
        for key in batch.partitions:
            if key == "bb":
                raise KeyboardInterrupt
            yield key, result()

    with pytest.raises(KeyboardInterrupt):
        work(body, store)
    assert [manifest.partition for manifest in store.manifests("numbers")] == ["a"]
    assert store.failures("numbers") == ()
