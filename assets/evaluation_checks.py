"""Asset checks over evaluations. They assert; leaving rollouts out is the library's.

A failing check stops what follows, so it must mean that something is wrong with the
platform or its store, not with a solver.
"""

from collections.abc import Iterator, Sequence
from math import isfinite

import dagster as dg

from assets.costs import cost_ledger
from assets.evaluation import SET_ASIDE, benchmark_scores, paired_evaluation
from envplatform.evaluation.attempts import UNSOUND, SetAside
from envplatform.evaluation.compared import ComparedRow
from envplatform.evaluation.costs import CostRow
from resources.store import StoreResource

_TOLD = 50
_CLOSE = 1e-9


@dg.asset_check(asset=benchmark_scores, name="rollouts_are_sound", blocking=True)
def rollouts_are_sound(store: StoreResource) -> dg.AssetCheckResult:
    """No stored reward is anything but a number from 0 to 1, no solver wrote its task."""
    rows = store.open().all_rows(SetAside, SET_ASIDE)
    return result(
        [
            f"{one.batch}: {one.trajectory_id}: {one.reason.replace('_', ' ')}"
            for one in rows
            if one.reason in UNSOUND
        ],
        looked_at=len(rows),
    )


@dg.asset_check(asset=paired_evaluation, name="sides_agree", blocking=True)
def sides_agree(store: StoreResource) -> dg.AssetCheckResult:
    """Differences are those of both sides, within their intervals, and depths add up."""
    opened, problems, count = store.open(), list[str](), 0
    for manifest in opened.manifests("paired_evaluation"):
        rows = opened.rows(ComparedRow, "paired_evaluation", manifest.partition)
        count += len(rows)
        problems += [f"{manifest.partition}: {one}" for one in _said(rows)]
    return result(problems, looked_at=count)


@dg.asset_check(asset=cost_ledger, name="costs_add_up", blocking=True)
def costs_add_up(store: StoreResource) -> dg.AssetCheckResult:
    """No figure is below zero or none, and assets and models cost the same altogether."""
    opened = store.open()
    is_there = opened.manifest("cost_ledger") is not None
    rows = opened.rows(CostRow, "cost_ledger") if is_there else []
    return result(list(_wrong_costs(rows)), looked_at=len(rows))


def result(problems: Sequence[str], *, looked_at: int) -> dg.AssetCheckResult:
    """Return what a check found."""
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "looked at": looked_at,
            "problems": dg.MetadataValue.json(list(problems[:_TOLD])),
        },
    )


def _wrong_costs(rows: Sequence[CostRow]) -> Iterator[str]:
    for one in rows:
        figures = (
            one.accepted,
            one.failed,
            one.calls,
            one.tokens,
            one.usd,
            one.seconds,
        )
        if not all(isfinite(each) and each >= 0 for each in figures):
            yield f"{one.scope} {one.name or one.model}: a figure is none"
    for what in ("calls", "replayed", "tokens"):
        by_asset, by_model = (
            sum(getattr(one, what) for one in rows if one.scope == scope)
            for scope in ("call", "model")
        )
        if by_asset != by_model:
            yield f"{what}: {by_asset} for assets, {by_model} of models"


def _said(rows: Sequence[ComparedRow]) -> Iterator[str]:
    depths = [one for one in rows if one.by == "depth"]
    for whole in (one for one in rows if one.by == "whole"):
        if whole.pairs != sum(one.pairs for one in depths):
            yield "its depths do not add up to its pairs"
    for one in rows:
        where = "all" if one.by == "whole" else f"depth {one.depth}"
        if not (0 <= one.before_rate <= 1 and 0 <= one.after_rate <= 1):
            yield f"{where}: a rate is none"
        if abs(one.after_rate - one.before_rate - one.difference) > _CLOSE:
            yield f"{where}: its difference is not that of its sides"
        if one.low is not None and one.high is not None:
            inside = one.low - _CLOSE <= one.difference <= one.high + _CLOSE
            if not inside:
                yield f"{where}: its interval does not hold its difference"
