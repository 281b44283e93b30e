"""Group `cowork`: from blueprints to gated environments with users inside.

Each body calls the library and returns rows and figures. Which partitions there are is
kept by `key_sensors.py`; the material is `library.py`'s, the report
`coverage_report.py`'s.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import mean
from typing import Any

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.beside import environments_are_kept, keep_aside
from assets.cowork_makers import making
from assets.cowork_recipes import (
    drawable,
    library_of,
    making_code,
    making_settings,
    shard_of,
    shard_settings,
)
from assets.library import resource_library
from assets.partitions import cowork_seed
from assets.pictures import counts_table
from assets.sandbox_runs import SANDBOX_RUNS, fallbacks
from envplatform.bundle.row import EnvironmentRow
from envplatform.cowork.blueprint import Blueprint, plan_shard
from envplatform.cowork.keeping import make_shard
from envplatform.cowork.library import LIBRARY, ResourceRow
from envplatform.cowork.rows import (
    FINDINGS,
    REJECTED,
    SHAPES,
    FindingRow,
    KeptOutcome,
    RejectedRow,
    ShapeRow,
)
from envplatform.cowork.workshop import REVISION
from envplatform.store import Fact
from resources.configuration import ConfigurationResource
from resources.models import ChatModelResource
from resources.sandbox import SandboxResource

BLUEPRINTS = "task_blueprints"


@batch_asset(
    group="cowork",
    row_type=Blueprint,
    revision=1,
    partitions=cowork_seed,
    deps=[resource_library],
    settings=shard_settings,
    tools=making_code,
    backfill_policy=SANDBOX_RUNS,  # a job has one policy for all that it runs
    kinds=frozenset({"parquet"}),
    owners=owners.COWORK,
)
def task_blueprints(
    batch: Batch[dict[str, Any]], configuration: ConfigurationResource
) -> PartitionResults:
    """What each shard is to hold: families in turn, so that the quotas are met.

    A partition is a random seed. Families that need material which the library has not
    got are left out, and named.
    """
    settings = configuration.load().cowork
    for name in batch.partitions:
        library = library_of(batch.rows(ResourceRow, LIBRARY), batch.store)
        found, left_out = drawable(settings, library)
        rows = plan_shard(int(name), settings.environments_per_seed, found)
        yield (
            name,
            PartitionResult(
                rows=rows,
                metadata={
                    "families": len(found),
                    "left out": ", ".join(left_out),
                    "with a user": sum(one.pattern != "single_turn" for one in rows),
                },
                markdown={
                    "scenarios": counts_table(
                        Counter(one.scenario for one in rows), of="scenario"
                    )
                },
            ),
        )


@batch_asset(
    group="cowork",
    row_type=EnvironmentRow,
    revision=REVISION,
    partitions=cowork_seed,
    deps=[Upstream(asset=resource_library), task_blueprints],
    settings=making_settings,
    tools=making_code,
    holds=environments_are_kept,
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"harbor"}),
    owners=owners.COWORK,
)
def cowork_environments(
    batch: Batch[dict[str, Any]],
    configuration: ConfigurationResource,
    sandbox: SandboxResource,
    chat_model: ChatModelResource,
) -> PartitionResults:
    """Built, verified by somebody who did not see the answer, executed, revised, gated.

    An environment is stored as soon as it is made, so a run goes on where an earlier one
    stopped. What was not accepted is in `rejected_cowork`, all findings in
    `cowork_findings`.
    """
    configured = configuration.load()
    settings = configured.cowork
    for name in batch.partitions:
        library = library_of(batch.rows(ResourceRow, LIBRARY), batch.store)
        blueprints = batch.rows(Blueprint, BLUEPRINTS)
        other = sandbox.other() if settings.portability else None
        with making(configured, library, chat_model) as (makers, run):
            shard = shard_of(
                batch.store, settings, library, makers, sandbox.open(), other
            )
            kept = run(make_shard(batch.store, shard, blueprints))
        _keep_beside(batch, name, kept)
        yield (
            name,
            PartitionResult(
                rows=[one.environment for one in kept if one.environment],
                metadata=shard_facts(kept),
                markdown={"findings": _findings_table(kept)},
                notes=fallbacks(sandbox.open().info),
            ),
        )


def shard_facts(kept: Sequence[KeptOutcome]) -> dict[str, Fact]:
    """What a person wants to know of a shard at a glance."""
    rows = [one.environment for one in kept if one.environment]
    facts: dict[str, Fact] = {
        "planned": len(kept),
        "accepted": len(rows),
        "rejected": len(kept) - len(rows),
        "accepted in the first round": sum(
            one.environment is not None and one.rounds == 1 for one in kept
        ),
        "with a user": sum(row.has_user for row in rows),
        "found in all rounds": sum(len(one.findings) for one in kept),
    }
    for title, rates in (
        ("kill rate, criteria", [row.kill_rate_criteria for row in rows]),
        ("kill rate, generic", [row.kill_rate_generic for row in rows]),
    ):
        known = [rate for rate in rates if rate is not None]
        if known:
            facts[title] = round(mean(known), 4)
    return facts


def _findings_table(kept: Sequence[KeptOutcome]) -> str:
    kinds = Counter(one.kind for each in kept for one in each.findings)
    return counts_table(dict(kinds.most_common()), of="finding")


def _keep_beside(
    batch: Batch[dict[str, Any]], name: str, kept: Sequence[KeptOutcome]
) -> None:
    findings = [one for each in kept for one in each.findings]
    rejected = [one.rejected for one in kept if one.rejected]
    shapes = [
        ShapeRow(blueprint_id=one.blueprint_id, shape=one.shape)
        for one in kept
        if one.environment
    ]
    keep_aside(batch, FINDINGS, name, findings, row_type=FindingRow)
    keep_aside(batch, REJECTED, name, rejected, row_type=RejectedRow)
    keep_aside(batch, SHAPES, name, shapes, row_type=ShapeRow)
