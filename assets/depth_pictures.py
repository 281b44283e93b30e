"""Tables and plots of `depth_report`: curves by depth, operators, what edges cost."""

from collections.abc import Callable, Sequence
from math import ceil

from assets.lineage_picture import lineage_picture
from assets.pictures import in_cell
from assets.plots import Axes, Reach, Scale, bars, curves
from envplatform.evaluation.depth import DepthRow, Mean, deepest, operator_uses
from envplatform.evaluation.paired import Difference
from envplatform.res.rows import EdgeRow, LevelRow

_DRAWN = 4
"""Lineages drawn; the others are drawn in their own partitions."""
_EDGES = 15
_NO_LINEAGE = "No lineage yet: materialise `res_lineages`, then this report again."


def depth_pictures(
    rows: Sequence[DepthRow], lineages: Sequence[LevelRow]
) -> dict[str, str]:
    """All of them by title; `rows` of all ablations, `lineages` of none."""
    if not rows:
        return {"depth": _NO_LINEAGE}
    return {
        "depth": depth_table(rows),
        "Pass@1": pass_picture(rows),
        "reads": mean_picture(rows, "reads", lambda one: one.reads),
        "chain": mean_picture(rows, "chain of dependent requests", lambda o: o.chain),
        "operators": operator_picture(lineages),
        "edges": edge_table(lineages),
        "lineage pictures": drawn_lineages(lineages),
    }


def depth_table(rows: Sequence[DepthRow]) -> str:
    """One line an ablation and depth, with 95 % intervals over seeds."""
    titles = (
        *("ablation", "planned by", "depth", "lineages", "Pass@1 of the explorer"),
        *("against depth 0", "against composed", "turns"),
        *("explorer's calls", "out of turns", "reads", "calls", "chain", "bytes"),
        *("proposals", "take an earlier output", "seconds a child"),
    )
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    for one in rows:
        cells = (
            one.ablation,
            ", ".join(one.planners) or "-",
            f"{one.depth}",
            f"{one.lineages}",
            _share(one),
            _difference(one.against_root),
            _difference(one.against_composed),
            _mean(one.turns),
            _mean(one.explorer_calls),
            "-" if one.out_of_turns is None else f"{one.out_of_turns:.0%}",
            _mean(one.reads),
            _mean(one.calls),
            _mean(one.chain),
            f"{one.bytes_ratio.mean:.2f} x",
            f"{one.attempts.mean:.2f}",
            f"{one.consuming} of {one.lineages}",
            f"{one.seconds:.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    said = (
        "In brackets 95 % intervals over seeds: Wilson's for shares, Student's for means; "
        "one seed gives none. Differences of Pass@1 are of the same seeds, in points; their "
        "intervals are percentiles of 10,000 draws of seeds. The explorer is an agent of "
        "ours without a model."
    )
    return "\n".join((*lines, "", said))


def pass_picture(rows: Sequence[DepthRow]) -> str:
    """Pass@1 of the explorer by depth, a curve an ablation; a sentence if nobody tried."""
    tried = [one for one in rows if one.pass_at_1 is not None]
    if not tried:
        return "Nobody tried the levels: `explorer_turns` in [res] is 0."
    return curves(
        _series(tried, lambda one: 100 * (one.pass_at_1 or 0.0)),
        _axes(rows, "Pass@1 of the explorer, %", (0, 25, 50, 75, 100)),
        title="Pass@1 by depth",
        intervals=_intervals(
            tried, lambda one: (100 * one.pass_low, 100 * one.pass_high)
        ),
    )


def mean_picture(
    rows: Sequence[DepthRow], name: str, value: Callable[[DepthRow], Mean]
) -> str:
    """Mean of something by depth, a curve an ablation."""
    most = max(value(one).mean for one in rows)
    step = max(1, ceil(most / 4))
    return curves(
        _series(rows, lambda one: value(one).mean),
        _axes(rows, name, [step * tick for tick in range(5)]),
        title=f"{name} by depth",
        intervals=_intervals(rows, lambda one: (value(one).low, value(one).high)),
    )


