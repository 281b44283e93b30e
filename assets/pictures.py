"""Small tables for people, as Markdown: funnels and comparisons shown in the UI.

They enter the event log, so each stays below a few kilobytes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from envplatform.bundle import CheckResult
from envplatform.swe.fixes.corpus import SourceCount
from envplatform.swe.fixes.reverse import Tally
from envplatform.swe.fixes.reverse_patch import CuratedPatch

_BAR = 24
_LONGEST_CELL = 300
_MARKUP = re.compile(r"[&<>|\\`*\[\]!]")


def counts_table(counts: Mapping[str, int], *, of: str = "outcome") -> str:
    """One line a thing counted, with a bar as long as its share; `none` if none is."""
    if not counts:
        return "none"  # a dash would be drawn as an empty list
    most = max(counts.values())
    lines = [f"| {of} | count | |", "|---|---:|---|"]
    lines += [
        f"| {name} | {count} | {'█' * round(_BAR * count / most)} |"
        for name, count in counts.items()
    ]
    return "\n".join(lines)


def audit_table(audit: Sequence[CheckResult]) -> str:
    """One line a check of the gate, with what it measured; a dash if none ran."""
    if not audit:
        return "-"
    lines = ["| check | status | evidence |", "|---|---|---|"]
    lines += [
        f"| {one.name} | {one.status.replace('_', ' ')} | {prose(one.evidence)} |"
        for one in audit
    ]
    return "\n".join(lines)


def prose(text: str) -> str:
    """Sentences of strangers for a cell: no column, no mark-up, no end to it."""
    short = text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}..."
    words = " ".join(short.split())
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", words)


class Pictures(Mapping[str, str]):
    """What became of the fixes of one repository, drawn when it is asked for."""

    def __init__(self, tally: Tally) -> None:
        self._counts = {"outcomes": tally.outcomes, "rungs": tally.rungs}

    def __getitem__(self, title: str) -> str:
        return counts_table(dict(self._counts[title].most_common()), of=title[:-1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)


def source_table(rows: Sequence[SourceCount]) -> str:
    """One line a source of fixes; `read` is the sum of the others."""
    lines = [
        "| source | read | kept | duplicates | quarantined |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {in_cell(row.source)} | {row.read} | {row.kept} | {row.duplicates} | "
        f"{row.quarantined} |"
        for row in rows
    ]
    return "\n".join(lines)


def funnel_table(refusals: Counter[str], verdicts: Mapping[str, int]) -> str:
    """What became of all rows: refused, rejected, kept; codes without rows left out."""
    counts = {**dict(refusals.most_common()), **verdicts}
    return counts_table({code: count for code, count in counts.items() if count})


def kept_table(sources: Mapping[str, int], kept: Iterable[CuratedPatch]) -> str:
    """One line a source: its instances that were tried, and those that were kept."""
    counts = Counter(row.source for row in kept)
    lines = ["| source | tried | kept | share |", "|---|---:|---:|---:|"]
    lines += [
        f"| {in_cell(name)} | {count} | {counts[name]} | {counts[name] / count:.0%} |"
        for name, count in sources.items()
    ]
    return "\n".join(lines)


def spread(values: Iterable[str]) -> str:
    """How often each value occurs, most frequent first."""
    return counts_table(dict(Counter(values).most_common()), of="value")


def in_cell(text: str) -> str:
    """Text of others for a cell of a Markdown table."""
    return "".join(
        letter if letter.isalnum() or letter in " ._/-+@=" else "?" for letter in text
    )
