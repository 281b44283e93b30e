"""Materialise from a terminal what a person would click: `python -m assets.run`.

One run a partition, so that a bad one costs no other, then the tables over all of
them. The runs are ordinary ones: the UI shows them with everything else.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import TextIO

import dagster as dg

from assets.definitions import build_definitions
from assets.home import open_instance
from assets.jobs import SYNTHESIS
from assets.partitions import target_repo


def synthesise(
    instance: dg.DagsterInstance, definitions: dg.Definitions, out: TextIO
) -> list[str]:
    """Run the synthesis job for every configured target; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong.
    """
    targets = (definitions.resources or {})["targets"]
    names = targets.names()
    instance.add_dynamic_partitions(str(target_repo.name), list(names))
    failed = []
    for number, name in enumerate(names, 1):
        title = f"[{number}/{len(names)}] {name}"
        if not _run(instance, definitions, title=title, partition=name, out=out):
            failed.append(name)
    if len(failed) < len(names) and not _run(
        instance, definitions, title="report", partition=None, out=out
    ):
        failed.append("report")
    return failed


def _run(
    instance: dg.DagsterInstance,
    definitions: dg.Definitions,
    *,
    title: str,
    partition: str | None,
    out: TextIO,
) -> bool:
    """Run the job's partitioned assets for one key, or else its whole tables."""
    job = definitions.resolve_job_def(SYNTHESIS)
    layer = job.asset_layer
    selection = [
        key
        for key in layer.executable_asset_keys
        if (layer.get(key).partitions_def is None) == (partition is None)
    ]
    print(title, file=out, flush=True)
    result = job.with_hooks({_teller(out)}).execute_in_process(
        instance=instance,
        asset_selection=selection,
        partition_key=partition,
        raise_on_error=False,
    )
    return result.success


def _teller(out: TextIO) -> dg.HookDefinition:
    """Tell of each step as it ends, with the rows it made or why it made none."""
    began = time.monotonic()

    def tell(
        context: dg.HookContext, events: Sequence[dg.DagsterEvent]
    ) -> dg.HookExecutionResult:
        line = (
            f"  {time.monotonic() - began:6.1f} s  {context.op.name}: {_news(events)}"
        )
        print(line, file=out, flush=True)
        return dg.HookExecutionResult(hook_name="tell", is_skipped=False)

    return dg.HookDefinition(name="tell", hook_fn=tell)


def _news(events: Sequence[dg.DagsterEvent]) -> str:
    for event in events:
        if event.is_step_failure:
            failure = event.step_failure_data.user_failure_data
            return f"failed: {failure.description if failure else event.message}"
        if event.is_step_materialization:
            metadata = event.materialization.metadata
            count = metadata.get("dagster/partition_row_count") or metadata.get(
                "dagster/row_count"
            )
            cached = bool(metadata["cached"].value) if "cached" in metadata else False
            rows = count.value if count else 0
            return f"{rows} rows{' (up to date)' if cached else ''}"
    return "done"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; exit code 1 if something failed."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    with open_instance() as instance:
        failed = synthesise(instance, build_definitions(), sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
