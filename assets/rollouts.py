"""Group `trajectories`: agents in environments, batch by batch.

What decides the rows is in `rollout_recipes.py`, running a batch in `rollout_bench.py`;
judging what came of it in `validity.py`, scoring in `scores.py`, selecting in
`selection.py`.
"""

import dagster as dg

from assets import owners
from assets.batch import Batch, PartitionResults, Upstream, batch_asset
from assets.bugs import swe_environments
from assets.cowork import cowork_environments
from assets.levels import res_lineages
from assets.lineages import seed_environments
from assets.partitions import rollout_batch
from assets.rollout_bench import RolloutBench
from assets.rollout_recipes import batch_sources, rollout_code
from assets.rollout_tally import is_whole
from assets.sandbox_runs import SANDBOX_RUNS
from envplatform.rollout.plan import REVISION
from envplatform.trajectories import Trajectory
from resources.configuration import ConfigurationResource
from resources.models import ChatModelResource
from resources.sandbox import SandboxResource
from resources.seeds import SeedsResource


def _any_of(asset: dg.AssetsDefinition) -> Upstream:
    return Upstream(asset=asset, mapping=dg.AllPartitionMapping(), optional=True)


@batch_asset(
    group="trajectories",
    row_type=Trajectory,
    revision=REVISION,
    partitions=rollout_batch,
    deps=[
        _any_of(asset)
        for asset in (
            swe_environments,
            seed_environments,
            cowork_environments,
            res_lineages,
        )
    ],
    sources=batch_sources,
    tools=rollout_code,
    holds=is_whole,
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def rollouts(
    batch: Batch[None],
    sandbox: SandboxResource,
    seeds: SeedsResource,
    chat_model: ChatModelResource,
    configuration: ConfigurationResource,
) -> PartitionResults:
    """One policy in many environments: everything said, done, spent and scored.

    Each rollout is stored as it ends; a run goes on where an earlier one stopped.
    """
    bench = RolloutBench(
        batch=batch,
        configuration=configuration.load(),
        provider=sandbox.open(),
        seeds=seeds,
        chat_model=chat_model,
    )
    for name in batch.partitions:
        yield name, bench.partition(name)
