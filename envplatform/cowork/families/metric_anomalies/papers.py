"""How rules, events and the request are worded."""

from envplatform.cowork.desk import csv_text, markdown_table
from envplatform.cowork.families.metric_anomalies.drawing import (
    JUDGED,
    WEEKS,
    Facets,
    Metrics,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def rules_text(metrics: Metrics) -> str:
    """Return the rules: what does not fit, and what is excused."""
    facets = metrics.facets
    low, high = metrics.limits
    baseline = {
        "before": "all earlier days of the same weekday",
        "last_three": "the three latest earlier days of the same weekday",
        "others": "all other days of the same weekday, earlier or later ones",
    }[facets.baseline]
    events = {
        "counted": "Days of planned events are used for medians like any others.",
        "left_out": "Days on which a planned event covers the series are never used "
        "for a median.",
    }[facets.events_count]
    limit = {
        "percent": f"more than {high} % above or below the median",
        "units": f"more than {high} {facets.unit} above or below the median",
        "two_sided": f"more than {low} % below the median or more than {high} % above it",
    }[facets.limit]
    repeats = {
        "report": "A day that was loaded twice is a `duplicate`, whatever its figures "
        "are, and is judged no further. Where its figure is needed, the one with the "
        "higher load number counts.",
        "latest": "Of a day that was loaded twice, the figure with the higher load "
        "number counts; the other is forgotten.",
        "first": "Of a day that was loaded twice, the figure with the lower load number "
        "counts: second loads came from a job that should not have run.",
    }[facets.repeats]
    excuses = {
        "any": "A planned event excuses whatever is found on its days for the series "
        "that it covers.",
        "direction": "A planned event excuses a `spike` where more was expected (`up`) "
        "and a `drop` where less was expected (`down`), nothing else.",
        "drops": "A planned event excuses a `drop` or a `missing` day, whatever was "
        "expected; it never excuses anything else.",
    }[facets.excuses]
    return filled(f"""# What counts as an anomaly

These rules have replaced the traffic lights of last year, which nobody trusted.

Each day of each series ({facets.dimension}) is judged by itself.

## Median

The figure of a day is compared with the median of {baseline} in the same series, as far
as they were loaded. Days that are missing have no part in it. Of an even number of
figures the lower one of the two in the middle is the median. A day without any figure to
compare with is not judged. {events}

## Kinds

1. A day without a figure is `missing`.
2. A figure {limit} is a `spike` (above) or a `drop` (below).

{repeats}

## Planned events

An event covers its first and its last day and all between, for the series it names or
for `all`. {excuses} What is excused is no open anomaly.
""")


def events_text(metrics: Metrics) -> str:
    """Return the calendar of planned events."""
    columns = ("event", "first", "last", metrics.facets.dimension, "expected", "what")
    rows = [
        (
            one.number,
            metrics.shown(one.first),
            metrics.shown(one.last),
            one.name,
            one.expected,
            one.what,
        )
        for one in metrics.events
    ]
    if metrics.facets.events == "csv":
        return csv_text(columns, rows)
    head = "# Planned events\n\nKept by the planning round; questions go to them.\n\n"
    return head + markdown_table(columns, rows)


def instruction_of(brief: Brief, metrics: Metrics, events: str) -> str:
    """Return the request."""
    facets = metrics.facets
    since, until = metrics.shown(7 * (WEEKS - JUDGED)), metrics.shown(7 * WEEKS - 1)
    what = f"{facets.unit} by {facets.dimension}"
    place = f"`{facets.place}`" if facets.data == "store" else f"`{facets.place}/`"
    task = brief.pick(
        f"check the daily {what} in {place} for anomalies from {since} to {until}.",
        f"go through the daily figures ({what}) in {place} and tell which days from "
        f"{since} to {until} do not fit.",
        f"we publish the {what} tomorrow; find out what is odd in {place} between "
        f"{since} and {until}, both included.",
    )
    rules = brief.pick(
        f"what an anomaly is stands in `docs/`, what was planned in `{events}`",
        f"judge by the rules in `docs/` and the events in `{events}`, earlier weeks are "
        "there for the medians",
    )
    keeper = brief.pick(
        f"{metrics.keeper} keeps the loads and hears you through `ws say`: report when "
        "you have read the figures, before you deliver",
        f"tell {metrics.keeper}, who runs the loads, what you have read (`ws say`), and "
        "wait for the answer before you write anything down",
    )
    points = [_table(brief, facets), _summary(brief, facets), *_extra(brief, facets)]
    return instruction(brief, task, points=points, marks=(rules, keeper))


def _table(brief: Brief, facets: Facets) -> str:
    order = {
        "day": f"by day, then by {facets.dimension}",
        "name": f"by {facets.dimension}, then by day",
        "kind": f"by kind in alphabetical order, then by day and {facets.dimension}",
    }[facets.order]
    which = {
        "open": "only what no planned event excuses",
        "all": "everything that was found, excused or not, with a last column `event`: "
        "the number of the event that excuses it, else `-`",
    }[facets.listed]
    columns = f"`day`, `{facets.dimension}`, `kind`, `value` (empty if missing)"
    return brief.pick(
        f"- `/workspace/anomalies.csv`: {columns} and `median` under a head line; "
        f"{which}. Sort {order}.",
        f"- Put the anomalies into `/workspace/anomalies.csv`, one a line, {order}. The "
        f"columns are {columns} and `median`; list {which}.",
    )


def _summary(brief: Brief, facets: Facets) -> str:
    key = {
        "by_name": f"for every {facets.dimension}, `0` included",
        "by_kind": "for every kind that occurs among them",
        "by_week": "for each of the three weeks, named by its Monday like `2025-01-06`, "
        "zeros included",
    }[facets.summary]
    return brief.pick(
        f"- `/workspace/summary.json` counts the open anomalies {key}: one object, name "
        "to number.",
        f"- One object in `/workspace/summary.json`: how many open anomalies there are "
        f"{key}.",
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    totals = brief.pick(
        f"- `/workspace/totals.csv`, for every {facets.dimension} by name: "
        f"`{facets.dimension}`, `days` (of this time that have a figure), `total` (of "
        "the figures that count on these days).",
        f"- The board gets `/workspace/totals.csv` with `{facets.dimension}`, `days` and "
        f"`total`: number of days in this time with a figure, and their sum, for each "
        f"{facets.dimension} in alphabetical order.",
    )
    excused = (
        "- `/workspace/excused.txt`: a line `DAY | NAME | KIND | EVENT` for each anomaly "
        "that is excused, by day and name."
    )
    return {"totals": (totals,), "excused": (excused,)}.get(facets.extra, ())
