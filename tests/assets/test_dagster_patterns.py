"""How Dagster records a ranged run, pattern by pattern; `batch_asset` rests on it.

Each test is a row of the table in the platform's specification, the patterns that go
wrong included: where one of them fails, the pin of Dagster has moved, and `batch.py`
must be thought through again.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
import pytest

from tests.assets.runs import materialised, metadata, partitions, range_tags, steps

KEYS = ["p0", "p1", "p2", "p3"]
PARTITIONS = dg.StaticPartitionsDefinition(KEYS)
NONE: Any = dg.Nothing

Body = Callable[[dg.AssetExecutionContext], Any]


def run(
    instance: dg.DagsterInstance, body: Body, *, output_required: bool = True
) -> dg.ExecuteInProcessResult:
    """Run `upstream` with that body, a blocking check on it and `downstream`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        single_run = dg.BackfillPolicy.single_run()
        upstream = dg.asset(
            name="upstream",
            partitions_def=PARTITIONS,
            backfill_policy=single_run,
            output_required=output_required,
            code_version="7",
            dagster_type=NONE,
        )(body)

        @dg.asset(
            partitions_def=PARTITIONS, backfill_policy=single_run, deps=[upstream]
        )
        def downstream() -> None: ...

    @dg.asset_check(asset=upstream, blocking=True)
    def gate() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=True)

    return dg.materialize(
        [upstream, downstream, gate],
        instance=instance,
        raise_on_error=False,
        tags=range_tags("p0", "p3"),
    )


def test_a_plain_body_that_raises_records_nothing(instance: dg.DagsterInstance) -> None:
    """What it had done for the first partitions is lost to Dagster."""

    def body(context: dg.AssetExecutionContext) -> None:
        for key in context.partition_keys:
            if key == "p3":
                raise ValueError(key)

    assert not run(instance, body).success
    assert materialised(instance, "upstream") == []


def test_the_first_of_several_results_marks_all(instance: dg.DagsterInstance) -> None:
    """Partitions of which nothing was said yet, and which never come, are marked."""

    def body(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[Any]]:
        for key in context.partition_keys:
            if key == "p2":
                raise ValueError(key)
            yield dg.MaterializeResult(metadata={"key": key})

    assert not run(instance, body).success
    events = materialised(instance, "upstream")
    assert partitions(events) == KEYS
    assert {metadata(event)["key"] for event in events} == {"p0"}


def test_log_event_and_a_normal_return_record_each_twice(
    instance: dg.DagsterInstance,
) -> None:
    def body(context: dg.AssetExecutionContext) -> None:
        for key in context.partition_keys:
            context.log_event(dg.AssetMaterialization("upstream", partition=key))

    assert run(instance, body).success
    assert partitions(materialised(instance, "upstream")) == sorted(KEYS * 2)


def test_one_output_with_metadata_for_each_is_right_if_all_are_good(
    instance: dg.DagsterInstance,
) -> None:
    def body(context: dg.AssetExecutionContext) -> Iterator[dg.Output[None]]:
        for key in context.partition_keys:
            context.add_asset_metadata({"key": key}, partition_key=key)
        yield dg.Output(None)

    result = run(instance, body)
    assert result.success
    assert steps(result) == dict.fromkeys(
        ["upstream", "upstream_gate", "downstream"], "STEP_SUCCESS"
    )
    events = materialised(instance, "upstream")
    assert partitions(events) == KEYS
    assert all(metadata(event)["key"] == event.partition for event in events)
    assert {event.tags["dagster/code_version"] for event in events if event.tags} == {
        "7"
    }
    assert (
        len({event.tags["dagster/data_version"] for event in events if event.tags}) == 1
    )
    assert partitions(materialised(instance, "downstream")) == KEYS
    (check,) = result.get_asset_check_evaluations()
    assert check.passed


def some_good(_: dg.AssetExecutionContext) -> Iterator[dg.AssetMaterialization]:
    """One event for each good partition, of which p3 is none."""
    for key in KEYS[:3]:
        yield dg.AssetMaterialization("upstream", partition=key)


def test_events_without_an_output_skip_what_follows_and_call_it_success(
    instance: dg.DagsterInstance,
) -> None:
    """Each partition is right, yet neither the check nor `downstream` ran."""
    result = run(instance, some_good, output_required=False)
    assert partitions(materialised(instance, "upstream")) == KEYS[:3]
    assert result.success
    assert steps(result) == {
        "upstream": "STEP_SUCCESS",
        "upstream_gate": "STEP_SKIPPED",
        "downstream": "STEP_SKIPPED",
    }
    assert list(result.get_asset_check_evaluations()) == []
    assert materialised(instance, "downstream") == []


@pytest.mark.parametrize("output_required", [True, False])
def test_events_and_then_a_failure_are_right_if_some_are_bad(
    instance: dg.DagsterInstance, *, output_required: bool
) -> None:
    """The good ones stay good, the run fails and says why; no retry is tried."""

    def body(context: dg.AssetExecutionContext) -> Iterator[dg.AssetMaterialization]:
        yield from some_good(context)
        bad = "failed: p3"
        raise dg.Failure(bad, allow_retries=False)

    result = run(instance, body, output_required=output_required)
    assert not result.success
    assert partitions(materialised(instance, "upstream")) == KEYS[:3]
    assert steps(result) == {"upstream": "STEP_FAILURE"}
    assert list(result.get_asset_check_evaluations()) == []
    assert materialised(instance, "downstream") == []
    (failure,) = (event for event in result.all_events if event.is_step_failure)
    assert "failed: p3" in str(failure.step_failure_data.user_failure_data)
    events = materialised(instance, "upstream")
    assert all("dagster/code_version" not in (event.tags or {}) for event in events), (
        "Dagster now tags events that a body yields: provenance.py may not be needed"
    )
