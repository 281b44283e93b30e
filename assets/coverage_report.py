"""Group `cowork`: the report over all shards. The assets it sums up are in `cowork`."""

from collections import Counter
from statistics import mean

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.coverage_pictures import family_table, heat_map, quota_table
from assets.cowork import BLUEPRINTS, cowork_environments, task_blueprints
from assets.pictures import counts_table
from envplatform.bundle.row import EnvironmentRow
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.coverage import (
    REVISION,
    QuotaLine,
    family_lines,
    matrix,
    quota_lines,
    repeats,
)
from envplatform.cowork.rows import FINDINGS, SHAPES, FindingRow, ShapeRow
from envplatform.cowork.taxonomy import taxonomy
from envplatform.store import Fact

ENVIRONMENTS = "cowork_environments"


@batch_asset(
    group="cowork",
    row_type=QuotaLine,
    revision=REVISION,
    deps=[task_blueprints, cowork_environments],
    kinds=frozenset({"parquet"}),
    owners=owners.COWORK,
)
def coverage_report(batch: Batch[None]) -> PartitionResults:
    """What there is of each scenario and capability against its quota, and how alike.

    Rows are quotas; pictures and figures stand beside: heat map, families, findings, kill
    rates, near-duplicates.
    """
    for whole in batch.partitions:
        planned = batch.rows(Blueprint, BLUEPRINTS)
        rows = batch.rows(EnvironmentRow, ENVIRONMENTS)
        ids = {row.candidate_id for row in rows}
        accepted = [one for one in planned if one.blueprint_id in ids]
        quotas = quota_lines(accepted, taxonomy())
        findings = Counter(
            one.kind for one in batch.store.all_rows(FindingRow, FINDINGS)
        )
        shapes = [
            one
            for one in batch.store.all_rows(ShapeRow, SHAPES)
            if one.blueprint_id in ids
        ]
        alike = repeats(shapes)
        yield (
            whole,
            PartitionResult(
                rows=quotas,
                metadata=_facts(planned, rows, quotas, len(alike)),
                markdown={
                    "heat map": heat_map(matrix(accepted)),
                    "quotas": quota_table(quotas),
                    "families": family_table(family_lines(planned, ids)),
                    "findings": counts_table(
                        dict(findings.most_common()), of="finding"
                    ),
                },
            ),
        )


def _facts(
    planned: list[Blueprint],
    rows: list[EnvironmentRow],
    quotas: tuple[QuotaLine, ...],
    alike: int,
) -> dict[str, Fact]:
    facts: dict[str, Fact] = {
        "planned": len(planned),
        "accepted": len(rows),
        "families": len({row.family for row in rows}),
        "quotas met": sum(one.is_met for one in quotas),
        "quotas missed": ", ".join(one.name for one in quotas if not one.is_met),
        "near-duplicates": alike,
        "near-duplicate rate": round(alike / len(rows), 4) if rows else 0.0,
    }
    for title, rates in (
        ("kill rate, criteria", [row.kill_rate_criteria for row in rows]),
        ("kill rate, generic", [row.kill_rate_generic for row in rows]),
    ):
        known = [rate for rate in rates if rate is not None]
        if known:
            facts[title] = round(mean(known), 4)
    return facts
