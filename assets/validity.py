"""Group `trajectories`: which rollouts are fit for training.

The rules are in `envplatform.trajectories`.
"""

from collections.abc import Iterator

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.beside import keep_aside
from assets.partitions import experiment
from assets.rollout_recipes import (
    experiment_of,
    standards_of,
    standards_sources,
    where_it_selects,
    why_nothing,
)
from assets.rollouts import rollouts
from assets.selection_pictures import validity_pictures
from envplatform.configuration import ExperimentSettings
from envplatform.trajectories import Trajectory, Verdict, funnel, verdicts
from envplatform.trajectories.rows import (
    REJECTED,
    RejectedTrajectory,
    ValidTrajectory,
    rejected_row,
    valid_row,
)
from resources.configuration import ConfigurationResource


@batch_asset(
    group="trajectories",
    row_type=ValidTrajectory,
    revision=1,
    partitions=experiment,
    deps=[
        Upstream(
            asset=rollouts, mapping=dg.AllPartitionMapping(), named=where_it_selects
        )
    ],
    sources=standards_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def valid_trajectories(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """Rollouts with a whole record, the wanted outcome, true claims and recovery.

    All others are kept beside with every reason there is against them. Empty where the
    experiment selects nothing.
    """
    for name in batch.partitions:
        settings = experiment_of(configuration.load(), name)
        if settings is None:
            keep_aside(batch, REJECTED, name, (), row_type=RejectedTrajectory)
            note = why_nothing(configuration.load(), name)
            yield name, PartitionResult(rows=(), metadata={"empty because": note})
            continue
        valid: list[ValidTrajectory] = []
        rejected: list[RejectedTrajectory] = []
        judged: list[Verdict] = []
        of_batch: dict[str, str] = {}
        for one, verdict in verdicts(
            _all_of(batch, settings, of_batch), standards_of(settings)
        ):
            judged.append(verdict)
            where = of_batch[one.trajectory_id]
            if verdict.is_valid:
                valid.append(valid_row(one, where))
            else:
                rejected.append(rejected_row(one, where, verdict))
        keep_aside(batch, REJECTED, name, rejected, row_type=RejectedTrajectory)
        yield (
            name,
            PartitionResult(
                rows=valid,
                metadata={"rollouts": len(judged), "valid": len(valid)},
                markdown=validity_pictures(funnel(judged), rejected),
            ),
        )


def _all_of(
    batch: Batch[None], settings: ExperimentSettings, of_batch: dict[str, str]
) -> Iterator[Trajectory]:
    """Read the rollouts of an experiment one by one, noting the batch of each."""
    inputs = batch.current.recipe.inputs if batch.current else ()
    for part in inputs:
        if settings.batches and part.partition not in settings.batches:
            continue
        for one in batch.scan(Trajectory, "rollouts", only=[part.partition]):
            of_batch[one.trajectory_id] = part.partition or ""
            yield one
