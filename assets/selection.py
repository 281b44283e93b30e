"""Group `trajectories`: which rollouts are fit for training, and which of those are kept.

Arithmetic over rows; the rules are in `envplatform.trajectories`.
"""

from collections.abc import Iterator

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.beside import keep_aside
from assets.partitions import experiment
from assets.rollout_recipes import (
    SCORES,
    cut_of,
    experiment_of,
    selection_sources,
    standards_of,
    standards_sources,
)
from assets.rollouts import rollouts
from assets.selection_pictures import selection_pictures, validity_pictures
from envplatform.configuration import ExperimentSettings
from envplatform.store import Store
from envplatform.trajectories import (
    Arm,
    Chosen,
    Trajectory,
    TrajectoryScore,
    Verdict,
    candidates,
    control,
    funnel,
    select,
    verdicts,
)
from envplatform.trajectories.rows import (
    REJECTED,
    RejectedTrajectory,
    SelectedTrajectory,
    ValidTrajectory,
    rejected_row,
    selected_row,
    valid_row,
)
from envplatform.trajectories.selection import Valid
from resources.configuration import ConfigurationResource


@batch_asset(
    group="trajectories",
    row_type=ValidTrajectory,
    revision=1,
    partitions=experiment,
    deps=[Upstream(asset=rollouts, mapping=dg.AllPartitionMapping())],
    sources=standards_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def valid_trajectories(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """Rollouts with a whole record, the wanted outcome, true claims and recovery.

    All others are kept beside with every reason there is against them.
    """
    for name in batch.partitions:
        settings = experiment_of(configuration.load(), name)
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


@batch_asset(
    group="trajectories",
    row_type=SelectedTrajectory,
    revision=1,
    partitions=experiment,
    deps=[valid_trajectories],
    sources=selection_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def selected_trajectories(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """The best part of the valid trajectories in each bin of length, and a control.

    A student's scores decide where the metric is `nll` or `rsr`.
    """
    for name in batch.partitions:
        settings = experiment_of(configuration.load(), name)
        rows = batch.rows(ValidTrajectory, "valid_trajectories")
        yield name, _selected(rows, _scores(batch.store, name), settings)


def _scores(store: Store, name: str) -> list[TrajectoryScore]:
    if store.manifest(SCORES, name) is None:
        return []
    return store.rows(TrajectoryScore, SCORES, name)


def _selected(
    rows: list[ValidTrajectory],
    scores: list[TrajectoryScore],
    settings: ExperimentSettings,
) -> PartitionResult:
    metric, cut = settings.metric, cut_of(settings)
    valid = [
        Valid(trajectory_id=one.trajectory_id, reward=one.reward, length=one.characters)
        for one in rows
    ]
    found = (
        candidates(valid, scores, metric=metric, seed=settings.seed) if valid else ()
    )
    chosen, drawn = select(found, cut), control(found, cut, seed=settings.seed)
    of_batch = {one.trajectory_id: one.batch for one in rows}
    arms: dict[Arm, tuple[Chosen, ...]] = {"selected": chosen, "control": drawn}
    kept = [
        selected_row(
            one, batch=of_batch[one.candidate.trajectory_id], arm=arm, metric=metric
        )
        for arm, several in arms.items()
        for one in several
    ]
    return PartitionResult(
        rows=kept,
        metadata={
            "valid": len(rows),
            "with a value": len(found),
            "selected": len(chosen),
            "metric": f"{metric}, {cut.better} is better",
        },
        markdown=selection_pictures(valid, scores, settings, chosen),
    )
