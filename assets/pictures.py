"""Small tables for people, as Markdown: funnels and comparisons shown in the UI.

They enter the event log, so each stays below a few kilobytes.
"""

from collections.abc import Mapping, Sequence

from envplatform.swe.report import InducerRow

_BAR = 24


def counts_table(counts: Mapping[str, int], *, of: str = "outcome") -> str:
    """One line a thing counted, with a bar as long as its share; a dash if none is."""
    if not counts:
        return "-"
    most = max(counts.values())
    lines = [f"| {of} | count | |", "|---|---:|---|"]
    lines += [
        f"| {name} | {count} | {'█' * round(_BAR * count / most)} |"
        for name, count in counts.items()
    ]
    return "\n".join(lines)


def inducer_table(rows: Sequence[InducerRow]) -> str:
    """One line an inducer or operator."""
    titles = (
        "inducer",
        "operator",
        "candidates",
        "verified",
        "usability",
        "environments",
        "changed lines",
        "seconds each",
    )
    lines = [f"| {' | '.join(titles)} |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {row.inducer} | {row.operator} | {row.candidates} | {row.verified} | "
        f"{row.usability:.0%} | {row.environments} | {row.changed_lines:.1f} | "
        f"{row.seconds_per_verified:.1f} |"
        for row in rows
    ]
    return "\n".join(lines)
