"""Tables and plots of `synthesis_report`: what an inducer gives, and what it costs."""

from collections.abc import Mapping, Sequence
from itertools import islice
from math import ceil

from assets.pictures import in_cell
from assets.plots import Axes, Scale, bars, curves
from envplatform.swe.diversity.rarefaction import SIZES
from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.report import ALL, InducerRow

_LISTED = 40
_MBTE_SAID = (
    "In brackets: files with so many proven bugs. Others are left out, so points of one "
    "curve are of different files."
)
_REAL = "real fixes"
_PLOTTED = 6
"""Curves in one plot at most: one to a colour."""


def synthesis_pictures(
    rows: Sequence[InducerRow], real: Mapping[BugType, int]
) -> dict[str, str]:
    """All of them by title; `real` are real fixes by bug type, perhaps none."""
    whole = [row for row in rows if row.operator == ALL]
    return {
        "inducers": inducer_table(whole),
        "operators": operator_table([row for row in rows if row.operator != ALL]),
        "stages": stage_picture(whole),
        "MBTE": mbte_picture(whole),
        "bug types": bug_type_picture(whole, real),
        "cost": cost_picture(whole),
    }


def inducer_table(rows: Sequence[InducerRow]) -> str:
    """One line an inducer; MBTE at the smallest size, where most files count."""
    return _table(
        (
            "inducer",
            "candidates",
            "apply",
            "compile",
            "proven",
            "usability (95 %)",
            "unique",
            f"MBTE, K = {SIZES[0]}",
            "lines",
            "files",
            "hunks",
            "tokens each",
            "seconds each",
        ),
        [
            (
                row.inducer,
                f"{row.candidates}",
                f"{row.applied}",
                f"{row.compiled}",
                f"{row.verified}",
                _usability(row),
                "-" if row.unique_ratio is None else f"{row.unique_ratio:.1%}",
                _mbte_at(row, SIZES[0]),
                f"{row.changed_lines:.1f}",
                f"{row.changed_files:.1f}",
                f"{row.hunks:.1f}",
                f"{row.tokens_per_verified:.0f}",
                f"{row.seconds_per_verified:.1f}",
            )
            for row in rows
        ],
    )


def operator_table(rows: Sequence[InducerRow]) -> str:
    """One line an operator; of very many those with the most candidates."""
    most = sorted(rows, key=lambda row: -row.candidates)[:_LISTED]
    shown = sorted(most, key=lambda row: (row.inducer, row.operator))
    table = _table(
        ("inducer", "operator", "candidates", "proven", "usability", "environments"),
        [
            (
                row.inducer,
                row.operator,
                f"{row.candidates}",
                f"{row.verified}",
                f"{row.usability:.0%}",
                f"{row.environments}",
            )
            for row in shown
        ],
        text_columns=2,
    )
    left = len(rows) - len(shown)
    return (
        f"{table}\n\n{left} more are in the table `synthesis_report`."
        if left
        else table
    )


def stage_picture(rows: Sequence[InducerRow]) -> str:
    """For each inducer how many candidates got how far: bars, and their figures."""
    reached = {
        row.inducer: {
            "proposed": row.candidates,
            "executed": row.executed,
            "apply": row.applied,
            "compile": row.compiled,
            "proven": row.verified,
            "environment": row.environments,
        }
        for row in rows
    }
    table = _table(
        ("inducer", *next(iter(reached.values()), {})),
        [
            (inducer, *(f"{count}" for count in counts.values()))
            for inducer, counts in reached.items()
        ],
    )
    return _drawn(reached, Scale(name="candidates"), "Funnel", table)


def mbte_picture(rows: Sequence[InducerRow]) -> str:
    """Curves of MBTE over bugs a file, and their figures."""
    told = [row for row in rows if row.mbte]
    if not told:
        return f"No file has {SIZES[0]} proven bugs yet."
    highest = max(point.corrected_bits for row in told for point in row.mbte)
    axes = Axes(
        x="proven bugs drawn of each file, K",
        y="bits",
        x_ticks=SIZES,
        y_ticks=[tick / 2 for tick in range(max(2, ceil(2 * highest)) + 1)],
    )
    series = {
        row.inducer: [(point.size, point.corrected_bits) for point in row.mbte]
        for row in told[:_PLOTTED]
    }
    plot = curves(series, axes, title="MBTE")
    figures = _table(
        ("inducer", *(f"K = {size}" for size in SIZES)),
        [(row.inducer, *(_mbte_at(row, size) for size in SIZES)) for row in told],
    )
    return f"{plot}\n\n{figures}\n\n{_MBTE_SAID}"


