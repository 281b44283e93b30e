"""Group `trajectories`: what the student says of each valid trajectory, as sums.

The student is loaded in a process of its own; no torch in this one.
"""

from collections import Counter
from collections.abc import Iterator

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.partitions import experiment
from assets.pictures import counts_table
from assets.rollout_recipes import experiment_of, where_it_selects, why_nothing
from assets.rollouts import rollouts
from assets.score_recipes import order_of, score_sources
from assets.validity import valid_trajectories
from envplatform.configuration import EMBEDDED_STUDENT, StudentSettings
from envplatform.errors import StoreError
from envplatform.learning.conversation import Conversation, conversation_of
from envplatform.learning.scorer import score_trajectories
from envplatform.trajectories import Trajectory, TrajectoryScore
from envplatform.trajectories.rows import ValidTrajectory
from resources.configuration import ConfigurationResource

NO_STUDENT = "no [selection.{name}.student] in envplatform.toml: nothing is scored"
PLUMBING = "the embedded model proves the plumbing; its scores are no evidence"


@batch_asset(
    group="trajectories",
    row_type=TrajectoryScore,
    revision=1,
    partitions=experiment,
    deps=[
        valid_trajectories,
        Upstream(
            asset=rollouts, mapping=dg.AllPartitionMapping(), named=where_it_selects
        ),
    ],
    sources=score_sources,
    pool="gpu",
    kinds=frozenset({"parquet", "pytorch"}),
    owners=owners.TRAJECTORIES,
)
def trajectory_scores(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """Surprisal and ranks of the agent's tokens under the student that is to be trained.

    One row a valid trajectory; one that the student can't read says why. Empty without
    a student, or where the experiment selects nothing.
    """
    for name in batch.partitions:
        settings = experiment_of(configuration.load(), name)
        if settings is None:
            note = why_nothing(configuration.load(), name)
            yield name, PartitionResult(rows=(), metadata={"empty because": note})
            continue
        student = settings.student
        if student is None:
            note = NO_STUDENT.format(name=name)
            yield name, PartitionResult(rows=(), notes=(note,))
        else:
            yield name, _scored(batch, student)


def _scored(batch: Batch[None], student: StudentSettings) -> PartitionResult:
    with score_trajectories(_conversations(batch), order_of(student)) as scoring:
        rows = list(scoring.scores)
        record = scoring.student
    skipped = Counter(row.skipped for row in rows if row.skipped)
    return PartitionResult(
        rows=rows,
        metadata={
            "scored": len(rows) - skipped.total(),
            "skipped": skipped.total(),
            "tokens": sum(row.tokens for row in rows),
            "student": record.name,
            "student digest": record.digest,
            "dtype": record.dtype,
            "device": record.device,
            "attention": record.attention,
            "torch": record.torch,
            "transformers": record.transformers,
        },
        markdown={"skipped reasons": counts_table(skipped, of="reason")}
        if skipped
        else {},
        notes=(PLUMBING,) if student.model == EMBEDDED_STUDENT else (),
    )


def _conversations(batch: Batch[None]) -> Iterator[Conversation]:
    """The valid trajectories of the experiment, batch by batch.

    Raises:
        StoreError: some are in no batch any more.
    """
    rows = batch.rows(ValidTrajectory, "valid_trajectories")
    wanted = {(row.batch, row.trajectory_id) for row in rows}
    for name in sorted({row.batch for row in rows}):
        for one in batch.scan(Trajectory, "rollouts", only=[name]):
            if (name, one.trajectory_id) in wanted:
                wanted.remove((name, one.trajectory_id))
                yield conversation_of(one)
    if wanted:
        where, missing = min(wanted)
        msg = (
            f"{len(wanted)} valid trajectories are in no batch any more, such as "
            f"{missing!r} of {where!r}: materialise valid_trajectories again"
        )
        raise StoreError(msg)
