"""Group `evaluation`: experiments with arms, played and compared.

What decides the rows is in `arm_recipes.py`, running them in `arm_bench.py`, the
comparison in `envplatform.evaluation.arms`.
"""

from typing import Any

import dagster as dg

from assets import owners
from assets.arm_bench import ArmBench
from assets.arm_pictures import arm_pictures
from assets.arm_recipes import comparison_sources, experiment_of, rollout_sources
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.beside import keep_aside
from assets.bugs import swe_environments
from assets.cowork import cowork_environments
from assets.evaluation_recipes import tasks_in
from assets.levels import res_lineages
from assets.lineages import seed_environments
from assets.on_policy import distilled_checkpoint, grpo_checkpoint
from assets.partitions import arm_experiment
from assets.rollout_recipes import rollout_code
from assets.sandbox_runs import SANDBOX_RUNS, fallbacks
from assets.training import sft_checkpoint
from envplatform.configuration import ArmExperimentSettings
from envplatform.evaluation.arms import (
    REVISION,
    ArmComparison,
    ArmRollout,
    Asked,
    compared_arms,
)
from envplatform.evaluation.attempts import SetAside
from envplatform.rollout import plan
from resources.configuration import ConfigurationResource
from resources.sandbox import SandboxResource
from resources.seeds import SeedsResource

SET_ASIDE = "set_aside_arm_rollouts"
"""Table of rollouts that say nothing of their arm, beside `arm_comparisons`."""
PLUMBING = "small models and few tasks: this shows that all of it runs, and no more"


def _all_of(asset: dg.AssetsDefinition) -> Upstream:
    return Upstream(asset=asset, mapping=dg.AllPartitionMapping(), optional=True)


_ENVIRONMENTS = [
    _all_of(asset)
    for asset in (
        swe_environments,
        seed_environments,
        cowork_environments,
        res_lineages,
    )
]


@batch_asset(
    group="evaluation",
    row_type=ArmRollout,
    revision=plan.REVISION,
    partitions=arm_experiment,
    deps=[
        *_ENVIRONMENTS,
        *map(_all_of, (sft_checkpoint, grpo_checkpoint, distilled_checkpoint)),
    ],
    sources=rollout_sources,
    tools=rollout_code,
    backfill_policy=SANDBOX_RUNS,
    pool="gpu",
    kinds=frozenset({"parquet", "pytorch"}),
    owners=owners.TRAJECTORIES,
)
def arm_rollouts(
    batch: Batch[None],
    sandbox: SandboxResource,
    seeds: SeedsResource,
    configuration: ConfigurationResource,
) -> PartitionResults:
    """What the model of each arm does in the same environments, limits and seeds.

    Each arm's checkpoint is served on this machine while it acts.
    """
    bench = ArmBench(
        batch=batch,
        configuration=configuration.load(),
        provider=sandbox.open(),
        seeds=seeds,
    )
    for name in batch.partitions:
        settings = experiment_of(configuration.load(), name)
        rows = list(bench.rollouts(name))
        yield (
            name,
            PartitionResult(
                rows=rows,
                metadata=_facts(settings, rows),
                notes=(*_notes(settings), *fallbacks(bench.provider.info)),
            ),
        )


@batch_asset(
    group="evaluation",
    row_type=ArmComparison,
    revision=REVISION,
    partitions=arm_experiment,
    deps=[*_ENVIRONMENTS, arm_rollouts],
    sources=comparison_sources,
    backfill_policy=SANDBOX_RUNS,  # a job has one policy for all that it runs
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def arm_comparisons(
    batch: Batch[None], configuration: ConfigurationResource
) -> PartitionResults:
    """Each arm held against its control over the same tasks and seeds, and how sure that is.

    By depth and as a whole, with intervals by drawing lineages.
    """
    for name in batch.partitions:
        yield name, _compared(batch, name, experiment_of(configuration.load(), name))


def _compared(
    batch: Batch[None], name: str, settings: ArmExperimentSettings
) -> PartitionResult:
    records = (
        (one.arm, one.tasks, one.record)
        for one in batch.scan(ArmRollout, "arm_rollouts", only=[name])
    )
    asked = Asked(
        pairs=settings.pairs,
        reward=settings.reward,
        seed=settings.seed,
        draws=settings.draws,
    )
    found = compared_arms(records, tasks_in(batch), asked)
    keep_aside(batch, SET_ASIDE, name, found.aside, row_type=SetAside)
    return PartitionResult(
        rows=found.rows,
        metadata={
            "question": settings.question,
            "control": settings.control,
            "arms": len(settings.arms),
            "set aside": len(found.aside),
        },
        markdown=arm_pictures(found.rows),
        notes=_notes(settings),
    )


def _facts(settings: ArmExperimentSettings, rows: list[ArmRollout]) -> dict[str, Any]:
    rewards = {
        arm: [one.trajectory.reward or 0.0 for one in rows if one.arm == arm]
        for arm in settings.arms
    }
    means = {
        f"mean reward, {arm}": sum(found) / len(found)
        for arm, found in rewards.items()
        if found
    }
    return {"question": settings.question, "rollouts": len(rows), **means}


def _notes(settings: ArmExperimentSettings) -> tuple[str, ...]:
    return (PLUMBING,) if settings.size == "plumbing" else ()
