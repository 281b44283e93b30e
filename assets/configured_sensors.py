"""Keep the partitions of targets, seeds and shards in line with `envplatform.toml`."""

from collections.abc import Callable

import dagster as dg

from assets.configured_keys import changes, forget_failures
from assets.cowork_recipes import shard_keys
from assets.partitions import cowork_seed, res_seed, target_repo
from envplatform.errors import ConfigError
from resources.configuration import ConfigurationResource
from resources.seeds import SeedsResource
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
    return in_line(context, target_repo, targets.names, store, what="targets")


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every seed of envplatform.toml as a partition.",
)
def seed_keys(
    context: dg.SensorEvaluationContext, seeds: SeedsResource, store: StoreResource
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""
    return in_line(context, res_seed, seeds.names, store, what="seeds")


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every random seed of [cowork] as a partition.",
)
def cowork_keys(
    context: dg.SensorEvaluationContext,
    configuration: ConfigurationResource,
    store: StoreResource,
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""

    def names() -> tuple[str, ...]:
        return shard_keys(configuration.load())

    return in_line(context, cowork_seed, names, store, what="seeds of cowork")


def in_line(
    context: dg.SensorEvaluationContext,
    partitions: dg.DynamicPartitionsDefinition,
    configured: Callable[[], tuple[str, ...]],
    store: StoreResource,
    *,
    what: str,
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys of one partition set that are configured and not yet there."""
    try:
        names = configured()
    except ConfigError as error:
        return dg.SkipReason(str(error))
    known = context.instance.get_dynamic_partitions(str(partitions.name))
    found = changes(names, known)
    if not (found.new or found.mended):
        return dg.SkipReason(f"all {len(names)} configured {what} are registered")
    forget_failures(store.open(), found.mended)
    asked: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if found.new:
        asked.append(partitions.build_add_request(found.new))
    if found.mended:
        asked.append(partitions.build_delete_request(found.mended))
    return dg.SensorResult(dynamic_partitions_requests=asked)
