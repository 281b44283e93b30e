"""Group `lineages`: seeds grown deeper level by level, and the same under ablations.

Each body calls the library and returns rows and figures. What decides the rows is in
`level_recipes.py`, what they must hold to in `level_checks.py`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.beside import keep_aside
from assets.level_pictures import level_facts, level_pictures
from assets.level_proposers import Run, asked_model, proposing
from assets.level_recipes import (
    ablation_settings,
    growing,
    growing_code,
    is_chosen,
    is_grown,
    lineage_settings,
    proposer_of,
    verifying,
)
from assets.lineages import seed_environments
from assets.partitions import res_seed
from assets.sandbox_runs import SANDBOX_RUNS, fallbacks
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Ablation, ResSettings
from envplatform.grading.kept import lost
from envplatform.res.growing import REVISION, Grown
from envplatform.res.kept import grow_kept, kept_root
from envplatform.res.proposers import Proposer
from envplatform.res.rows import REFUSED, LevelRow, RefusedChild
from envplatform.store import Manifest, Store
from resources.configuration import ConfigurationResource
from resources.models import ChatModelResource
from resources.sandbox import SandboxResource
from resources.seeds import SeedsResource

ROOTS = "seed_environments"
_LEFT_OUT = "[res] in envplatform.toml does not name this seed"
_REFUSED = "the gate refused this seed: `envplatform why` tells"


def levels_are_kept(store: Store, manifest: Manifest) -> bool:
    """Whether every level that a table names is in the store."""
    rows = store.rows(LevelRow, manifest.asset, manifest.partition)
    return not lost(store, [row.environment for row in rows])


def _growers(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    return {**growing_code(resources), **asked_model(resources)}


_grown = partial(
    batch_asset,
    group="lineages",
    row_type=LevelRow,
    revision=REVISION,
    partitions=res_seed,
    deps=[seed_environments],
    sources=is_chosen,
    holds=levels_are_kept,
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"harbor"}),
    owners=owners.RES,
)
"""What both ways of growing seeds have in common."""


@_grown(settings=lineage_settings, tools=_growers)
def res_lineages(
    batch: Batch[dict[str, Any]],
    seeds: SeedsResource,
    sandbox: SandboxResource,
    chat_model: ChatModelResource,
    configuration: ConfigurationResource,
) -> PartitionResults:
    """Lineages: each level an environment that is harder to get at the evidence of.

    Goal, facts and grader are the root's. A level is stored as soon as it is accepted,
    so a run goes on where an earlier one stopped.
    """
    settings = configuration.load().res
    for name in batch.partitions:
        with proposing(settings, chat_model) as (proposer, run):
            bench = _Bench(batch=batch, seeds=seeds, sandbox=sandbox, run=run)
            yield name, bench.partition(name, settings, {"composed": proposer})


@_grown(settings=ablation_settings, tools=growing_code)
def res_ablations(
    batch: Batch[dict[str, Any]],
    seeds: SeedsResource,
    sandbox: SandboxResource,
    configuration: ConfigurationResource,
) -> PartitionResults:
    """The same seeds grown otherwise: without composition, from the root, by one operator.

    What is `composed` is the lineage of `res_lineages`, for comparison.
    """
    settings = configuration.load().res
    for name in batch.partitions:
        proposers = {one: proposer_of(settings, one) for one in settings.ablations}
        bench = _Bench(batch=batch, seeds=seeds, sandbox=sandbox, run=asyncio.run)
        yield name, bench.partition(name, settings, proposers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """What both assets grow lineages with."""

    batch: Batch[dict[str, Any]]
    seeds: SeedsResource
    sandbox: SandboxResource
    run: Run

    def partition(
        self,
        name: str,
        settings: ResSettings,
        proposers: Mapping[Ablation, Proposer],
    ) -> PartitionResult:
        """Grow all lineages of one seed; none where it is left out."""
        rows = self.batch.rows(EnvironmentRow, ROOTS)
        is_wanted = is_grown(settings, name)
        grown = self._grown(rows[0], settings, proposers) if rows and is_wanted else []
        levels = [level for one in grown for level in one.levels]
        self._keep_refused(name, grown)
        if not grown:
            why = _REFUSED if is_wanted else _LEFT_OUT
            return PartitionResult(rows=levels, metadata={"left out": why})
        return PartitionResult(
            rows=levels,
            metadata=level_facts(grown),
            markdown=level_pictures(levels),
            notes=fallbacks(self.sandbox.open().info),
        )

    def _grown(
        self,
        row: EnvironmentRow,
        settings: ResSettings,
        proposers: Mapping[Ablation, Proposer],
    ) -> list[Grown]:
        store = self.batch.store
        root = kept_root(store, row, asset=ROOTS)
        image = self.seeds.image(root)
        with verifying(self.sandbox.open(), root, image, settings) as verifier:
            return [
                self.run(
                    grow_kept(
                        store,
                        growing(row, root, ablation, proposer, verifier, settings),
                    )
                )
                for ablation, proposer in proposers.items()
            ]

    def _keep_refused(self, name: str, grown: Sequence[Grown]) -> None:
        """Keep what could not be made, by ablation, so that `envplatform why` can answer."""
        refused = [child for one in grown for child in one.refused]
        ablations = {level.ablation for one in grown for level in one.levels[:1]}
        table = REFUSED if ablations <= {"composed"} else f"{REFUSED}_in_ablations"
        keep_aside(self.batch, table, name, refused, row_type=RefusedChild)