def bug_type_picture(rows: Sequence[InducerRow], real: Mapping[BugType, int]) -> str:
    """Shares of bug types among real fixes and by inducer: bars, and their figures."""
    counted: dict[str, Mapping[BugType, int]] = {_REAL: real}
    for row in rows:
        counts = {each.bug_type: each.count for each in row.bug_types}
        counted[f"by {row.inducer}"] = counts
    shares = {name: _shares(counts) for name, counts in counted.items()}
    table = _table(
        ("bug type", *map(_cell, shares)),
        [
            (kind, *(f"{one[kind]:.0%}" if one else "-" for one in shares.values()))
            for kind in BUG_TYPES
        ],
    )
    scale = Scale(name="share of bugs", form="{:.0%}")
    # Last, so that an inducer has one colour in all pictures.
    last = shares.pop(_REAL)
    drawn = dict(islice(shares.items(), _PLOTTED - 1)) | {_REAL: last}
    found = {name: one for name, one in drawn.items() if one}
    picture = _drawn(found, scale, "Bug types", table)
    return f"{picture}\n\n{_compared(rows, sum(real.values()))}"


def cost_picture(rows: Sequence[InducerRow]) -> str:
    """Seconds, and tokens where there were any, for one proven bug, by inducer."""
    proven = [row for row in rows if row.verified]
    seconds = {row.inducer: {"seconds": row.seconds_per_verified} for row in proven}
    tokens = {
        row.inducer: {"tokens": row.tokens_per_verified}
        for row in proven
        if row.tokens_per_verified
    }
    table = _table(
        ("inducer", "seconds each", "tokens each"),
        [
            (
                row.inducer,
                f"{row.seconds_per_verified:.1f}",
                f"{row.tokens_per_verified:.0f}",
            )
            for row in proven
        ],
    )
    form = "{:.1f}" if proven else "{:g}"
    picture = _drawn(seconds, Scale(name="for a proven bug", form=form), "Cost", table)
    if not tokens:
        return picture
    spent = bars(
        _first(tokens),
        scale=Scale(name="for a proven bug", form="{:.0f}"),
        title="Tokens",
    )
    return f"{spent}\n\n{picture}"


def _drawn(
    series: Mapping[str, Mapping[str, float]], scale: Scale, title: str, table: str
) -> str:
    """Bars above the table of their figures; the table alone if there is nothing."""
    if not any(value for values in series.values() for value in values.values()):
        return table
    return f"{bars(_first(series), scale=scale, title=title)}\n\n{table}"


def _first(series: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """As many as there are colours."""
    return dict(islice(series.items(), _PLOTTED))


def _compared(rows: Sequence[InducerRow], total: int) -> str:
    """How far from real fixes the bug types of each inducer are."""
    if not total:
        return (
            "Nothing to compare with yet: no real fixes are stored. "
            "Materialise `curated_reverse_patches`, then this report again."
        )
    distances = [
        f"- {in_cell(row.inducer)}: total variation {row.total_variation:.2f}, "
        f"Jensen-Shannon divergence {row.jensen_shannon_bits:.2f} bits"
        for row in rows
        if row.total_variation is not None and row.jensen_shannon_bits is not None
    ]
    return "\n".join((f"Against {total} real fixes:", "", *distances))


def _shares(counts: Mapping[BugType, int]) -> dict[str, float]:
    """Share of each kind of bug, the unseen ones too; empty if there is none."""
    total = sum(counts.values())
    return {k: counts.get(k, 0) / total for k in BUG_TYPES} if total else {}


def _usability(row: InducerRow) -> str:
    low, high = 100 * row.usability_low, 100 * row.usability_high
    return f"{row.usability:.0%} ({low:.0f}-{high:.0f})"


def _mbte_at(row: InducerRow, size: int) -> str:
    for point in row.mbte:
        if point.size == size:
            return f"{point.corrected_bits:.2f} ({point.files})"
    return "-"


def _table(
    titles: Sequence[str], lines: Sequence[Sequence[str]], *, text_columns: int = 1
) -> str:
    """A Markdown table; a dash if it has no lines. Figures stand to the right."""
    if not lines:
        return "-"
    sides = [
        "---" if number < text_columns or not title else "---:"
        for number, title in enumerate(titles)
    ]
    return "\n".join(
        (
            f"| {' | '.join(titles)} |",
            f"|{'|'.join(sides)}|",
            *(f"| {' | '.join(map(_cell, line))} |" for line in lines),
        )
    )


def _cell(text: str) -> str:
    return "".join(letter if letter in "%()" else in_cell(letter) for letter in text)
