"""Group `trajectories`: which of the valid trajectories are kept.

Arithmetic over rows; the rules are in `envplatform.trajectories`.
"""

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.partitions import experiment
from assets.rollout_recipes import (
    cut_of,
    experiment_of,
    selection_sources,
    why_nothing,
)
from assets.scores import trajectory_scores
from assets.selection_pictures import selection_pictures
from assets.validity import valid_trajectories
from envplatform.configuration import ExperimentSettings
from envplatform.trajectories import (
    Arm,
    Chosen,
    TrajectoryScore,
    candidates,
    control,
    select,
)
from envplatform.trajectories.rows import (
    SelectedTrajectory,
    ValidTrajectory,
    selected_row,
)
from envplatform.trajectories.selection import Valid
from resources.configuration import ConfigurationResource


@batch_asset(
    group="trajectories",
    row_type=SelectedTrajectory,
    revision=1,
    partitions=experiment,
    deps=[valid_trajectories, Upstream(asset=trajectory_scores, optional=True)],
    sources=selection_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def selected_trajectories(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """The best part of the valid trajectories in each bin of length, and a control.

    A student's scores decide where the metric is `nll` or `rsr`. Empty where the
    experiment selects nothing.
    """
    for name in batch.partitions:
        settings = experiment_of(configuration.load(), name)
        if settings is None:
            note = why_nothing(configuration.load(), name)
            yield name, PartitionResult(rows=(), metadata={"empty because": note})
            continue
        rows = batch.rows(ValidTrajectory, "valid_trajectories")
        yield name, _selected(rows, _scores(batch), settings)


def _scores(batch: Batch[None]) -> list[TrajectoryScore]:
    name = trajectory_scores.key.to_user_string()
    inputs = batch.current.recipe.inputs if batch.current else ()
    if name not in {part.asset for part in inputs}:
        return []
    return batch.rows(TrajectoryScore, name)


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
        markdown=selection_pictures(valid, scores, settings, found, chosen),
    )
