"""Materialise from a terminal what a person would click: `python -m assets.run`.

One run a partition, so that a bad one costs no other, then the tables over all of
them. The runs are ordinary ones: the UI shows them with everything else.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import dagster as dg
from dagster._core.events import JobFailureData

from assets.definitions import build_definitions
from assets.home import open_instance, prepare_home
from assets.jobs import SYNTHESIS
from assets.partitions import target_repo
from assets.target_keys import changes, forget_failures
from assets.terminal import alone, end_dead_runs, quiet_logger, tags_of
from envplatform.errors import ConfigError, EnvPlatformError

REPORT = "report"
"""Stands for the tables over all partitions in the list of what failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Where runs are kept and told of."""

    instance: dg.DagsterInstance
    definitions: dg.Definitions
    folder: Path
    """Of the instance, $DAGSTER_HOME."""
    out: TextIO

    def say(self, line: str) -> None:
        """Print a line of progress."""
        print(line, file=self.out, flush=True)


def synthesise(terminal: Terminal) -> list[str]:
    """Run the synthesis job for every configured target; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong, or names no target.
    """
    names = register_targets(terminal)
    failed = []
    for number, name in enumerate(names, 1):
        terminal.say(f"[{number}/{len(names)}] {name}")
        if not _run(terminal, partition=name):
            failed.append(name)
    if len(failed) < len(names):
        terminal.say(REPORT)
        if not _run(terminal, partition=None):
            failed.append(REPORT)
    return failed


def register_targets(terminal: Terminal) -> tuple[str, ...]:
    """Make a partition of every configured target, as the sensor does; their names.

    Raises:
        ConfigError: envplatform.toml is wrong, or names no target.
    """
    resources = terminal.definitions.resources or {}
    names: tuple[str, ...] = resources["targets"].names()
    if not names:
        msg = "envplatform.toml names no target; see [targets] in `envplatform init`"
        raise ConfigError(msg)
    instance, key_set = terminal.instance, str(target_repo.name)
    found = changes(names, instance.get_dynamic_partitions(key_set))
    instance.add_dynamic_partitions(key_set, found.new)
    for name in found.mended:
        instance.delete_dynamic_partition(key_set, name)
    forget_failures(resources["store"].open(), found.mended)
    return names


def _run(terminal: Terminal, *, partition: str | None) -> bool:
    """Run the job's partitioned assets for one key, or else its whole tables."""
    job = terminal.definitions.resolve_job_def(SYNTHESIS)
    layer = job.asset_layer
    selection = [
        key
        for key in layer.executable_asset_keys
        if (layer.get(key).partitions_def is None) == (partition is None)
    ]
    told = job.with_hooks({_teller(terminal)}).with_logger_defs(
        {"console": quiet_logger(terminal.out)}
    )
    result = told.execute_in_process(
        instance=terminal.instance,
        asset_selection=selection,
        partition_key=partition,
        raise_on_error=False,
        run_config={"loggers": {"console": {}}},
        tags=tags_of(terminal.folder),
    )
    if not (result.success or any(e.is_step_failure for e in result.all_events)):
        terminal.say(f"  failed before its first step: {_before_steps(result)}")
    return result.success


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
    for event in events:
        if event.is_step_failure:
            return f"failed: {'; '.join(_reasons(event)) or event.message}"
        if event.is_step_materialization:
            metadata = event.materialization.metadata
            count = metadata.get("dagster/partition_row_count") or metadata.get(
                "dagster/row_count"
            )
            cached = bool(metadata["cached"].value) if "cached" in metadata else False
            rows = count.value if count else 0
            return f"{rows} rows{' (up to date)' if cached else ''}"
    return "done"


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; exit code 1 if something failed."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    out = sys.stderr
    try:
        folder = prepare_home()
        with alone(folder), open_instance() as instance:
            for run_id in end_dead_runs(instance, folder):
                print(f"run {run_id[:8]} had been killed: going on", file=out)
            definitions = build_definitions()
            failed = synthesise(
                Terminal(
                    instance=instance, definitions=definitions, folder=folder, out=out
                )
            )
    except EnvPlatformError as error:
        print(f"{type(error).__name__}: {error}", file=out)
        return 1
    if failed:
        print(f"failed: {', '.join(failed)}", file=out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
