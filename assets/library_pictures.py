"""Small tables of the library for the UI: sources, refusals, licences."""

from collections import Counter
from collections.abc import Mapping, Sequence

from assets.pictures import counts_table, prose
from envplatform.cowork.library.collect import Collected

_SHOWN = 25
"""Sources and licences at most: each table enters the event log."""


def library_pictures(found: Sequence[Collected]) -> Mapping[str, str]:
    """Tables by title."""
    refused = Counter(row.reason for one in found for row in one.refused)
    licences = Counter(row.licence for one in found for row in one.rows)
    return {
        "by source": sources_table(found),
        "reasons": counts_table(dict(refused.most_common()), of="reason"),
        "licences": counts_table(
            {prose(name): count for name, count in licences.most_common(_SHOWN)},
            of="licence",
        ),
    }


def sources_table(found: Sequence[Collected]) -> str:
    """One line a source: what was kept, what refused and why; a dash if none is."""
    if not found:
        return "-"
    lines = [
        "| source | version | kept | refused | why | licences | MB | seconds |",
        "|---|---|---:|---:|---|---|---:|---:|",
    ]
    lines += [_line(one) for one in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"| and {len(found) - _SHOWN} more | | | | | | | |")
    return "\n".join(lines)


def _line(one: Collected) -> str:
    report = one.report
    reasons = Counter(row.reason for row in one.refused)
    why = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    if one.failed:
        why = one.refused[0].detail
    licences = Counter(row.licence for row in one.rows)
    named = ", ".join(f"{name} {count}" for name, count in licences.most_common())
    return (
        f"| {report.source} | {prose(report.version[:12])} | {report.kept} "
        f"| {report.refused} | {prose(why)} | {prose(named)} "
        f"| {report.bytes / 1e6:.1f} | {report.seconds:.1f} |"
    )
