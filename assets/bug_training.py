"""Group `bugs`: adapters that learned from reversed fixes how bugs are made.

The models are loaded in processes of their own; no torch in this one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.bug_training_recipes import (
    bug_model_order,
    bug_model_sources,
    serving_order,
    shortest,
)
from assets.fixes import bug_training_set
from assets.partitions import experiment
from assets.patterns import bug_patterns
from assets.pictures import counts_table
from assets.trained import new_place, published, trained
from envplatform.configuration import BugModelSettings
from envplatform.learning.likelihood.held_out import HeldOut, held_out, likelihoods
from envplatform.learning.training.checkpoint import Checkpoint
from envplatform.learning.training.published import CheckpointRow, holds_checkpoints
from envplatform.learning.training.rows import CompletionRow, write_completions
from envplatform.swe.fixes.patterns.annotate import AnnotatedPattern
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.learned.supervision import REVISION as SUPERVISING
from envplatform.swe.inducers.learned.supervision import Supervision, SupervisionRow
from resources.configuration import ConfigurationResource
from resources.trainer import TrainerResource

NOTHING = "no [bug_models.{name}] in envplatform.toml: nothing is trained"


@batch_asset(
    group="bugs",
    row_type=CheckpointRow,
    revision=SUPERVISING,
    partitions=experiment,
    deps=[bug_training_set],
    sources=bug_model_sources,
    holds=holds_checkpoints,
    pool="gpu",
    kinds=frozenset({"pytorch", "huggingface"}),
    owners=owners.SWE,
)
def bug_model(
    batch: Batch[None],
    configuration: ConfigurationResource,
    trainer: TrainerResource,
) -> PartitionResults:
    """A LoRA adapter that reads a correct file and writes a diff that makes a bug.

    Empty where no [bug_models] table has the partition's name.
    """
    for name in batch.partitions:
        settings = configuration.load().bug_models.experiments.get(name)
        if settings is None:
            yield name, PartitionResult(rows=(), notes=(NOTHING.format(name=name),))
            continue
        supervision = Supervision(settings.shown_characters)
        rows = supervision.of_bugs(batch.scan(TrainingRow, "bug_training_set"))
        yield (
            name,
            _trained(
                batch, trainer, settings, list(rows), supervision, kind="bug_model"
            ),
        )


@batch_asset(
    group="bugs",
    row_type=CheckpointRow,
    revision=SUPERVISING,
    partitions=experiment,
    deps=[bug_training_set, bug_patterns],
    sources=bug_model_sources,
    holds=holds_checkpoints,
    pool="gpu",
    kinds=frozenset({"pytorch", "huggingface"}),
    owners=owners.SWE,
)
def pattern_model(
    batch: Batch[None],
    configuration: ConfigurationResource,
    trainer: TrainerResource,
) -> PartitionResults:
    """A LoRA adapter that reads a correct file and describes a change, in six fields.

    Empty where no [bug_models] table has the partition's name.
    """
    for name in batch.partitions:
        settings = configuration.load().bug_models.experiments.get(name)
        if settings is None:
            yield name, PartitionResult(rows=(), notes=(NOTHING.format(name=name),))
            continue
        patterns = batch.rows(AnnotatedPattern, "bug_patterns")
        supervision = Supervision(settings.shown_characters)
        rows = supervision.of_patterns(
            batch.scan(TrainingRow, "bug_training_set"),
            {row.instance_id: row.text for row in patterns},
        )
        writers = {row.model for row in patterns if row.annotator == "model"}
        yield (
            name,
            _trained(
                batch,
                trainer,
                settings,
                list(rows),
                supervision,
                kind="pattern_model",
                writers=sorted(name for name in writers if name),
            ),
        )


def _trained(  # noqa: PLR0913  what both assets have
    batch: Batch[None],
    trainer: TrainerResource,
    settings: BugModelSettings,
    rows: Sequence[SupervisionRow],
    supervision: Supervision,
    *,
    kind: str,
    writers: Iterable[str] = (),
) -> PartitionResult:
    """Train on the repositories of the training split, measure on the others."""
    given = shortest((row for row in rows if row.split == "train"), settings.rows)
    kept_back = shortest(
        (row for row in rows if row.split == "validation"), settings.held_out_rows
    )
    facts = {
        "repositories": str(len({row.repository for row in given})),
        "held-out repositories": str(len({row.repository for row in kept_back})),
    }

    place = new_place(batch.store, kind)
    write_completions(place, map(completion_of, given))
    order = replace(
        bug_model_order(settings, place), writers=tuple(writers), facts=facts
    )
    found = trained(batch.store, trainer, order)
    result = published(found, settings)
    measured = _measured(settings, found, kept_back)
    return replace(
        result,
        metadata={**result.metadata, **facts, **_told(measured)},
        markdown={
            **result.markdown,
            "fixes that give no row": counts_table(
                {str(why): count for why, count in supervision.unused.items()},
                of="reason",
            ),
        },
    )


def completion_of(row: SupervisionRow) -> CompletionRow:
    """Return a row as trainers take it."""
    return CompletionRow(
        row_id=row.row_id,
        prompt=row.prompt,
        completion=row.completion,
        system=row.system,
    )


def _measured(
    settings: BugModelSettings, found: Checkpoint, rows: Sequence[SupervisionRow]
) -> HeldOut:
    if not rows:
        return held_out(())
    order = serving_order(settings, found, name="held out")
    given = [completion_of(row) for row in rows]
    return held_out(likelihoods(order, given, max_length=settings.max_length))


def _told(measured: HeldOut) -> dict[str, int | float]:
    figures: dict[str, int | float] = {"held-out rows": measured.rows}
    if isfinite(measured.before) and isfinite(measured.after):
        figures["held-out nats a token, before"] = round(measured.before, 4)
        figures["held-out nats a token, after"] = round(measured.after, 4)
    return figures
