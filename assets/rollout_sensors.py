"""Keep the partitions of batches and experiments in line with `envplatform.toml`."""

import dagster as dg

from assets import rollout_recipes
from assets.configured_sensors import in_line
from assets.partitions import experiment, rollout_batch
from resources.configuration import ConfigurationResource
from resources.store import StoreResource


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every batch of [rollouts] as a partition.",
)
def rollout_batch_keys(
    context: dg.SensorEvaluationContext,
    configuration: ConfigurationResource,
    store: StoreResource,
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""
    return in_line(
        context,
        rollout_batch,
        lambda: rollout_recipes.batch_keys(configuration.load()),
        store,
        what="batches of rollouts",
    )


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every experiment of [selection] as a partition.",
)
def experiment_keys(
    context: dg.SensorEvaluationContext,
    configuration: ConfigurationResource,
    store: StoreResource,
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""
    return in_line(
        context,
        experiment,
        lambda: rollout_recipes.experiment_keys(configuration.load()),
        store,
        what="experiments",
    )
