"""Keeps the `target_repo` partitions in line with `envplatform.toml`.

Keys are added, never taken away: what was made stays visible.
"""

import dagster as dg

from assets.partitions import target_repo
from envplatform.errors import ConfigError
from resources.targets import TargetsResource


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every target of envplatform.toml as a partition.",
)
def target_repository_keys(
    context: dg.SensorEvaluationContext, targets: TargetsResource
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""
    try:
        names = targets.names()
    except ConfigError as error:
        return dg.SkipReason(str(error))
    known = context.instance.get_dynamic_partitions(str(target_repo.name))
    new = [name for name in names if name not in known]
    if not new:
        return dg.SkipReason(f"all {len(names)} configured targets are registered")
    return dg.SensorResult(
        dynamic_partitions_requests=[target_repo.build_add_request(new)]
    )
