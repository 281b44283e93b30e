"""Group `evaluation`: what everything cost. The arithmetic is in the library."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.bugs import (
    bug_candidates,
    swe_environments,
    target_repositories,
    verified_bugs,
)
from assets.cost_pictures import cost_pictures
from assets.cowork import cowork_environments, task_blueprints
from assets.levels import res_ablations, res_lineages
from assets.lineages import seed_environments
from assets.rollout_tally import FAILED
from assets.rollout_tally import REFUSED as REFUSED_ROLLOUTS
from assets.rollouts import rollouts
from assets.selection import selected_trajectories
from assets.validity import valid_trajectories
from envplatform.configuration import Configuration
from envplatform.cowork.rows import REJECTED as REJECTED_BLUEPRINTS
from envplatform.evaluation.costs import (
    REVISION,
    AssetCost,
    CostRow,
    Spent,
    cost_rows,
)
from envplatform.grading.publish import REFUSED as REFUSED_SEEDS
from envplatform.llm.ledger import Ledger
from envplatform.res.rows import REFUSED as REFUSED_CHILDREN
from envplatform.store import Cost, Store
from envplatform.store.values import digest_json
from envplatform.swe.publish import REFUSED as REFUSED_BUGS
from envplatform.swe.report import REJECTED as REJECTED_CANDIDATES
from envplatform.trajectories.rows import REJECTED as REJECTED_TRAJECTORIES

_PRICED = (
    target_repositories,
    bug_candidates,
    verified_bugs,
    swe_environments,
    seed_environments,
    res_lineages,
    res_ablations,
    task_blueprints,
    cowork_environments,
    rollouts,
    valid_trajectories,
    selected_trajectories,
)
ARTEFACTS: Mapping[str, tuple[str, ...]] = {
    "swe environment": (
        *("target_repositories", "bug_candidates", "verified_bugs"),
        "swe_environments",
    ),
    "seed environment": ("seed_environments",),
    "level of a lineage": ("res_lineages",),
    "cowork environment": ("task_blueprints", "cowork_environments"),
    "rollout": ("rollouts",),
    "valid trajectory": ("rollouts", "valid_trajectories"),
}
"""What is accepted in the end, and the assets on the way to it."""
_FAILED: Mapping[str, tuple[str, ...]] = {
    "verified_bugs": (REJECTED_CANDIDATES,),
    "swe_environments": (REFUSED_BUGS,),
    "seed_environments": (REFUSED_SEEDS,),
    "res_lineages": (REFUSED_CHILDREN,),
    "cowork_environments": (REJECTED_BLUEPRINTS,),
    "rollouts": (FAILED, REFUSED_ROLLOUTS),
    "valid_trajectories": (REJECTED_TRAJECTORIES,),
}
"""Tables of what came to nothing, beside an asset; a partition is its own."""


def ledger_of(store: Store) -> Ledger:
    """Return the ledger of all calls to models."""
    return Ledger(store.home / "models" / "ledger.jsonl")


def ledger_sources(_: Configuration, __: str, store: Store) -> dict[str, str]:
    """What the ledger holds, which runs took time, how often things came to nothing.

    A run that gave the same rows again took its time all the same.
    """
    found = {"ledger": _digest(ledger_of(store).path), "runs": _runs(store)}
    for tables in _FAILED.values():
        for table in tables:
            digests = [one.digest for one in store.manifests(table)]
            if digests:
                text = "\n".join(digests).encode()
                found[table] = hashlib.sha256(text).hexdigest()
    return found


@batch_asset(
    group="evaluation",
    row_type=CostRow,
    revision=REVISION,
    deps=[Upstream(asset=asset, optional=True) for asset in _PRICED],
    sources=ledger_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.TRAJECTORIES,
)
def cost_ledger(batch: Batch[None]) -> PartitionResults:
    """Tokens, money and seconds for each accepted artefact, by asset and by model.

    Seconds are of all runs that made a table, also of tables that were replaced since.
    Failures are part of the price: what was refused, rejected or broke off is counted
    with its asset, calls without an answer with their model.
    """
    for whole in batch.partitions:
        calls, damaged = ledger_of(batch.store).sound_rows()
        rows = cost_rows(asset_costs(batch.store), calls, ARTEFACTS)
        models = [one for one in rows if one.scope == "model"]
        metadata: dict[str, Any] = {
            "calls": sum(one.calls for one in models),
            "replayed calls": sum(one.replayed for one in models),
            "calls without an answer": sum(one.failed for one in models),
            "tokens of all calls": sum(one.tokens for one in models),
            "usd of all calls": sum(one.usd for one in models),
            "damaged lines of the ledger": len(damaged),
        }
        pictures = cost_pictures(rows)
        yield whole, PartitionResult(rows=rows, metadata=metadata, markdown=pictures)


def asset_costs(store: Store) -> list[AssetCost]:
    """Sum up what the store says of each asset, over all partitions and versions."""
    found = []
    for asset in _PRICED:
        name = asset.key.to_user_string()
        manifests = store.manifests(name)
        whole = sum((one.cost + one.earlier for one in manifests), Cost())
        failed = sum(
            one.rows
            for table in _FAILED.get(name, ())
            for one in store.manifests(table)
        )
        if manifests or failed:
            cost = AssetCost(
                asset=name,
                accepted=sum(one.rows for one in manifests),
                failed=failed,
                spent=Spent(tokens=whole.tokens, usd=whole.usd, seconds=whole.seconds),
            )
            found.append(cost)
    return found


def _runs(store: Store) -> str:
    """Digest of the runs that the tables that are priced come from."""
    return digest_json(
        [
            [one.asset, one.partition or "", one.run_id, one.created.isoformat()]
            for asset in _PRICED
            for one in store.manifests(asset.key.to_user_string())
        ]
    )


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return "none"