def operator_picture(lineages: Sequence[LevelRow]) -> str:
    """How often each operator was used, and what its edges cost at the deepest levels."""
    uses = operator_uses(lineages)
    if not uses:
        return "-"
    picture = bars(
        {"steps": {name: use.steps for name, use in uses.items()}},
        scale=Scale(name="steps in all lineages", form="{:.0f}"),
        title="Operators",
    )
    lines = ["| operator | steps | share | edges | calls | calls an edge |"]
    lines.append(f"|{'---|' * 6}")
    lines += [
        f"| {in_cell(name)} | {use.steps} | {use.share:.1%} | {use.edges} | "
        f"{use.calls:g} | {use.calls / use.edges if use.edges else 0:.1f} |"
        for name, use in uses.items()
    ]
    return "\n".join((picture, "", *lines))


def edge_table(lineages: Sequence[LevelRow]) -> str:
    """The dearest edges of the deepest levels: public calls that each costs the oracle."""
    edges: list[tuple[LevelRow, EdgeRow]] = [
        (tip, edge) for tip in deepest(lineages) for edge in tip.edges
    ]
    edges.sort(key=lambda one: -one[1].calls)
    lines = ["| seed | view | needs | kind | level | operator | calls |"]
    lines.append(f"|{'---|' * 7}")
    lines += [
        f"| {in_cell(tip.seed_name)} | {in_cell(edge.view)} | {in_cell(edge.needs)} | "
        f"{edge.kind} | {edge.level} | {in_cell(edge.operator)} | {edge.calls:.1f} |"
        for tip, edge in edges[:_EDGES]
    ]
    left = len(edges) - _EDGES
    more = f"\n\n{left} more are in the table `res_lineages`." if left > 0 else ""
    return "\n".join(lines) + more


def drawn_lineages(lineages: Sequence[LevelRow]) -> str:
    """The picture of some lineages, the deepest first."""
    tips = sorted(deepest(lineages), key=lambda one: -one.level)[:_DRAWN]
    parts = [f"{in_cell(tip.seed_name)}\n\n{lineage_picture([tip])}" for tip in tips]
    return "\n\n".join(parts) or "-"


def _axes(rows: Sequence[DepthRow], name: str, y_ticks: Sequence[float]) -> Axes:
    last = max(1, *(one.depth for one in rows)) if rows else 1
    return Axes(
        x="depth", y=name, x_ticks=range(last + 1), y_ticks=y_ticks, is_linear=True
    )


def _series(
    rows: Sequence[DepthRow], value: Callable[[DepthRow], float]
) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for one in rows:
        found.setdefault(one.ablation, []).append((one.depth, value(one)))
    return found


def _intervals(
    rows: Sequence[DepthRow], ends: Callable[[DepthRow], tuple[float, float]]
) -> dict[str, list[Reach]]:
    found: dict[str, list[Reach]] = {}
    for one in rows:
        found.setdefault(one.ablation, []).append((one.depth, *ends(one)))
    return found


def _share(one: DepthRow) -> str:
    if one.pass_at_1 is None:
        return "-"
    low, high = 100 * one.pass_low, 100 * one.pass_high
    return f"{one.pass_at_1:.0%} ({low:.0f}-{high:.0f})"


def _difference(one: Difference | None) -> str:
    if one is None:
        return "-"
    low, high = 100 * one.low, 100 * one.high
    return f"{100 * one.mean:+.0f} ({low:+.0f} to {high:+.0f}; n {one.tasks})"


def _mean(one: Mean | None) -> str:
    if one is None:
        return "-"
    wide = f" ({one.low:.0f}-{one.high:.0f})" if one.high > one.low else ""
    return f"{one.mean:.1f}{wide}"
