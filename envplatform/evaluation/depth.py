"""Curves by depth over all lineages, the spread of operators, what edges cost."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from envplatform.configuration import Ablation
from envplatform.evaluation.paired import Difference, paired_difference
from envplatform.res.rows import LevelRow
from envplatform.swe.diversity.intervals import mean_interval, wilson

REVISION = 2
"""Raised when the same levels give other rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean over seeds with its 95 % interval (Student); one seed has no width."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthRow:
    """All lineages of one ablation at one depth."""

    ablation: Ablation
    depth: int
    planners: tuple[str, ...]
    """Who planned these levels; of ablations always the search, `planned`."""
    lineages: int
    """That got so deep."""
    reads: Mean
    calls: Mean
    chain: Mean
    bytes_ratio: Mean
    """Bytes served, against the root's."""
    attempts: Mean
    """Proposals for a child; 0 at the root."""
    consuming: int
    """Lineages of which an edge of this level took what an earlier operator made."""
    tried: int
    """By the explorer."""
    passed: int
    pass_at_1: float | None
    """Share of those tried; None where none was."""
    pass_low: float
    """Where Wilson's 95 % interval begins; 0 where none was tried."""
    pass_high: float
    against_root: Difference | None
    """Pass@1 less that at depth 0, of the lineages tried at both; None where none was."""
    against_composed: Difference | None
    """Of an ablation: Pass@1 less that of `composed` at this depth, by seed and planner."""
    turns: Mean | None
    """Of the explorer."""
    explorer_calls: Mean | None
    out_of_turns: float | None
    """Share of those tried whose turns ended before the leads did."""
    seconds: float
    """Median for a child."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorUse:
    """One operator over all lineages."""

    steps: int
    share: float
    """Of all steps."""
    edges: int
    """That it brought in and that hold at the deepest levels."""
    calls: float
    """Public calls that those cost the oracle, all together."""


def depth_rows(
    levels: Sequence[LevelRow], *, twins: Sequence[LevelRow] = ()
) -> list[DepthRow]:
    """One row an ablation and depth, `composed` first, then by depth.

    `twins`: further `composed` levels that ablations are compared with. A model's plans
    are no match for the search that plans ablations.
    """
    roots = {(one.seed_name, one.ablation): one for one in levels if not one.level}
    groups: dict[tuple[Ablation, int], list[LevelRow]] = defaultdict(list)
    for one in levels:
        groups[one.ablation, one.level].append(one)
    order = list(dict.fromkeys(one.ablation for one in levels))
    order.sort(key=lambda one: one != "composed")
    return [
        _row(ablation, depth, groups, roots, twins)
        for ablation in order
        for depth in sorted(d for a, d in groups if a == ablation)
    ]


def operator_uses(levels: Iterable[LevelRow]) -> dict[str, OperatorUse]:
    """Each operator that was used, most frequent first; of lineages of one ablation."""
    levels = list(levels)
    steps = Counter(one for level in levels for one in level.operators)
    edges: Counter[str] = Counter()
    calls: dict[str, float] = defaultdict(float)
    for level in deepest(levels):
        for edge in level.edges:
            edges[edge.operator] += 1
            calls[edge.operator] += edge.calls
    total = steps.total()
    return {
        name: OperatorUse(
            steps=count,
            share=count / total,
            edges=edges[name],
            calls=round(calls[name], 2),
        )
        for name, count in steps.most_common()
    }


def deepest(levels: Iterable[LevelRow]) -> list[LevelRow]:
    """Return the last level of each lineage, in their order."""
    found: dict[tuple[str, Ablation], LevelRow] = {}
    for one in levels:
        key = one.seed_name, one.ablation
        if key not in found or one.level > found[key].level:
            found[key] = one
    return list(found.values())


def _row(
    ablation: Ablation,
    depth: int,
    groups: Mapping[tuple[Ablation, int], Sequence[LevelRow]],
    roots: Mapping[tuple[str, Ablation], LevelRow],
    twins: Sequence[LevelRow],
) -> DepthRow:
    levels = groups[ablation, depth]
    composed = [one for one in twins if one.level == depth]
    composed += groups.get(("composed", depth), ())
    tried = [one.explorer for one in levels if one.explorer is not None]
    passed = sum(one.passed for one in tried)
    interval = wilson(passed, len(tried)) if tried else None

    def ratio(one: LevelRow) -> float:
        return one.served_bytes / roots[one.seed_name, one.ablation].served_bytes

    return DepthRow(
        ablation=ablation,
        depth=depth,
        planners=tuple(sorted({one.producer for one in levels})) if depth else (),
        lineages=len(levels),
        reads=_mean(levels, lambda one: one.reads),
        calls=_mean(levels, lambda one: one.calls),
        chain=_mean(levels, lambda one: one.chain),
        bytes_ratio=_mean(levels, ratio),
        attempts=_mean(levels, lambda one: len(one.attempts)),
        consuming=sum(one.consumes_earlier for one in levels),
        tried=len(tried),
        passed=passed,
        pass_at_1=passed / len(tried) if tried else None,
        pass_low=interval.low if interval else 0.0,
        pass_high=interval.high if interval else 0.0,
        against_root=_difference(
            groups.get((ablation, 0), ()), levels, lambda one: one.seed_name
        ),
        against_composed=None
        if ablation == "composed"
        else _difference(
            composed, levels, lambda one: f"{one.seed_name} {one.producer}"
        ),
        turns=_of([one.turns for one in tried]) if tried else None,
        explorer_calls=_of([one.calls for one in tried]) if tried else None,
        out_of_turns=fmean(one.out_of_turns for one in tried) if tried else None,
        seconds=median(one.seconds for one in levels),
    )


def _difference(
    before: Sequence[LevelRow],
    after: Sequence[LevelRow],
    key: Callable[[LevelRow], str],
) -> Difference | None:
    """Return how Pass@1 differs, of what was tried on both sides by `key`."""
    sides = [
        {key(one): [float(one.explorer.passed)] for one in side if one.explorer}
        for side in (before, after)
    ]
    both = sorted(sides[0].keys() & sides[1].keys())
    return paired_difference(*([side[name] for name in both] for side in sides))


def _mean(levels: Sequence[LevelRow], value: Callable[[LevelRow], float]) -> Mean:
    return _of([value(one) for one in levels])


def _of(values: Sequence[float]) -> Mean:
    mean = fmean(values)
    interval = mean_interval(values)
    if interval is None:
        return Mean(mean=mean, low=mean, high=mean)
    return Mean(mean=mean, low=interval.low, high=interval.high)
