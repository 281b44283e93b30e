"""Sensors that keep partitions in line: with `envplatform.toml`, those of fixes with the corpus."""

from collections.abc import Callable, Sequence

import dagster as dg

from assets.arm_recipes import arm_keys
from assets.bug_training_recipes import all_experiment_keys
from assets.configured_keys import changes, forget_failures
from assets.cowork_recipes import shard_keys
from assets.fix_keys import fix_key_changes, forget_lost
from assets.partitions import (
    arm_experiment,
    cowork_seed,
    experiment,
    fix_repo,
    res_seed,
    rollout_batch,
    target_repo,
)
from assets.rollout_recipes import batch_keys
from envplatform.configuration import Configuration
from envplatform.errors import ConfigError, StoreError
from resources.configuration import ConfigurationResource
from resources.seeds import seed_names
from resources.store import StoreResource
from resources.targets import target_names

_EVERY_S = 30
Answer = dg.SensorResult | dg.SkipReason


def _configured(
    name: str,
    partitions: dg.DynamicPartitionsDefinition,
    keys: Callable[[Configuration], tuple[str, ...]],
    *,
    each: str,
    what: str,
) -> dg.SensorDefinition:
    """Make the sensor of a partition set whose keys stand in `envplatform.toml`.

    Args:
        name: of the sensor.
        partitions: the set.
        keys: all that are configured.
        each: what one of them is, for the sensor's description.
        what: what all of them are, for a person who reads why nothing was done.
    """

    @dg.sensor(
        name=name,
        minimum_interval_seconds=_EVERY_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Registers every {each} as a partition.",
    )
    def sensor(
        context: dg.SensorEvaluationContext,
        configuration: ConfigurationResource,
        store: StoreResource,
    ) -> Answer:
        try:
            names = keys(configuration.load())
        except ConfigError as error:
            return dg.SkipReason(str(error))
        found = changes(names, _known(context, partitions))
        if found.mended:
            forget_failures(store.open(), found.mended)
        return _asked(partitions, found.new, found.mended) or dg.SkipReason(
            f"all {len(names)} configured {what} are registered"
        )

    return sensor


target_repository_keys = _configured(
    "target_repository_keys",
    target_repo,
    target_names,
    each="target of envplatform.toml",
    what="targets",
)
seed_keys = _configured(
    "seed_keys", res_seed, seed_names, each="seed of envplatform.toml", what="seeds"
)
cowork_keys = _configured(
    "cowork_keys",
    cowork_seed,
    shard_keys,
    each="random seed of [cowork]",
    what="seeds of cowork",
)
rollout_batch_keys = _configured(
    "rollout_batch_keys",
    rollout_batch,
    batch_keys,
    each="batch of [rollouts]",
    what="batches of rollouts",
)
experiment_keys = _configured(
    "experiment_keys",
    experiment,
    all_experiment_keys,
    each="experiment without arms, of whichever table,",
    what="experiments",
)
arm_experiment_keys = _configured(
    "arm_experiment_keys",
    arm_experiment,
    arm_keys,
    each="experiment of [experiments]",
    what="experiments with arms",
)


@dg.sensor(
    minimum_interval_seconds=_EVERY_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers every repository of fix_corpus as a partition.",
)
def fix_repository_keys(
    context: dg.SensorEvaluationContext, store: StoreResource
) -> Answer:
    """Ask for the keys that the corpus has, and to drop those that it lost."""
    known = _known(context, fix_repo)
    try:
        found = fix_key_changes(store.open(), known)
    except StoreError as error:
        return dg.SkipReason(str(error))
    forget_lost(store.open(), found.lost)
    return _asked(fix_repo, found.new, found.lost) or dg.SkipReason(
        f"all {len(known)} repositories are registered"
    )


SENSORS = (
    fix_repository_keys,
    target_repository_keys,
    seed_keys,
    cowork_keys,
    rollout_batch_keys,
    experiment_keys,
    arm_experiment_keys,
)


def _known(
    context: dg.SensorEvaluationContext, partitions: dg.DynamicPartitionsDefinition
) -> Sequence[str]:
    return context.instance.get_dynamic_partitions(str(partitions.name))


def _asked(
    partitions: dg.DynamicPartitionsDefinition, new: list[str], gone: list[str]
) -> dg.SensorResult | None:
    """Ask for keys to come and to go; None where none is to."""
    asked: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if new:
        asked.append(partitions.build_add_request(new))
    if gone:
        asked.append(partitions.build_delete_request(gone))
    return dg.SensorResult(dynamic_partitions_requests=asked) if asked else None
