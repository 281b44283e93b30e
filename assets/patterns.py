"""Group `fixes`: what each drawn fix changes, in words. Mined edits are in `fixes`."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.fixes import bug_training_set
from assets.pictures import counts_table, prose
from envplatform.configuration import Configuration, PatternSettings
from envplatform.llm.opening import server_of
from envplatform.store import Store
from envplatform.swe.fixes.patterns.annotate import REVISION as ANNOTATING
from envplatform.swe.fixes.patterns.annotate import (
    AnnotatedPattern,
    Annotating,
    annotate,
)
from envplatform.swe.fixes.patterns.by_model import PROMPT_REVISION
from envplatform.swe.fixes.patterns.text import FIELDS
from envplatform.swe.fixes.reverse_patch import TrainingRow
from resources.models import ChatModelResource

_SHOWN = 3
"""Patterns that the UI shows in full."""


def _pattern_settings(configuration: Configuration) -> PatternSettings:
    """`[fixes.patterns]`."""
    return configuration.fixes.patterns


def _annotators(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    """The model that tells patterns, where one does."""
    configuration = resources.configuration.load()
    if configuration.fixes.patterns.annotator == "rules":
        return {}
    model = configuration.annotator_model_or_model
    asked = " ".join([model.name, server_of(model), *sorted(model.omit)])
    return {"annotator": str(PROMPT_REVISION), "annotator model": asked}


@contextmanager
def _annotating(
    store: Store, chat_model: ChatModelResource, settings: PatternSettings
) -> Iterator[Annotating | None]:
    """Open the model that tells patterns; None where rules do."""
    if settings.annotator == "rules":
        yield None
        return
    opening = chat_model.open(
        asset="bug_patterns", purpose="pattern", role="annotator_model"
    )
    with asyncio.Runner() as runner:
        model = runner.run(opening.__aenter__())
        try:
            yield Annotating(
                model=model,
                run=runner.run,
                results=store.results("pattern"),
                clock=time.perf_counter,
                server=server_of(chat_model.settings("annotator_model")),
                answer_tokens=settings.answer_tokens,
            )
        finally:
            runner.run(opening.__aexit__(None, None, None))


@batch_asset(
    group="fixes",
    row_type=AnnotatedPattern,
    revision=ANNOTATING,
    deps=[bug_training_set],
    settings=_pattern_settings,
    tools=_annotators,
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def bug_patterns(
    batch: Batch[PatternSettings], chat_model: ChatModelResource
) -> PartitionResults:
    """What each drawn fix, turned around, changes: six fields, by a model or by rules."""
    for whole in batch.partitions:
        rows = batch.scan(TrainingRow, "bug_training_set")
        with _annotating(batch.store, chat_model, batch.settings) as asked:
            found = list(annotate(rows, asked))
        fallen = Counter(row.fallback for row in found if row.fallback)
        yield (
            whole,
            PartitionResult(
                rows=found,
                metadata={
                    "by model": sum(row.annotator == "model" for row in found),
                    "by rules": sum(row.annotator == "rules" for row in found),
                },
                markdown={
                    "examples": _examples(found[:_SHOWN]),
                    "why rules": counts_table(
                        dict(fallen.most_common()), of="the model's answer"
                    ),
                },
                notes=_notes(found),
            ),
        )


def _examples(rows: Sequence[AnnotatedPattern]) -> str:
    """One table a pattern, for people to read."""
    tables = []
    for row in rows:
        lines = [f"| {prose(row.instance_id)} | by {row.annotator} |", "|---|---|"]
        lines += [
            f"| {heading} | {prose(getattr(row.text, name))} |"
            for name, heading in FIELDS
        ]
        tables.append("\n".join(lines))
    return "\n\n".join(tables) or "none"


def _notes(rows: Sequence[AnnotatedPattern]) -> tuple[str, ...]:
    """Say it where no model was asked."""
    if any(row.model for row in rows) or not rows:
        return ()
    return ("patterns are told by rules: no model is asked to ([fixes.patterns])",)
