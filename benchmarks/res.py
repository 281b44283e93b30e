"""Lineages over the seeds: `python -m benchmarks.res`.

Each seed is grown with the planned proposer and all seven checks, in sandboxes. Then the
explorer searches every level, and those of the three ablations, in this process. Its
solving step runs in a sandbox where all evidence was had; elsewhere the attempt counts as
failed. That is no exact shortcut where a part of the evidence would do: `--partial` solves
those of the lineages all the same, and `partial_solved` tells how many passed.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median, quantiles
from time import monotonic

from benchmarks.report import print_result, progress, refuse
from envplatform.bundle import Environment
from envplatform.errors import PlanError
from envplatform.grading.tasks import Task, task_of
from envplatform.res.child import child_of
from envplatform.res.edges import edges_of
from envplatform.res.lineage import Budget, Child, Lineage, grow
from envplatform.res.measure import Measures, measure
from envplatform.res.proposers import Level, Planned
from envplatform.res.proposers.planned import Mode
from envplatform.res.replay import Replayer
from envplatform.res.rows import EdgeRow
from envplatform.res.verifier import Verifier, score_of_nothing
from envplatform.rollout import attending
from envplatform.rollout.explorer import acquired_of, attempt, explore
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.swe.diversity.intervals import wilson
from envplatform.workspace import Interface, builtin_seeds
from envplatform.workspace.catalogue import SeedPlace

_A01 = "ledger_reconciliation"
_A01_LEVEL = 3
_ONE_OPERATOR = "link_lookup"
_ABLATIONS = ("uncomposed", "independent", "one_operator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The explorer at one environment."""

    passed: bool
    had_all: bool
    turns: int
    calls: int
    out_of_turns: bool


@dataclass(slots=True, kw_only=True)
class Found:
    """What came of one seed."""

    root: Measures
    children: list[Child] = field(default_factory=list)
    consuming: int = 0
    """Levels with a new edge of which the step took what an earlier one made."""
    tried: dict[str, list[Tried]] = field(default_factory=dict)
    """Ablation, or `composed`, to the explorer's attempts by depth."""
    partial: list[bool] = field(default_factory=list)
    """Attempts that lacked evidence and were solved all the same: whether they passed."""


async def grown(
    provider: SandboxProvider, task: Task, replayer: Replayer, depth: int, seed: int
) -> tuple[Found, list[Environment]]:
    """Grow one lineage; return what came of it and its environments, the root first."""
    root = task.environment
    floor = await score_of_nothing(provider, root, task.image)
    found = Found(root=measure(root))
    verifier = Verifier(
        provider=provider,
        image=task.image,
        replayer=replayer,
        root_bytes=found.root.served_bytes,
        floor=floor or 0.0,
        attend=attending() if root.user else None,
    )
    first = Lineage(root=root, root_bytes=found.root.served_bytes)
    budget = Budget(depth=depth)
    async for lineage in grow(first, Planned(), verifier, seed=seed, budget=budget):
        child = lineage.children[-1]
        found.children = list(lineage.children)
        told = child.verdict.measures if child.verdict else None
        progress(f"{task.name} {child.level}: {told or _refusals(child)}")
    levels = [root, *(one.environment for one in found.children if one.environment)]
    plans = [one.plan for one in found.children if one.plan and one.is_accepted]
    edges: tuple[EdgeRow, ...] = ()
    for level, plan in enumerate(plans, start=1):
        edges = edges_of(levels[level - 1], edges, plan, levels[level], seed=seed)
        new = [edge for edge in edges if edge.level == level]
        found.consuming += any(edge.consumes for edge in new)
    return found, levels


async def levels_of(
    root: Environment, ablation: str, depth: int, seed: int
) -> list[Environment]:
    """Make the levels of an ablation, unverified; they end where no operator fits."""
    operators = [_ONE_OPERATOR] if ablation == "one_operator" else []
    mode: Mode = "uncomposed" if ablation == "uncomposed" else "composed"
    proposer = Planned(mode=mode, operators=operators)
    levels, history = [root], list[Level]()
    root_bytes = measure(root).served_bytes
    for level in range(1, depth + 1):
        is_alone = ablation == "independent"
        parent, drawn = (root, seed + level) if is_alone else (levels[-1], seed)
        try:
            proposal = await proposer.propose(
                parent, [] if is_alone else history, [], seed=drawn
            )
        except PlanError:
            break
        plan = proposal.plan
        if plan is None:
            break
        levels.append(child_of(parent, plan, seed=drawn, producer=proposer.name))
        history.append(Level(plan=plan, root_bytes=root_bytes))
    return levels


async def explored(
    provider: SandboxProvider,
    task: Task,
    levels: list[Environment],
    turns: int,
    sample: list[bool] | None = None,
) -> list[Tried]:
    """Have the explorer try levels; `sample` takes what came of those that lacked evidence."""
    tried = []
    for one in levels:
        search = explore(Interface(one).broker.ask, turns=turns, goal=one.instruction)
        missing = acquired_of(task.environment, search, child=one).missing
        passed = False
        if not missing or sample is not None:
            whole = await attempt(
                provider, one, root=task.environment, image=task.image, turns=turns
            )
            passed = whole.passed
            if missing and sample is not None:
                sample.append(passed)
        tried.append(
            Tried(
                passed=passed,
                had_all=not missing,
                turns=search.turns,
                calls=search.calls,
                out_of_turns=search.is_exhausted,
            )
        )
    return tried


async def one_seed(
    provider: SandboxProvider, task: Task, options: argparse.Namespace
) -> Found:
    """Grow one seed and try all that came of it."""
    with Replayer() as replayer:
        found, levels = await grown(
            provider, task, replayer, options.depth, options.random_seed
        )
    partial = found.partial if options.partial else None
    found.tried["composed"] = await explored(
        provider, task, levels, options.turns, partial
    )
    for ablation in _ABLATIONS:
        made = await levels_of(
            task.environment, ablation, options.depth, options.random_seed
        )
        found.tried[ablation] = await explored(provider, task, made, options.turns)
    shown = {
        name: "".join("-+"[t.passed] for t in ts) for name, ts in found.tried.items()
    }
    progress(f"{task.name}: explorer {shown}")
    return found


async def all_seeds(tasks: list[Task], options: argparse.Namespace) -> dict[str, Found]:
    """Go through all seeds, `options.workers` at a time."""
    provider = BubblewrapProvider()
    provider.probe()
    turn = asyncio.Semaphore(options.workers)

    async def one(task: Task) -> Found:
        async with turn:
            return await one_seed(provider, task, options)

    found = await asyncio.gather(*map(one, tasks))
    return {task.name: of for task, of in zip(tasks, found, strict=True)}


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
        "explorer_turns_by_depth": [_share(ts, "turns") for ts in by_depth],
        "explorer_calls_by_depth": [_share(ts, "calls") for ts in by_depth],
        "turn_limit_rate_by_depth": [_share(ts, "out_of_turns") for ts in by_depth],
        "ablation_pass_by_depth": {
            name: [
                _share([ts[min(d, len(ts) - 1)] for ts in lineages], "passed")
                for d in range(depth + 1)
            ]
            for name in _ABLATIONS
            for lineages in [[of.tried[name] for of in found.values()]]
        },
        "ablation_levels": {
            name: [len(of.tried[name]) - 1 for of in found.values()]
            for name in _ABLATIONS
        },
        "partial_tried": len(partial),
        "partial_solved": sum(partial),
    }


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


def _refusals(child: Child) -> str:
    return "; ".join(str(said) for one in child.attempts for said in one.diagnostics)


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
