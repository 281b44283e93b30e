"""Group `training`: adapters that learned where the policy goes itself.

By its own plays and their verdicts, or by a teacher's distributions over its rollouts.
The model is loaded in a process of its own; no torch in this one.
"""

from dataclasses import replace
from typing import Any

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.bugs import swe_environments
from assets.cowork import cowork_environments
from assets.distillation_recipes import (
    distillation_of,
    distillation_order,
    distillation_sources,
    learnt_rows,
)
from assets.grpo_recipes import (
    check_runner,
    grpo_of,
    grpo_order,
    grpo_sources,
    play_rows,
)
from assets.levels import res_lineages
from assets.lineages import seed_environments
from assets.on_policy_recipes import SFT, base_settings, checkpoint_folder, parent_of
from assets.partitions import experiment
from assets.rollouts import rollouts
from assets.trained import new_place, published, trained
from assets.training import sft_checkpoint
from envplatform.configuration import Configuration, DistilSettings, GrpoSettings
from envplatform.learning.online.rows import write_play_rows
from envplatform.learning.training.published import CheckpointRow, holds_checkpoints
from envplatform.learning.training.record import ComponentPoint
from envplatform.learning.training.rows import write_conversations
from resources.configuration import ConfigurationResource
from resources.trainer import TrainerResource

NO_GRPO = "no [grpo.{name}] in envplatform.toml: nothing is played"
NO_DISTILLATION = "no [distillation.{name}] in envplatform.toml: nothing is distilled"


def _all_of(asset: dg.AssetsDefinition) -> Upstream:
    return Upstream(asset=asset, mapping=dg.AllPartitionMapping(), optional=True)


@batch_asset(
    group="training",
    row_type=CheckpointRow,
    revision=1,
    partitions=experiment,
    deps=[
        Upstream(asset=sft_checkpoint, optional=True),
        *map(
            _all_of,
            (swe_environments, seed_environments, cowork_environments, res_lineages),
        ),
    ],
    sources=grpo_sources,
    holds=holds_checkpoints,
    pool="gpu",
    kinds=frozenset({"pytorch", "huggingface"}),
    owners=owners.TRAINING,
)
def grpo_checkpoint(
    batch: Batch[None],
    configuration: ConfigurationResource,
    trainer: TrainerResource,
) -> PartitionResults:
    """A LoRA adapter that learned from groups of its own plays and their verdicts.

    It goes on from the experiment's supervised checkpoint. One reward: the weighted
    geometric mean of what code verifies and what a judge says, 0 if either is 0.
    """
    for name in batch.partitions:
        settings = grpo_of(configuration.load(), name)
        if settings is None:
            note = NO_GRPO.format(name=name)
            yield name, PartitionResult(rows=(), notes=(note,))
        else:
            yield name, _played(batch, trainer, configuration.load(), name, settings)


def _played(
    batch: Batch[Any],
    trainer: TrainerResource,
    configuration: Configuration,
    name: str,
    settings: GrpoSettings,
) -> PartitionResult:
    check_runner(configuration)
    rows = play_rows(batch, name, settings)
    parent = parent_of(batch, name, settings.goes_on_from)
    place = new_place(batch.store, "grpo")
    write_play_rows(place, rows)
    order = grpo_order(configuration, name, place, home=batch.store.home, parent=parent)
    found = trained(batch.store, trainer, order)
    result = published(found, base_settings(configuration, name))
    return with_verifiers(result, found.record.components)


@batch_asset(
    group="training",
    row_type=CheckpointRow,
    revision=1,
    partitions=experiment,
    deps=[
        Upstream(asset=sft_checkpoint, mapping=dg.AllPartitionMapping(), optional=True),
        _all_of(rollouts),
    ],
    sources=distillation_sources,
    holds=holds_checkpoints,
    pool="gpu",
    kinds=frozenset({"pytorch", "huggingface"}),
    owners=owners.TRAINING,
)
def distilled_checkpoint(
    batch: Batch[None],
    configuration: ConfigurationResource,
    trainer: TrainerResource,
) -> PartitionResults:
    """A LoRA adapter whose distributions were drawn to a teacher's on its own tokens.

    Over rollouts that the student played before, or over answers that it gives anew.
    """
    for name in batch.partitions:
        settings = distillation_of(configuration.load(), name)
        if settings is None:
            note = NO_DISTILLATION.format(name=name)
            yield name, PartitionResult(rows=(), notes=(note,))
        else:
            yield name, _distilled(batch, trainer, configuration.load(), name, settings)


def _distilled(
    batch: Batch[Any],
    trainer: TrainerResource,
    configuration: Configuration,
    name: str,
    settings: DistilSettings,
) -> PartitionResult:
    rows = learnt_rows(batch, settings)
    parent = parent_of(batch, name, settings.goes_on_from)
    teacher = settings.teacher_training
    taught = checkpoint_folder(batch.store, SFT, teacher) if teacher else None
    place = new_place(batch.store, "distillation")
    write_conversations(place, rows)
    order = distillation_order(
        configuration, name, place, parent=parent, teacher_checkpoint=taught
    )
    found = trained(batch.store, trainer, order)
    return published(found, base_settings(configuration, name))


def with_verifiers(
    result: PartitionResult, components: tuple[ComponentPoint, ...]
) -> PartitionResult:
    """Add what each verifier said in the first and the last step."""
    if not components:
        return result
    ends = {"first": components[0], "last": components[-1]}
    told = {
        f"{name.removeprefix('verifiers/')}, {when} step": mean
        for when, point in ends.items()
        for name, mean in point.figures.items()
        if name.startswith("verifiers/")
    }
    return replace(result, metadata={**result.metadata, **told})
