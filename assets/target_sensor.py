"""Keeps the `target_repo` partitions in line with `envplatform.toml`."""

import dagster as dg

from assets.partitions import target_repo
from assets.target_keys import changes, forget_failures
from envplatform.errors import ConfigError
from resources.store import StoreResource
from resources.targets import TargetsResource


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every target of envplatform.toml as a partition.",
)
def target_repository_keys(
    context: dg.SensorEvaluationContext, targets: TargetsResource, store: StoreResource
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""
    try:
        names = targets.names()
    except ConfigError as error:
        return dg.SkipReason(str(error))
    known = context.instance.get_dynamic_partitions(str(target_repo.name))
    found = changes(names, known)
    if not (found.new or found.mended):
        return dg.SkipReason(f"all {len(names)} configured targets are registered")
    forget_failures(store.open(), found.mended)
    asked: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if found.new:
        asked.append(target_repo.build_add_request(found.new))
    if found.mended:
        asked.append(target_repo.build_delete_request(found.mended))
    return dg.SensorResult(dynamic_partitions_requests=asked)
