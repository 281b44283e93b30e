"""One run of a job, started and told of in a terminal."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import dagster as dg
from dagster._core.events import JobFailureData, RunFailureReason

from assets.terminal import quiet_logger, tags_of
from envplatform.cli.output import harmless


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Where runs are kept and told of."""

    instance: dg.DagsterInstance
    definitions: dg.Definitions
    folder: Path
    """Of the instance, $DAGSTER_HOME."""
    out: TextIO

    def say(self, line: str) -> None:
        """Print a line of progress, whatever of strangers' text is in it."""
        print(harmless(line), file=self.out, flush=True)


def run_job(
    terminal: Terminal,
    job_name: str,
    assets: Sequence[str],
    *,
    partition: str | None = None,
    partition_range: tuple[str, str] | None = None,
) -> bool:
    """Run some assets of a job, for one key, a range of keys or none.

    What fails is told, never raised; the answer is whether all went well.

    Raises:
        KeyboardInterrupt: a signal ended the run, which has recorded what was done.
    """
    job = terminal.definitions.resolve_job_def(job_name)
    told = job.with_hooks({_teller(terminal)}).with_logger_defs(
        {"console": quiet_logger(terminal.out)}
    )
    result = told.execute_in_process(
        instance=terminal.instance,
        asset_selection=[dg.AssetKey(name) for name in assets],
        partition_key=partition,
        raise_on_error=False,
        run_config={"loggers": {"console": {}}},
        tags={**tags_of(terminal.folder), **_range_tags(partition_range)},
    )
    if any(map(_is_interruption, result.all_events)):
        raise KeyboardInterrupt
    if not (result.success or any(e.is_step_failure for e in result.all_events)):
        terminal.say(f"  failed before its first step: {_before_steps(result)}")
    return result.success


def run_each(
    terminal: Terminal,
    job_name: str,
    assets: Sequence[str],
    names: Sequence[str],
    what: str = "",
) -> list[str]:
    """Run some assets of a job for one key after the other; returns keys that failed.

    `what`: said before each key.

    Raises:
        KeyboardInterrupt: as above.
    """
    failed = []
    for number, name in enumerate(names, 1):
        terminal.say(" ".join((f"[{number}/{len(names)}]", *what.split(), name)))
        if not run_job(terminal, job_name, assets, partition=name):
            failed.append(name)
    return failed


def assets_of(terminal: Terminal, job_name: str, *, partitioned: bool) -> list[str]:
    """Names of a job's assets that have partitions, or that have none."""
    layer = terminal.definitions.resolve_job_def(job_name).asset_layer
    return [
        key.to_user_string()
        for key in layer.executable_asset_keys
        if (layer.get(key).partitions_def is not None) == partitioned
    ]


def _range_tags(partition_range: tuple[str, str] | None) -> Mapping[str, str]:
    """How Dagster is asked for several partitions in one run."""
    if partition_range is None:
        return {}
    first, last = partition_range
    return {
        "dagster/asset_partition_range_start": first,
        "dagster/asset_partition_range_end": last,
    }


def _is_interruption(event: dg.DagsterEvent) -> bool:
    """Whether it says that a signal came, which Dagster takes for a failure."""
    data = event.event_specific_data
    unasked = (
        isinstance(data, JobFailureData)
        and data.failure_reason is RunFailureReason.UNEXPECTED_TERMINATION
    )
    return unasked or event.event_type is dg.DagsterEventType.RUN_CANCELED


def _before_steps(result: dg.ExecuteInProcessResult) -> str:
    """Why a run failed of which no step did."""
    for event in result.all_events:
        data = event.event_specific_data
        if isinstance(data, JobFailureData) and data.error:
            return data.error.to_string()
    return "no reason is on record"


def _teller(terminal: Terminal) -> dg.HookDefinition:
    """Tell of each step as it ends, with the rows it made or why it made none."""
    began = time.monotonic()

    def tell(
        context: dg.HookContext, events: Sequence[dg.DagsterEvent]
    ) -> dg.HookExecutionResult:
        seconds = time.monotonic() - began
        terminal.say(f"  {seconds:6.1f} s  {context.op.name}: {_news(events)}")
        return dg.HookExecutionResult(hook_name="tell", is_skipped=False)

    return dg.HookDefinition(name="tell", hook_fn=tell)


def _news(events: Sequence[dg.DagsterEvent]) -> str:
    """What a step made, over all its partitions, and what of them failed."""
    made = [event.materialization for event in events if event.is_step_materialization]
    failures = [event for event in events if event.is_step_failure]
    parts = [_counted(made)] if made else []
    for event in failures:
        why = "; ".join(_reasons(event)) or event.message
        parts.append(f"failed: {why}")
    return "; ".join(parts) or "done"


def _counted(made: Sequence[dg.AssetMaterialization]) -> str:
    rows = sum(
        _plain(one, "row_count") + _plain(one, "partition_row_count") for one in made
    )
    cached = sum(bool(_plain(one, "cached", prefix="")) for one in made)
    where = f" in {len(made)} partitions" if len(made) > 1 else ""
    if cached == len(made):
        return f"{rows} rows{where} (up to date)"
    return f"{rows} rows{where}" + (f" ({cached} up to date)" if cached else "")


def _plain(
    made: dg.AssetMaterialization, name: str, *, prefix: str = "dagster/"
) -> int:
    found = made.metadata.get(prefix + name)
    value = found.value if found else 0
    return value if isinstance(value, int) else 0


def _reasons(event: dg.DagsterEvent) -> Iterator[str]:
    """Why partitions failed, as `shown.failure_metadata` put it; else the headline."""
    failure = event.step_failure_data.user_failure_data
    if failure is None:
        return
    table = failure.metadata.get("reasons")
    if isinstance(table, dg.TableMetadataValue):
        yield from (str(record.data["reason"]) for record in table.records)
    elif failure.description:
        yield failure.description
