"""Tables and plots of `arm_comparisons`."""

from collections.abc import Sequence

from assets.pictures import in_cell
from envplatform.evaluation.arms import ArmComparison, share_of_gain
from envplatform.evaluation.compared import ComparedRow

TEACHER = "teacher"
"""An arm of this name is what distilled arms are measured by."""
_SURE = (
    "In brackets 95 % intervals by drawing whole lineages with putting back; one lineage "
    "gives none. A task counts by the mean of its attempts."
)


def arm_pictures(rows: Sequence[ArmComparison]) -> dict[str, str]:
    """All of them by title."""
    pictures = {"arms": arm_table(rows)}
    shares = _shares(rows)
    if shares:
        pictures["share of the teacher's gain"] = shares
    return pictures


def arm_table(rows: Sequence[ArmComparison]) -> str:
    """One line an arm and set of tasks."""
    lines = [
        "| arm | against | tasks | n | solved before | solved | difference | reward |",
        "|---|---|---|---:|---:|---:|---:|---:|",
    ]
    for one in rows:
        if one.compared.by == "whole":
            found = one.compared
            cells = (
                *map(in_cell, (one.arm, one.against, one.tasks)),
                f"{found.tasks}",
                f"{100 * found.before_rate:.1f} %",
                f"{100 * found.after_rate:.1f} %",
                _difference(found),
                f"{found.reward_difference:+.3f}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join((*lines, "", _SURE))


def _difference(row: ComparedRow) -> str:
    points = f"{100 * row.difference:+.1f}"
    if row.low is None or row.high is None:
        return points
    return f"{points} [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"


def _shares(rows: Sequence[ArmComparison]) -> str:
    arms = dict.fromkeys(one.arm for one in rows if one.arm != TEACHER)
    found = {
        arm: share
        for arm in arms
        if (share := share_of_gain(rows, arm=arm, teacher=TEACHER)) is not None
    }
    if not found:
        return ""
    lines = ["| arm | share |", "|---|---:|"]
    lines += [f"| {in_cell(arm)} | {100 * one:.0f} % |" for arm, one in found.items()]
    return "\n".join(lines)
