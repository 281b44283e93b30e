"""Tables and plots of `benchmark_scores` and `paired_evaluation`."""

from collections import Counter
from collections.abc import Sequence

from assets.pictures import counts_table, in_cell
from assets.plots import Axes, Reach, curves
from envplatform.evaluation.compared import ComparedRow
from envplatform.evaluation.contrast import Unpaired
from envplatform.evaluation.rates import AtK, By, RateRow, solvers_of

_SOLVERS = 20
_CURVES = 6
_LEGEND = 20
"""Characters that fit beside a plot."""
_SURE = (
    "In brackets 95 % intervals by drawing whole lineages with putting back; one lineage "
    "gives none. A task counts by the mean of its attempts."
)
_NOTHING = "Nothing was attempted that counts."


def score_pictures(rows: Sequence[RateRow], aside: Counter[str]) -> dict[str, str]:
    """All of them by title."""
    reasons = {reason.replace("_", " "): n for reason, n in aside.most_common()}
    pictures = {"set aside reasons": counts_table(reasons, of="reason")}
    if not rows:
        return {"by solver": _NOTHING, **pictures}
    return {
        "by solver": solver_table(solvers_of(rows)),
        "Pass@1 by depth": depth_picture(rows),
        "by pillar": group_table(rows, "pillar"),
        "by scenario": group_table(rows, "scenario"),
        "saturation": saturation_table(rows),
        **pictures,
    }


def solver_table(rows: Sequence[RateRow]) -> str:
    """One line a solver, the best first, with all that was asked for."""
    ks = [one.k for one in rows[0].at_k if one.k > 1] if rows else []
    titles = (
        *("batch", "harness", "policy", "tasks", "attempts", "Pass@1"),
        *(f"Pass{sign}{k}" for k in ks for sign in "@^"),
        *("solved by all", "by none", "mean reward", "tokens", "seconds"),
    )
    lines = [_line(titles), f"|{'---|' * len(titles)}"]
    for one in sorted(rows, key=lambda one: -one.pass_at_1)[:_SOLVERS]:
        cells = (
            *map(in_cell, (one.batch, one.harness, one.policy)),
            *(f"{one.tasks}", f"{one.attempts}", _rate(one)),
            *(cell for at in one.at_k if at.k > 1 for cell in _at_k(at)),
        )
        rest = (
            *(f"{one.by_all}", f"{one.by_none}", f"{one.mean_reward:.2f}"),
            *(f"{one.tokens:.0f}", f"{one.seconds:.1f}"),
        )
        lines.append(_line((*cells, *rest)))
    left = len(rows) - _SOLVERS
    more = [f"{left} more are in the table."] if left > 0 else []
    return "\n".join((*lines, "", " ".join((_SURE, *_short_of(rows), *more))))


def depth_picture(rows: Sequence[RateRow]) -> str:
    """Pass@1 by levels below the root, a curve a solver; with bars of their intervals."""
    found = [one for one in rows if one.by == "depth" and one.harness]
    deepest = max(int(one.group) for one in found)
    series: dict[str, list[tuple[int, float]]] = {}
    reaches: dict[str, list[Reach]] = {}
    for one, name in zip(found, _names(found), strict=True):
        if name not in series and len(series) == _CURVES:
            continue
        depth = int(one.group)
        series.setdefault(name, []).append((depth, 100 * one.pass_at_1))
        if one.lineages_low is not None and one.lineages_high is not None:
            ends = 100 * one.lineages_low, 100 * one.lineages_high
            reaches.setdefault(name, []).append((depth, *ends))
    return curves(
        series, _axes(deepest, "Pass@1, %", 0), title="Pass@1", intervals=reaches
    )


def group_table(rows: Sequence[RateRow], by: By) -> str:
    """One line a group, a column a solver: Pass@1 and how many tasks."""
    mine = [one for one in rows if one.by == by and one.harness]
    names = _names(mine)
    solvers = list(dict.fromkeys(names))[:_CURVES]
    groups = list(dict.fromkeys(one.group for one in mine))
    cells = {
        (name, one.group): f"{_rate(one)}, n {one.tasks}"
        for name, one in zip(names, mine, strict=True)
    }
    lines = [_line((by, *solvers)), f"|{'---|' * (1 + len(solvers))}"]
    lines += [
        _line((in_cell(group), *(cells.get((one, group), "-") for one in solvers)))
        for group in groups
    ]
    return "\n".join(lines)


def saturation_table(rows: Sequence[RateRow]) -> str:
    """How many tasks of each depth tell all solvers apart no more, or not yet."""
    mine = [one for one in rows if one.by in {"whole", "depth"} and not one.harness]
    lines = [
        "| depth | tasks | solved by all | solved by none |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {one.group or 'all'} | {one.tasks} | {one.by_all} | {one.by_none} |"
        for one in mine
    ]
    return "\n".join(lines)


