"""A seeded search over compositions of operators; costs no tokens.

A level takes one step for each of the root's names, on what lies deepest, and then
further ones until there are as many reads as the level is to have. Candidates are made
and measured, never guessed at: what counts is how much longer the longest chain of
dependent requests gets, how near the reads come, which operators were used so far, and
what bytes it costs.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random
from typing import Literal

from envplatform.bundle import Environment
from envplatform.errors import BundleError, PlanError
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.measure import Measures, measure
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.primitives import primitive, primitive_names
from envplatform.res.proposers.base import Level, Proposal, Proposer
from envplatform.res.steps import Made, made_by
from envplatform.res.trail import trail_of
from envplatform.workspace.draft import is_plain
from envplatform.workspace.recovery import RecoveryError

Mode = Literal["composed", "uncomposed"]
"""Whether a step may take what an earlier one made."""

_MOST_STEPS = 24
"""Of one level."""
_CANDIDATES = 4
"""Tried for each step."""
_GROWTH = 1.5
"""Reads of a child, as a multiple of its parent's."""
_MOST_READS = 1200
_BYTES_RATIO = (2.35, 2.95)
"""Bytes served, as a multiple of the root's, at the first level and at the tenth. Whatever
is written otherwise lies there twice, since the broker goes on holding the root's.
"""
_DEPTH = 10
_MOST_SHARES = (0.12, 0.18, 0.3)
"""Of one operator in all steps of a lineage; a later one where nothing else fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aim:
    """What a level goes for, and what it may use."""

    reads: float
    room: float
    seed: int
    random: Random
    used: Counter[str]
    refused: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    step: Step
    made: Made
    score: float


class Planned(Proposer):
    """The default."""

    name = "planned"

    def __init__(
        self, *, mode: Mode = "composed", operators: Sequence[str] = ()
    ) -> None:
        """`mode`: an ablation; `operators`: those to use, all if empty."""
        self._mode = mode
        self._operators = tuple(operators) or primitive_names()

    async def propose(
        self,
        parent: Environment,
        history: Sequence[Level],
        diagnostics: Sequence[Diagnostic],
        *,
        seed: int,
    ) -> Proposal:
        """See the base class."""
        made = Made(environment=parent, trail=trail_of(parent))
        before = measure(parent, made.trail)
        root_bytes = history[0].root_bytes if history else before.served_bytes
        aim = _Aim(
            reads=min(before.reads * _GROWTH, _MOST_READS),
            room=_room(len(history)) * root_bytes,
            seed=seed,
            random=Random(f"{seed}/{len(history)}/{len(diagnostics)}"),  # noqa: S311
            used=Counter(step.operator for one in history for step in one.plan.steps),
            refused=frozenset(one.name for one in diagnostics),
        )
        steps = self._steps(made, before, aim)
        if not steps:
            msg = f"{parent.environment_id}: no operator fits any more within the caps"
            raise PlanError(msg)
        return Proposal(plan=TransformPlan(steps=tuple(steps)))

    def _steps(self, made: Made, measures: Measures, aim: _Aim) -> list[Step]:
        steps: list[Step] = []
        roots = made.roots()
        for number, root in enumerate(islice(cycle(roots), _MOST_STEPS)):
            if number >= len(roots) and measures.reads >= aim.reads:
                break
            found = self._best(made, measures, root, aim)
            if found is None:
                continue
            steps.append(found.step)
            aim.used[found.step.operator] += 1
            made = found.made
            measures = measure(made.environment, made.trail)
        return steps

    def _best(
        self, made: Made, before: Measures, root: str, aim: _Aim
    ) -> _Tried | None:
        best: _Tried | None = None
        tried = 0
        alone = measure(made.environment, made.trail, only=root)
        for step in self._candidates(made, before, root, aim):
            if tried >= _CANDIDATES:
                break
            try:
                after = made_by(made, step, aim.seed)
                measures = measure(after.environment, after.trail, only=root)
            except (BundleError, RecoveryError):
                continue
            if measures.served_bytes > aim.room:
                continue
            tried += 1
            score = _score(before.reads, alone, measures, aim)
            if best is None or score > best.score:
                best = _Tried(step=step, made=after, score=score)
        return best

    def _candidates(
        self, made: Made, before: Measures, root: str, aim: _Aim
    ) -> Iterator[Step]:
        """Yield steps on names that lead to `root`: rare operators first, deep names first."""
        names = [
            name
            for name in made.names_of(root)
            if is_plain(made.view(name))
            and name not in aim.refused
            and (self._mode == "composed" or name not in made.trail.entries)
        ]
        aim.random.shuffle(names)
        names.sort(key=lambda name: -made.depth_of(name))
        operators = list(self._operators)
        aim.random.shuffle(operators)
        operators.sort(key=lambda one: aim.used[one])
        tried: set[str] = set()
        for most in _MOST_SHARES:
            fit = [one for one in operators if _share(one, aim.used) <= most]
            for operator in fit if len(operators) > 1 else operators:
                if operator in tried:
                    continue
                tried.add(operator)
                for name in [*names[:3], *names[3::4]]:
                    yield self._step(operator, name, made, before, aim)

    def _step(
        self, operator: str, name: str, made: Made, before: Measures, aim: _Aim
    ) -> Step:
        options: dict[str, int | str] = {}
        size = primitive(operator).size
        if size is not None:
            option, least, most = size
            lacking = round((aim.reads - before.reads) / 2)
            options[option] = max(least, min(most, lacking))
        if operator == "dependency_lookup" and self._mode == "composed":
            on = [one for one in made.stamped() if one != name]
            on.sort(key=lambda one: -made.depth_of(one))
            if on:
                options["on"] = aim.random.choice(on[:4])
        return Step(operator=operator, name=name, options=options)


def _room(level: int) -> float:
    first, last = _BYTES_RATIO
    return first + (last - first) * min(1.0, (level + 1) / _DEPTH)


def _share(operator: str, used: Counter[str]) -> float:
    """Return what share an operator would have after one more step; 0 in a short lineage."""
    total = sum(used.values()) + 1
    return (used[operator] + 1) / total if total > len(primitive_names()) else 0.0


def _score(reads: int, before: Measures, after: Measures, aim: _Aim) -> float:
    """Return how good a step is: dependent requests first, then reads, less bytes.

    `reads`: of the whole task before; the measures are those of one of its names.
    """
    chain = min(after.chain - before.chain, 4)
    gained = after.reads - before.reads
    lacking = max(aim.reads - reads, 1.0)
    over = max(0.0, (reads + gained) / aim.reads - 1.25)
    left = max(aim.room - before.served_bytes, 1.0)
    taken = max(0.0, after.served_bytes - before.served_bytes) / left
    return chain + 4 * min(gained / lacking, 1.0) - 8 * over - 3 * taken
