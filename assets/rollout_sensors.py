"""Keep the partitions of batches and experiments in line with `envplatform.toml`."""

import dagster as dg

from assets import arm_recipes, rollout_recipes
from assets.bug_training_recipes import all_experiment_keys
from assets.configured_sensors import in_line
from assets.partitions import arm_experiment, experiment, rollout_batch
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
    description="Registers every experiment of [selection] and [bug_models].",
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
        lambda: all_experiment_keys(configuration.load()),
        store,
        what="experiments",
    )


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every experiment of [experiments] as a partition.",
)
def arm_experiment_keys(
    context: dg.SensorEvaluationContext,
    configuration: ConfigurationResource,
    store: StoreResource,
) -> dg.SensorResult | dg.SkipReason:
    """Ask for the keys that are configured and not yet there."""
    return in_line(
        context,
        arm_experiment,
        lambda: arm_recipes.arm_keys(configuration.load()),
        store,
        what="experiments with arms",
    )
