"""Group `lineages`: from seed tasks to gated environments that others grow from.

Each body calls the library and returns rows and figures. Which partitions there are is
kept by `key_sensors.py`.
"""

import asyncio
from typing import Any

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.beside import environments_are_kept, keep_aside
from assets.partitions import res_seed
from assets.pictures import audit_table
from assets.sandbox_runs import SANDBOX_RUNS, fallbacks
from assets.seed_recipes import portability, seed_sources, served_runtime
from envplatform.bundle.row import EnvironmentRow
from envplatform.grading.publish import (
    AUDITS,
    REFUSED,
    AuditRow,
    RefusedTask,
    audit_rows,
    publish_task,
)
from envplatform.grading.publish import REVISION as PUBLISHING
from envplatform.rollout import attending
from envplatform.store import Fact
from resources.sandbox import SandboxResource
from resources.seeds import SeedsResource


@batch_asset(
    group="lineages",
    row_type=EnvironmentRow,
    revision=PUBLISHING,
    partitions=res_seed,
    settings=portability,
    sources=seed_sources,
    tools=served_runtime,
    holds=environments_are_kept,
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"harbor"}),
    owners=owners.RES,
)
def seed_environments(
    batch: Batch[dict[str, Any]], seeds: SeedsResource, sandbox: SandboxResource
) -> PartitionResults:
    """Tasks over workspaces, by hand or imported, that passed the whole gate.

    One row a partition, or none where the gate refused it; `envplatform why` tells.
    """
    for name in batch.partitions:
        task = seeds.task(name)
        outcome = asyncio.run(
            publish_task(
                sandbox.open(),
                batch.store,
                task,
                attend=attending(),
                other=sandbox.other() if batch.settings["portability"] else None,
            )
        )
        refused = [outcome.refused] if outcome.refused else []
        keep_aside(batch, REFUSED, name, refused, row_type=RefusedTask)
        audit = audit_rows(task, outcome)
        keep_aside(batch, AUDITS, name, audit, row_type=AuditRow)
        yield (
            name,
            PartitionResult(
                rows=[outcome.row] if outcome.row else [],
                metadata=seed_facts(outcome.row, outcome.refused),
                markdown={"gate": audit_table(outcome.audit)},
                notes=fallbacks(sandbox.open().info),
            ),
        )


def seed_facts(
    row: EnvironmentRow | None, refused: RefusedTask | None
) -> dict[str, Fact]:
    """What a person wants to know of a seed at a glance."""
    if row is None:
        return {"refused": f"{refused.reason}: {refused.detail}" if refused else ""}
    rates = {
        "kill rate, criteria": row.kill_rate_criteria,
        "kill rate, generic": row.kill_rate_generic,
    }
    return {
        "environment": row.environment_id,
        "environment digest": row.digest,
        "criteria": ", ".join(row.criteria),
        "user inside": row.has_user,
        **{name: rate for name, rate in rates.items() if rate is not None},
    }
