"""Growing, searching and the ablations, one seed at a time: what `benchmarks.res` measures."""

import argparse
import asyncio
from dataclasses import dataclass, field

from benchmarks.report import progress
from envplatform.bundle import Environment
from envplatform.errors import PlanError
from envplatform.grading.tasks import Task
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
from envplatform.rollout.explorer import acquired_of, attempt, searched
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider

_ONE_OPERATOR = "link_lookup"
ABLATIONS = ("uncomposed", "independent", "one_operator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The explorer at one environment."""

    passed: bool
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
    """Have the explorer try levels, the root first, each with its user inside.

    What the search lacks at the root and the task is solved without, such as a decoy, is
    no evidence: where no more is missing the solving step runs. Elsewhere it runs for
    `sample` alone, which takes what came of it.
    """
    tried, spare = [], frozenset[str]()
    for level, one in enumerate(levels):
        search = searched(one, turns=turns)
        found = acquired_of(task.environment, search, child=one)
        had_all = level == 0 or spare.issuperset(found.missing)
        passed = False
        if had_all or sample is not None:
            whole = await attempt(
                provider, one, root=task.environment, image=task.image, turns=turns
            )
            passed = whole.passed
            if level == 0 and passed:
                spare = frozenset(found.missing)
            elif not had_all and sample is not None:
                sample.append(passed)
        tried.append(
            Tried(
                passed=passed,
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
    for ablation in ABLATIONS:
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


def _refusals(child: Child) -> str:
    return "; ".join(str(said) for one in child.attempts for said in one.diagnostics)
