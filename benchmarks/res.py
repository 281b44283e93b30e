"""Lineages over the seeds: `python -m benchmarks.res`.

Each seed is grown with the planned proposer and all eight checks, in sandboxes. Then the
explorer searches every level, and those of the three ablations, in this process, users
inside taking part. Its solving step runs in a sandbox at the root, and where no more is
missing than at a root that was solved; elsewhere the attempt counts as failed. That is no
exact shortcut where a part of the evidence would do: `--partial` solves those of the
lineages all the same, and `partial_solved` tells how many passed.

Differences of Pass@1 are paired by seed: depth against depth 0, an ablation against the
lineage at the same depth, or at its own last one where it ended before. Each is a mean,
both ends of a 95 % interval (10,000 draws of seeds, percentiles) and how many seeds.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from statistics import fmean, median, quantiles
from time import monotonic

from benchmarks.report import print_result, refuse
from benchmarks.res_run import ABLATIONS, Found, Tried, all_seeds
from envplatform.evaluation.paired import paired_difference
from envplatform.grading.tasks import task_of
from envplatform.res.lineage import Child
from envplatform.res.measure import Measures
from envplatform.swe.diversity.intervals import wilson
from envplatform.workspace import builtin_seeds
from envplatform.workspace.catalogue import SeedPlace

_A01 = "ledger_reconciliation"
_A01_LEVEL = 3


def figures(found: dict[str, Found], depth: int) -> dict[str, object]:
    """Return what is printed."""
    children = [one for of in found.values() for one in of.children]
    accepted = [one for one in children if one.is_accepted]
    if not accepted:
        refuse("no child was accepted")
    proposals = [len(one.attempts) for one in accepted]
    seconds = [one.seconds for one in accepted]
    used = Counter(
        step.operator for one in accepted if one.plan for step in one.plan.steps
    )
    return {
        "seeds": len(found),
        "depth": depth,
        "accepted": len(accepted),
        "attempted": depth * len(found),
        "proposals_per_child": round(fmean(proposals), 3),
        "within_two_share": round(fmean(one <= 2 for one in proposals), 4),  # noqa: PLR2004  as named
        "tokens_per_child": fmean(one.spent.tokens for one in accepted),
        "primitives_used": len(used),
        "max_primitive_share": round(max(used.values()) / used.total(), 4),
        "seconds_per_child_median": round(median(seconds), 3),
        "seconds_per_child_p90": round(_ninetieth(seconds), 3),
        "read_growth": _growth(found, "reads"),
        "dependent_chain_growth": _growth(found, "chain"),
        "bytes_growth": _growth(found, "served_bytes"),
        "consuming_levels": sum(of.consuming for of in found.values()),
        "oracle_failures": sum(
            said.check == "solvable" and said.name == "oracle"
            for one in children
            for attempted in one.attempts
            for said in attempted.diagnostics
        ),
        "refusals": dict(_reasons(children).most_common()),
        "a01_calls": _a01(found),
        **_explorer(found, depth),
    }


def _ninetieth(values: list[float]) -> float:
    return quantiles(values, n=10)[-1] if len(values) > 1 else values[0]


def _explorer(found: dict[str, Found], depth: int) -> dict[str, object]:
    composed = [of.tried["composed"] for of in found.values()]
    by_depth = [[ts[d] for ts in composed if d < len(ts)] for d in range(depth + 1)]
    by_depth = [tried for tried in by_depth if tried]
    partial = [one for of in found.values() for one in of.partial]
    intervals = [wilson(sum(t.passed for t in ts), len(ts)) for ts in by_depth]
    return {
        "explorer_pass_by_depth": [_share(ts, "passed") for ts in by_depth],
        "explorer_interval_by_depth": [
            [round(one.low, 4), round(one.high, 4)] for one in intervals
        ],
        "pass_difference_by_depth": [
            _difference([(ts[0], ts[d]) for ts in composed if d < len(ts)])
            for d in range(depth + 1)
        ],
        "explorer_turns_by_depth": [_share(ts, "turns") for ts in by_depth],
        "explorer_calls_by_depth": [_share(ts, "calls") for ts in by_depth],
        "turn_limit_rate_by_depth": [_share(ts, "out_of_turns") for ts in by_depth],
        "ablation_pass_by_depth": {
            name: [
                _share([ts[min(d, len(ts) - 1)] for ts in lineages], "passed")
                for d in range(depth + 1)
            ]
            for name in ABLATIONS
            for lineages in [[of.tried[name] for of in found.values()]]
        },
        "ablation_pass_difference_by_depth": {
            name: [
                _difference(
                    [
                        (of.tried["composed"][d], ts[min(d, len(ts) - 1)])
                        for of in found.values()
                        for ts in [of.tried[name]]
                        if d < len(of.tried["composed"])
                    ]
                )
                for d in range(depth + 1)
            ]
            for name in ABLATIONS
        },
        "ablation_levels": {
            name: [len(of.tried[name]) - 1 for of in found.values()]
            for name in ABLATIONS
        },
        "partial_tried": len(partial),
        "partial_solved": sum(partial),
    }


def _difference(pairs: list[tuple[Tried, Tried]]) -> list[float] | None:
    """Return how much more the second ones pass: mean, ends of the interval, seeds."""
    sides = ([[float(pair[side].passed)] for pair in pairs] for side in (0, 1))
    found = paired_difference(*sides)
    if found is None:
        return None
    return [round(one, 4) for one in (found.mean, found.low, found.high)] + [
        found.tasks
    ]


def _share(tried: list[Tried], key: str) -> float:
    return round(fmean(float(getattr(one, key)) for one in tried), 4)


def _growth(found: dict[str, Found], key: str) -> float:
    """Return the median over seeds of the deepest level's measure over the root's."""
    ratios = [
        int(getattr(measures[-1], key)) / max(int(getattr(of.root, key)), 1)
        for of in found.values()
        for measures in [_measures(of)]
        if measures
    ]
    return round(float(median(ratios)), 3)


def _measures(of: Found) -> list[Measures]:
    verdicts = [one.verdict for one in of.children if one.is_accepted]
    return [one.measures for one in verdicts if one is not None and one.measures]


def _a01(found: dict[str, Found]) -> list[int]:
    """Return calls at the root and after three levels, if that seed is among them."""
    of = found.get(_A01)
    if of is None:
        return []
    return [of.root.calls, *(one.calls for one in _measures(of)[_A01_LEVEL - 1 :][:1])]


def _reasons(children: list[Child]) -> Counter[str]:
    return Counter(
        said.check
        for one in children
        for attempted in one.attempts
        for said in attempted.diagnostics
    )


def main() -> None:
    """Measure what the command line says and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", action="append", default=[], choices=builtin_seeds())
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--turns", type=int, default=50, help="of the explorer")
    parser.add_argument("--random-seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="seeds at one time")
    parser.add_argument(
        "--partial", action="store_true", help="solve with a part of the evidence too"
    )
    options = parser.parse_args()
    began = monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        tasks = [
            task_of(SeedPlace(name=name, folder=None), python=None, cache=Path(scratch))
            for name in options.seed or builtin_seeds()
        ]
        found = asyncio.run(all_seeds(tasks, options))
    print_result(
        {
            **figures(found, options.depth),
            "turns": options.turns,
            "random_seed": options.random_seed,
            "seconds": round(monotonic() - began, 1),
            "workers": options.workers,
        },
        made_from=", ".join(found),
        repeats=1,
    )


if __name__ == "__main__":
    main()
