"""Pictures of the funnel from rollouts to valid ones, and of what was selected."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from assets.pictures import counts_table, in_cell
from assets.plots import Scale, bars
from assets.rollout_recipes import cut_of
from envplatform.configuration import ExperimentSettings
from envplatform.trajectories import (
    METRICS,
    Candidate,
    Chosen,
    Cut,
    Funnel,
    Metric,
    TrajectoryScore,
    candidates,
    overlap,
    select,
)
from envplatform.trajectories.rows import RejectedTrajectory
from envplatform.trajectories.selection import SCORED, Valid, binned

_POLICIES = 12
_STAGES = {
    "all": "rollouts",
    "record": "whole record",
    "outcome": "and outcome",
    "claims_and_recovery": "and claims",
}


def validity_pictures(
    counted: Funnel, rejected: Sequence[RejectedTrajectory]
) -> dict[str, str]:
    """Return the funnel, the reasons and who was rejected, by title."""
    left = {_STAGES[name]: float(count) for name, count in counted.counts}
    pictures = {
        "funnel": bars(
            {"left": left}, scale=Scale(name="trajectories"), title="Funnel"
        ),
    }
    if counted.reasons:
        reasons = {reason.replace("_", " "): float(n) for reason, n in counted.reasons}
        pictures["reasons"] = bars(
            {"with it": reasons},
            scale=Scale(name="rejected trajectories; one may have several reasons"),
            title="Reasons",
        )
        policies = Counter(in_cell(one.policy) for one in rejected)
        pictures["rejected by policy"] = counts_table(
            dict(policies.most_common(_POLICIES)), of="policy"
        )
    return pictures


def selection_pictures(
    valid: Sequence[Valid],
    scores: Sequence[TrajectoryScore],
    settings: ExperimentSettings,
    found: Sequence[Candidate],
    chosen: Sequence[Chosen],
) -> dict[str, str]:
    """Return what each bin holds, and how far selections by other metrics agree."""
    if not chosen:
        return {"selection": "Nothing is valid, so nothing is selected."}
    return {
        "bins": bins_table(found, settings, chosen),
        "overlap": overlap_table(valid, scores, settings),
    }


def bins_table(
    found: Sequence[Candidate],
    settings: ExperimentSettings,
    chosen: Sequence[Chosen],
) -> str:
    """One line a bin: how many it holds, how many of them are kept, and how long they are.

    Kept is the share that is asked for, rounded to whole trajectories.
    """
    lines = [
        "| bin | of | selected | kept | asked for | lengths |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for number, members in enumerate(binned(found, settings.bins)):
        kept = [one for one in chosen if one.bin == number]
        share = f"{len(kept) / len(members):.1%}" if members else "-"
        lines.append(
            f"| bin {number + 1} | {len(members)} | {len(kept)} | {share} | "
            f"{settings.keep:.1%} | {_span(kept)} |"
        )
    return "\n".join(lines)


def overlap_table(
    valid: Sequence[Valid],
    scores: Sequence[TrajectoryScore],
    settings: ExperimentSettings,
) -> str:
    """One line a pair of metrics: how many both would keep, of how many either would.

    By chance, two that keep 70 % agree on about 54 % of what either keeps.
    """
    known = [metric for metric in METRICS if scores or metric not in SCORED]
    picked = {
        metric: select(
            candidates(valid, scores, metric=metric, seed=settings.seed),
            _cut_for(metric, settings),
        )
        for metric in known
    }
    lines = [
        "| metrics | first | second | both | of either |",
        "|---|---:|---:|---:|---:|",
    ]
    for one, other in combinations(known, 2):
        both = overlap(picked[one], picked[other])
        lines.append(
            f"| {one} and {other} | {both.first} | {both.second} | {both.both} | "
            f"{both.jaccard:.0%} |"
        )
    return "\n".join(lines)


def _cut_for(metric: Metric, settings: ExperimentSettings) -> Cut:
    """Cut as configured the metric that is configured, the others at their own end."""
    if metric == settings.metric:
        return cut_of(settings)
    of_metric = settings.model_copy(update={"metric": metric, "better": None})
    return cut_of(of_metric)


def _span(chosen: Sequence[Chosen]) -> str:
    lengths = [one.candidate.length for one in chosen]
    return f"{min(lengths)} to {max(lengths)}" if lengths else "-"
