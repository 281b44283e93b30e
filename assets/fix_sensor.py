"""Keeps the `fix_repo` partitions in line with the stored corpus."""

import dagster as dg

from assets.fix_keys import fix_key_changes, forget_lost
from assets.partitions import fix_repo
from envplatform.errors import StoreError
from resources.store import StoreResource


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every repository of fix_corpus as a partition.",
)
def fix_repository_keys(
    context: dg.SensorEvaluationContext, store: StoreResource
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that the corpus has, and to drop those that it lost."""
    known = context.instance.get_dynamic_partitions(str(fix_repo.name))
    try:
        found = fix_key_changes(store.open(), known)
    except StoreError as error:
        return dg.SkipReason(str(error))
    if not (found.new or found.lost):
        return dg.SkipReason(f"all {len(known)} repositories are registered")
    forget_lost(store.open(), found.lost)
    asked: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if found.new:
        asked.append(fix_repo.build_add_request(found.new))
    if found.lost:
        asked.append(fix_repo.build_delete_request(found.lost))
    return dg.SensorResult(dynamic_partitions_requests=asked)
