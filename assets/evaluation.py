"""Group `evaluation`: how often solvers solve tasks, and one batch against another.

The arithmetic is in `envplatform.evaluation`, what decides the rows in
`evaluation_recipes.py`, drawing them in `evaluation_pictures.py`.
"""

from collections import Counter

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.beside import keep_aside
from assets.bugs import swe_environments
from assets.cowork import cowork_environments
from assets.evaluation_pictures import comparison_pictures, score_pictures
from assets.evaluation_recipes import (
    check_sides,
    comparison_sources,
    evaluation_of,
    scoring_sources,
    sorted_rollouts,
    tasks_in,
)
from assets.levels import res_lineages
from assets.lineages import seed_environments
from assets.partitions import experiment
from assets.rollouts import rollouts
from envplatform.configuration import ComparisonSettings, EvaluationSettings
from envplatform.evaluation import compared, rates
from envplatform.evaluation.attempts import SetAside
from envplatform.evaluation.compared import ComparedRow, compared_rows
from envplatform.evaluation.contrast import paired_attempts, side_of
from envplatform.evaluation.rates import RateRow, Scoring, rate_rows, solvers_of
from resources.configuration import ConfigurationResource

SET_ASIDE = "set_aside_attempts"
"""Table of rollouts that say nothing of their solvers, beside `benchmark_scores`."""
NOTHING_COMPARED = "no [evaluation.{name}.compare] in envplatform.toml"


def _all_of(asset: dg.AssetsDefinition, *, optional: bool = True) -> Upstream:
    return Upstream(asset=asset, mapping=dg.AllPartitionMapping(), optional=optional)


_READ = [
    *map(
        _all_of,
        (swe_environments, seed_environments, cowork_environments, res_lineages),
    ),
    _all_of(rollouts, optional=False),
]


@batch_asset(
    group="evaluation",
    row_type=RateRow,
    revision=rates.REVISION,
    partitions=experiment,
    deps=_READ,
    sources=scoring_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def benchmark_scores(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """How often each solver solves its tasks: Pass@1, Pass@k, Pass^k, and how sure that is.

    By pillar, scenario and depth, with the tasks that all or none solved. What says
    nothing of a solver is kept beside with its reason and never scored.
    """
    for name in batch.partitions:
        yield name, _scored(batch, name, evaluation_of(configuration.load(), name))


@batch_asset(
    group="evaluation",
    row_type=ComparedRow,
    revision=compared.REVISION,
    partitions=experiment,
    deps=_READ,
    sources=comparison_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def paired_evaluation(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """One batch of rollouts held against another over the same tasks, protocol and seeds.

    Original against transformed environments, before against after training, or harness
    against harness. Empty where the experiment compares nothing.
    """
    for name in batch.partitions:
        settings = evaluation_of(configuration.load(), name)
        if settings.compare is None:
            note = NOTHING_COMPARED.format(name=name)
            yield name, PartitionResult(rows=(), notes=(note,))
        else:
            check_sides(configuration.load(), batch.store, settings.compare)
            yield name, _compared(batch, settings, settings.compare)


def _scored(
    batch: Batch[None], name: str, settings: EvaluationSettings
) -> PartitionResult:
    tasks = tasks_in(batch)
    sorting = sorted_rollouts(batch, tasks, settings.batches)
    scoring = Scoring(
        reward=settings.reward,
        ks=tuple(sorted({1, *settings.ks})),
        seed=settings.seed,
        draws=settings.draws,
    )
    rows = rate_rows(sorting.attempts, tasks, scoring)
    keep_aside(batch, SET_ASIDE, name, sorting.aside, row_type=SetAside)
    whole = rows[0] if rows else None
    return PartitionResult(
        rows=rows,
        metadata={
            "attempts": len(sorting.attempts),
            "set aside": len(sorting.aside),
            "tasks": whole.tasks if whole else 0,
            "lineages": whole.lineages if whole else 0,
            "solvers": len(solvers_of(rows)),
            "solved by all": whole.by_all if whole else 0,
            "solved by none": whole.by_none if whole else 0,
            "solved from a reward of": settings.reward,
        },
        markdown=score_pictures(rows, Counter(one.reason for one in sorting.aside)),
    )


def _compared(
    batch: Batch[None], settings: EvaluationSettings, compare: ComparisonSettings
) -> PartitionResult:
    tasks = tasks_in(batch)
    attempts = sorted_rollouts(batch, tasks, (compare.before, compare.after)).attempts
    before = side_of(attempts, compare.before, compare.before_policy)
    after = side_of(attempts, compare.after, compare.after_policy)
    pairing = paired_attempts(before, after, tasks, compare.kind)
    rows = compared_rows(
        pairing.pairs, kind=compare.kind, reward=settings.reward, seed=settings.seed
    )
    whole = rows[0]
    sure = {} if whole.low is None else {"low": whole.low, "high": whole.high or 0.0}
    return PartitionResult(
        rows=rows,
        metadata={
            "compared": whole.after,
            "held_against": whole.before,
            "kind": compare.kind,
            "tasks": whole.tasks,
            "lineages": whole.lineages,
            "pairs": whole.pairs,
            "without a partner": len(pairing.unpaired),
            "difference": whole.difference,
            **sure,
        },
        markdown=comparison_pictures(rows, pairing.unpaired),
    )
