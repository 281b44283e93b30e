"""Tables and the heat map of the coverage report, as Markdown for the UI."""

from collections.abc import Mapping, Sequence

from envplatform.cowork.coverage import FamilyLine, QuotaLine
from envplatform.cowork.taxonomy import Capability, Scenario, taxonomy

_SHADES = ("·", "░", "▒", "▓", "█")


def heat_map(counts: Mapping[tuple[Scenario, Capability], int]) -> str:
    """One row a scenario, one column a capability; the darker, the more of them."""
    names = taxonomy()
    most = max(counts.values(), default=0)
    capabilities = list(names.capability)
    head = " | ".join(one.replace("_", " ") for one in capabilities)
    lines = [f"| | {head} |", "|---" * (len(capabilities) + 1) + "|"]
    for scenario in names.scenario:
        cells = [
            _cell(counts.get((scenario, capability), 0), most)
            for capability in capabilities
        ]
        lines.append(f"| {scenario} | {' | '.join(cells)} |")
    return "\n".join(lines)


def quota_table(quotas: Sequence[QuotaLine]) -> str:
    """One line a quota."""
    lines = ["| quota | wanted | there | environments | |", "|---|---:|---:|---:|---|"]
    lines += [
        f"| {one.dimension.replace('_', ' ')}: {one.name.replace('_', ' ')} "
        f"| {one.quota:.1%} | {one.actual:.1%} | {one.count} "
        f"| {'met' if one.is_met else '**missed**'} |"
        for one in quotas
    ]
    return "\n".join(lines)


def family_table(families: Sequence[FamilyLine]) -> str:
    """One line a family."""
    lines = [
        "| family | scenario | pattern | planned | accepted |",
        "|---|---|---|---:|---:|",
    ]
    lines += [
        f"| {one.family} | {one.scenario} | {one.pattern.replace('_', ' ')} "
        f"| {one.planned} | {one.accepted} |"
        for one in families
    ]
    return "\n".join(lines)


def _cell(count: int, most: int) -> str:
    if not count:
        return _SHADES[0]
    step = 1 + (len(_SHADES) - 2) * count // most
    return f"{_SHADES[step]} {count}"
