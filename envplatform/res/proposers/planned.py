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
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.primitives import primitive, primitive_names
from envplatform.res.proposers.base import Level, Proposal, Proposer
from envplatform.res.staged import staged
from envplatform.res.steps import Made, goes_round, made_at_first, whole
from envplatform.res.trail import trail_of
from envplatform.workspace.recovery import RecoveryError

Mode = Literal["composed", "uncomposed"]
"""Whether a step may take what an earlier one made."""

_MOST_STEPS = 24
"""Of one level."""
_CANDIDATES = 4
"""Compared for each step."""
_MOST_MADE = 40
"""For each step, those included that do not fit."""
_SELDOM = "external_schema_view"
"""Fits tables alone, and only as long as they are some: goes before its equals."""
_GROWTH = 1.5
"""Reads of a child, as a multiple of its parent's."""
_MOST_READS = 1200
_FEW_OPEN = 4
"""Names that later steps could take: beyond so many, one more is worth nothing."""
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
        made = Made(staged=staged(parent), trail=trail_of(parent))
        root_bytes = history[0].root_bytes if history else made.served_bytes
        aim = _Aim(
            reads=min(made.reads * _GROWTH, _MOST_READS),
            room=_room(len(history)) * root_bytes,
            seed=seed,
            random=Random(f"{seed}/{len(history)}/{len(diagnostics)}"),  # noqa: S311
            used=Counter(step.operator for one in history for step in one.plan.steps),
            refused=frozenset(one.name for one in diagnostics),
        )
        steps = self._steps(made, aim)
        if not steps:
            msg = f"{parent.environment_id}: no operator fits any more within the caps"
            raise PlanError(msg)
        return Proposal(plan=TransformPlan(steps=tuple(steps)))

    def _steps(self, made: Made, aim: _Aim) -> list[Step]:
        """Go through the root's names until the level has what it is to have.

        That is its reads, and an edge that consumes what an earlier step made.
        """
        steps: list[Step] = []
        consumes = self._mode == "uncomposed"
        first, barren = len(made.roots()), 0
        for number, root in enumerate(islice(cycle(made.roots()), _MOST_STEPS)):
            if number >= first and consumes and made.reads >= aim.reads:
                break
            must_consume = number >= first and not consumes
            found = self._best(made, root, aim, must_consume=must_consume)
            if found is None:
                barren += 1
                if barren >= first:  # of no root, a whole round long
                    break
                continue
            barren = 0
            steps.append(found.step)
            aim.used[found.step.operator] += 1
            consumes = consumes or _consumes(made, found.step, found.made)
            made = found.made
            if self._mode == "uncomposed":
                break
        return steps

    def _best(
        self, made: Made, root: str, aim: _Aim, *, must_consume: bool
    ) -> _Tried | None:
        best: _Tried | None = None
        tried = 0
        for step in islice(self._candidates(made, root, aim), _MOST_MADE):
            if tried >= _CANDIDATES:
                break
            after = self._fitting(made, root, step, aim, must_consume=must_consume)
            if after is None:
                continue
            tried += 1
            score = _score(made, after, root, aim)
            if best is None or score > best.score:
                best = _Tried(step=step, made=after, score=score)
        return best

    def _fitting(
        self, made: Made, root: str, step: Step, aim: _Aim, *, must_consume: bool
    ) -> Made | None:
        """Return what a step makes, if it is worth a comparison; what is dear comes last."""
        try:
            first = made_at_first(made, step, aim.seed)
            first.way(root)
            if first.served_bytes > aim.room:
                return None
            if self._mode == "composed" and not first.open_of(root):
                return None  # nothing could follow
            if must_consume and not _consumes(made, step, first):
                return None
            after = whole(made, first, step, aim.seed)
        except (BundleError, RecoveryError):
            return None
        return None if goes_round(after, step) else after

    def _candidates(self, made: Made, root: str, aim: _Aim) -> Iterator[Step]:
        """Yield steps on names that lead to `root`: rare operators first, deep names first."""
        names = [
            name
            for name in made.open_of(root)
            if name not in aim.refused
            and (self._mode == "composed" or not made.is_made(name))
        ]
        aim.random.shuffle(names)
        depths = made.way(root).depths
        names.sort(key=lambda name: -depths[name])
        operators = list(self._operators)
        aim.random.shuffle(operators)
        operators.sort(key=lambda one: (aim.used[one], one != _SELDOM))
        tried: set[str] = set()
        for most in _MOST_SHARES:
            fit = [one for one in operators if _share(one, aim.used) <= most]
            for operator in fit if len(operators) > 1 else operators:
                if operator in tried:
                    continue
                tried.add(operator)
                for name in [*names[:3], *names[3::4]]:
                    yield self._step(operator, name, made, aim)

    def _step(self, operator: str, name: str, made: Made, aim: _Aim) -> Step:
        options: dict[str, int | str] = {}
        size = primitive(operator).size
        if size is not None:
            option, least, most = size
            lacking = round((aim.reads - made.reads) / 2)
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


def _consumes(before: Made, step: Step, after: Made) -> bool:
    """Whether a step brought an edge that takes what an earlier one made."""
    taken = (step.name, str(step.options.get("on", "")))
    count = len(before.environment.dependencies)
    return len(after.environment.dependencies) > count and any(
        map(before.is_made, taken)
    )


def _score(before: Made, after: Made, root: str, aim: _Aim) -> float:
    """Return how good a step is: dependent requests first, then reads, less bytes.

    Also names that stay open to later steps, as long as they are few.
    """
    was, way = before.way(root), after.way(root)
    chain = min(way.chain - was.chain, 4)
    gained = way.reads - was.reads
    lacking = max(aim.reads - before.reads, 1.0)
    over = max(0.0, (before.reads + gained) / aim.reads - 1.25)
    left = max(aim.room - before.served_bytes, 1.0)
    taken = max(0.0, after.served_bytes - before.served_bytes) / left
    still_open = min(len(after.open_of(root)), _FEW_OPEN) / 2
    return chain + 4 * min(gained / lacking, 1.0) + still_open - 8 * over - 3 * taken
