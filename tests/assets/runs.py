"""Helpers of tests that run assets on a real Dagster instance."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg


def range_tags(first: str, last: str) -> dict[str, str]:
    """Tags by which a backfill asks for a range of partitions in one run."""
    return {
        "dagster/asset_partition_range_start": first,
        "dagster/asset_partition_range_end": last,
    }


def materialised(
    instance: dg.DagsterInstance, name: str, run_id: str | None = None
) -> list[dg.AssetMaterialization]:
    """Materialisations of an asset, oldest first, perhaps of one run only."""
    records = instance.fetch_materializations(
        dg.AssetKey(name), limit=5000, ascending=True
    ).records
    return [
        record.asset_materialization
        for record in records
        if record.asset_materialization and run_id in (None, record.run_id)
    ]


def partitions(events: Sequence[dg.AssetMaterialization]) -> list[str]:
    """Their partitions, sorted, as often as they occur."""
    return sorted(str(event.partition) for event in events)


def metadata(event: dg.AssetMaterialization) -> Mapping[str, Any]:
    """Plain values of an event's metadata."""
    return {name: entry.value for name, entry in event.metadata.items()}


def steps(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """Step to how it ended: `STEP_SUCCESS`, `STEP_FAILURE`, `STEP_SKIPPED`; else none."""
    return {
        str(event.step_key): event.event_type_value
        for event in result.all_events
        if event.event_type_value in {"STEP_SUCCESS", "STEP_FAILURE", "STEP_SKIPPED"}
    }
