"""Group `training`: adapters that learned from selected trajectories.

The model is loaded in a process of its own; no torch in this one.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.partitions import experiment
from assets.rollout_recipes import where_it_selects
from assets.rollouts import rollouts
from assets.selection import selected_trajectories
from assets.trained import new_place, published, trained
from assets.training_recipes import sft_order, sft_sources, training_of
from envplatform.configuration import ExperimentTrainingSettings, SFTSettings
from envplatform.errors import StoreError
from envplatform.learning.conversation import conversation_of
from envplatform.learning.training.published import CheckpointRow, holds_checkpoints
from envplatform.learning.training.rows import write_conversations
from envplatform.trajectories import Trajectory
from envplatform.trajectories.rows import SelectedTrajectory
from resources.configuration import ConfigurationResource
from resources.trainer import TrainerResource

NO_TRAINING = "no [training.{name}.sft] in envplatform.toml: nothing is trained"


@batch_asset(
    group="training",
    row_type=CheckpointRow,
    revision=1,
    partitions=experiment,
    deps=[
        selected_trajectories,
        Upstream(
            asset=rollouts, mapping=dg.AllPartitionMapping(), named=where_it_selects
        ),
    ],
    sources=sft_sources,
    holds=holds_checkpoints,
    pool="gpu",
    kinds=frozenset({"pytorch", "huggingface"}),
    owners=owners.TRAINING,
)
def sft_checkpoint(
    batch: Batch[None],
    configuration: ConfigurationResource,
    trainer: TrainerResource,
) -> PartitionResults:
    """A LoRA adapter that learned what the agents of the selected trajectories said.

    One row a partition; the adapter and its whole record are a directory of the store.
    Empty where the experiment trains nothing.
    """
    for name in batch.partitions:
        settings = training_of(configuration.load(), name)
        if settings is None or settings.sft is None:
            note = NO_TRAINING.format(name=name)
            yield name, PartitionResult(rows=(), notes=(note,))
        else:
            kept = selected_rows(batch, settings.sft, settings.data_seed)
            yield name, _trained(batch, trainer, settings, kept)


def _trained(
    batch: Batch[None],
    trainer: TrainerResource,
    settings: ExperimentTrainingSettings,
    kept: Sequence[SelectedTrajectory],
) -> PartitionResult:
    records = trajectories_of(batch, kept)

    place = new_place(batch.store, "sft")
    write_conversations(place, map(conversation_of, records))
    writers = tuple(sorted({one.policy for one in records}))
    order = replace(sft_order(settings, place), writers=writers)
    return published(trained(batch.store, trainer, order), settings)


def selected_rows(
    batch: Batch[None], settings: SFTSettings, seed: int
) -> list[SelectedTrajectory]:
    """The rows of the arm that is trained on, at most so many, in the table's order."""
    rows = batch.rows(SelectedTrajectory, "selected_trajectories")
    of_arm = [row for row in rows if row.arm == settings.arm]
    if settings.rows is None or settings.rows >= len(of_arm):
        return of_arm
    chosen = random.Random(seed).sample(range(len(of_arm)), settings.rows)  # noqa: S311  no secret
    return [of_arm[place] for place in sorted(chosen)]


def trajectories_of(
    batch: Batch[None], rows: Sequence[SelectedTrajectory]
) -> list[Trajectory]:
    """The whole records, in the order of `rows`.

    Raises:
        StoreError: some are in no batch any more.
    """
    wanted = {(row.batch, row.trajectory_id) for row in rows}
    found = {
        (name, one.trajectory_id): one
        for name in sorted({row.batch for row in rows})
        for one in batch.scan(Trajectory, "rollouts", only=[name])
        if (name, one.trajectory_id) in wanted
    }
    missing = sorted(wanted - set(found))
    if missing:
        msg = (
            f"{len(missing)} selected trajectories are in no batch any more, such as "
            f"{missing[0][1]!r} of {missing[0][0]!r}: materialise "
            f"selected_trajectories again"
        )
        raise StoreError(msg)
    return [found[row.batch, row.trajectory_id] for row in rows]