def comparison_pictures(
    rows: Sequence[ComparedRow], unpaired: Sequence[Unpaired]
) -> dict[str, str]:
    """The table by depth, both sides by depth, and the difference with its interval."""
    depths = [one for one in rows if one.by == "depth"]
    sides = {
        "before": [(one.depth, 100 * one.before_rate) for one in depths],
        "after": [(one.depth, 100 * one.after_rate) for one in depths],
    }
    deepest = max(one.depth for one in depths)
    differences = {"difference": [(one.depth, 100 * one.difference) for one in depths]}
    reaches = {
        "difference": [
            (one.depth, 100 * one.low, 100 * one.high)
            for one in depths
            if one.low is not None and one.high is not None
        ]
    }
    missing = Counter(f"only {one.side}" for one in unpaired)
    return {
        "comparison": comparison_table(rows),
        "both sides by depth": curves(
            sides, _axes(deepest, "solved, %", 0), title="Both sides"
        ),
        "difference by depth": curves(
            differences,
            _axes(deepest, "after less before, points", -100),
            title="Difference",
            intervals=reaches,
        ),
        "attempts without a partner": counts_table(missing, of="side"),
    }


def comparison_table(rows: Sequence[ComparedRow]) -> str:
    """One line over all, then one a depth."""
    titles = (
        *("depth", "tasks", "lineages", "pairs", "before", "after", "difference"),
        *("gained", "lost", "mean reward", "tokens before", "after"),
    )
    lines = [_line(titles), f"|{'---|' * len(titles)}"]
    for one in rows:
        cells = (
            *("all" if one.by == "whole" else f"{one.depth}", f"{one.tasks}"),
            *(f"{one.lineages}", f"{one.pairs}"),
            *(f"{one.before_rate:.0%}", f"{one.after_rate:.0%}", _points(one)),
            *(f"{one.gained}", f"{one.lost}", f"{one.reward_difference:+.2f}"),
            *(f"{one.before_tokens:.0f}", f"{one.after_tokens:.0f}"),
        )
        lines.append(_line(cells))
    said = (
        f"Before: {in_cell(rows[0].before)}. After: {in_cell(rows[0].after)}. The "
        f"difference is in points, in brackets its 95 % interval by drawing whole "
        f"lineages, each with both sides; one lineage gives none."
    )
    return "\n".join((*lines, "", said))


def _axes(deepest: int, name: str, lowest: int) -> Axes:
    step = (100 - lowest) // 4
    return Axes(
        x="depth",
        y=name,
        x_ticks=range(max(1, deepest) + 1),
        y_ticks=range(lowest, 101, step),
        is_linear=True,
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _names(rows: Sequence[RateRow]) -> list[str]:
    """Whom each row is of, in few letters, no two solvers alike: policy, then batch."""
    names: dict[tuple[str, str, str], str] = {}
    for one in rows:
        key = one.batch, one.harness, one.policy
        name = in_cell(f"{one.policy} {one.batch}")[:_LEGEND]
        if key not in names:
            taken = name in names.values()
            names[key] = f"{name[:-4]} ({len(names)})" if taken else name
    return [names[one.batch, one.harness, one.policy] for one in rows]


def _at_k(at: AtK) -> tuple[str, str]:
    """Pass@k and Pass^k; a dash where no task was attempted so often."""
    if at.pass_at is None or at.pass_hat is None:
        return "-", "-"
    few = f", n {at.tasks}" if at.short else ""
    return f"{at.pass_at:.0%}{few}", f"{at.pass_hat:.0%}{few}"


def _short_of(rows: Sequence[RateRow]) -> list[str]:
    """Say for which k there are too few attempts; n then counts the tasks with enough."""
    ks = sorted({at.k for one in rows for at in one.at_k if at.short})
    told = ", ".join(map(str, ks))
    return [f"For k = {told} some tasks have fewer attempts than k."] if ks else []


def _rate(one: RateRow) -> str:
    if one.lineages_low is None or one.lineages_high is None:
        return f"{one.pass_at_1:.0%}"
    low, high = 100 * one.lineages_low, 100 * one.lineages_high
    return f"{one.pass_at_1:.0%} ({low:.0f}-{high:.0f})"


def _points(one: ComparedRow) -> str:
    if one.low is None or one.high is None:
        return f"{100 * one.difference:+.0f}"
    low, high = 100 * one.low, 100 * one.high
    return f"{100 * one.difference:+.0f} ({low:+.0f} to {high:+.0f})"
