"""Group `fixes`: from published fixes to supervision for a bug inducer.

Each body calls the library and returns rows and figures; how it is done stands in
`envplatform/swe/fixes`. Which partitions there are is kept by `key_sensors.py`.
"""

from collections import Counter
from typing import Any

import dagster as dg

from assets import owners
from assets.batch import (
    Batch,
    PartitionResult,
    PartitionResults,
    Upstream,
    batch_asset,
)
from assets.beside import keep_aside
from assets.fix_keys import CORPUS
from assets.fix_recipes import (
    QUARANTINED,
    InCorpus,
    curation,
    held_out_sets,
    history_place,
    reversal,
    sampling,
    source_digests,
    source_order,
)
from assets.partitions import fix_repo
from assets.pictures import (
    Pictures,
    counts_table,
    funnel_table,
    kept_table,
    source_table,
    spread,
)
from envplatform.configuration import CurationSettings, SamplingSettings
from envplatform.swe.fixes import reverse
from envplatform.swe.fixes.corpus import REVISION as GATHERING
from envplatform.swe.fixes.corpus import gather
from envplatform.swe.fixes.curation.curate import REVISION as CURATING
from envplatform.swe.fixes.curation.curate import curate, funnel
from envplatform.swe.fixes.curation.held_out import load_held_out
from envplatform.swe.fixes.curation.sampling import REVISION as SAMPLING
from envplatform.swe.fixes.curation.sampling import describe, sample
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.reverse_patch import (
    CuratedPatch,
    ReversePatch,
    TrainingRow,
)
from envplatform.swe.fixes.training import REVISION as TRAINING
from envplatform.swe.fixes.training import training_rows
from envplatform.swe.inducers.mined import BugPattern
from envplatform.swe.inducers.mined.mining import REVISION as MINING
from envplatform.swe.inducers.mined.mining import mine
from resources.fixes import FixesResource

TABLE_RUNS = dg.BackfillPolicy.multi_run(max_partitions_per_run=100)
"""Repositories in one run: runs of a backfill share the cores between them."""


@batch_asset(
    group="fixes",
    row_type=FixInstance,
    revision=GATHERING,
    settings=source_order,
    sources=source_digests,
    part_by="repository",
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def fix_corpus(batch: Batch[Any], fixes: FixesResource) -> PartitionResults:
    """Published fixes from every configured source, in one schema, none twice."""
    for whole in batch.partitions:
        with gather(fixes.sources(), folder=fixes.cache) as corpus:
            bad = corpus.quarantined
            keep_aside(batch, QUARANTINED, None, bad, row_type=QuarantinedRow)
            reasons = Counter(row.reason for row in bad)
            yield (
                whole,
                PartitionResult(
                    rows=corpus.rows(),
                    metadata={
                        "repositories": corpus.repositories,
                        "duplicates": sum(one.duplicates for one in corpus.sources),
                        "quarantined": len(bad),
                    },
                    markdown={
                        "sources": source_table(corpus.sources),
                        "quarantine": counts_table(dict(reasons.most_common())),
                    },
                ),
            )


@batch_asset(
    group="fixes",
    row_type=ReversePatch,
    revision=reverse.REVISION,
    partitions=fix_repo,
    deps=[Upstream(asset=fix_corpus, by_part=True)],
    sources=history_place,
    tools=reversal,
    backfill_policy=TABLE_RUNS,
    kinds=frozenset({"git", "parquet"}),
    owners=owners.SWE,
)
def reverse_patches(batch: Batch[None], fixes: FixesResource) -> PartitionResults:
    """Each fix turned around: a fresh diff from the correct files to the bug."""
    results = batch.store.results("fix_analysis")
    for repository in batch.partitions:
        tally = reverse.Tally()
        with fixes.histories(repository) as history:
            instances = batch.scan(FixInstance, CORPUS)
            rows = reverse.reverse(instances, history, results)
            yield (
                repository,
                PartitionResult(
                    rows=tally.watch(rows),
                    metadata=tally.facts,
                    markdown=Pictures(tally),
                ),
            )


@batch_asset(
    group="fixes",
    row_type=CuratedPatch,
    revision=CURATING,
    deps=[fix_corpus, reverse_patches],
    settings=curation,
    sources=held_out_sets,
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def curated_reverse_patches(batch: Batch[CurationSettings]) -> PartitionResults:
    """The verdict on every reverse patch: kept, or the first reason against it."""
    for whole in batch.partitions:
        corpus, held_out = InCorpus(batch), load_held_out(batch.settings)
        rows = list(curate(corpus.facts, batch.settings, held_out))
        kept = [row for row in rows if not row.rejection]
        yield (
            whole,
            PartitionResult(
                rows=rows,
                metadata={
                    "corpus": len(corpus),
                    "not turned around yet": corpus.missing,
                    "refused": corpus.refusals.total(),
                    "rejected": len(rows) - len(kept),
                    "kept": len(kept),
                    "repositories": len({row.repository for row in kept}),
                },
                markdown={
                    "funnel": funnel_table(corpus.refusals, funnel(rows)),
                    "sources": kept_table(corpus.sources, kept),
                    "bug types": spread(row.bug_type for row in kept),
                },
            ),
        )


@batch_asset(
    group="fixes",
    row_type=TrainingRow,
    revision=SAMPLING + TRAINING,
    deps=[reverse_patches, curated_reverse_patches],
    settings=sampling,
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def bug_training_set(batch: Batch[SamplingSettings]) -> PartitionResults:
    """Supervision drawn from what was kept: correct files in, bug-inducing diff out."""
    for whole in batch.partitions:
        curated = batch.rows(CuratedPatch, "curated_reverse_patches")
        kept = [row for row in curated if not row.rejection]
        chosen = sample(kept, batch.settings)
        rows = training_rows(
            batch.scan(ReversePatch, "reverse_patches"),
            {one.instance_id: one for one in chosen},
        )
        yield (
            whole,
            PartitionResult(
                rows=rows,
                metadata=describe(chosen, kept),
                markdown={
                    "bug types": spread(one.bug_type for one in chosen),
                    "context tokens": spread(one.length for one in chosen),
                },
            ),
        )


@batch_asset(
    group="fixes",
    row_type=BugPattern,
    revision=MINING,
    deps=[bug_training_set],
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def mined_patterns(batch: Batch[None]) -> PartitionResults:
    """Edit patterns generalised from the training rows, for the `mined` inducer."""
    for whole in batch.partitions:
        rows = batch.scan(TrainingRow, "bug_training_set")
        library = mine(row for row in rows if row.split == "train")
        several = sum(pattern.repositories > 1 for pattern in library.patterns)
        yield (
            whole,
            PartitionResult(
                rows=library.patterns,
                metadata={"of several repositories": several},
                markdown={
                    "bug types": spread(each.bug_type for each in library.patterns)
                },
            ),
        )
