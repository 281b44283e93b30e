"""Daily figures searched for what does not fit, while a part of them is loaded again."""

from collections.abc import Iterable
from dataclasses import asdict

from envplatform.cowork.conversation import (
    all_of,
    any_of,
    changes,
    edit,
    has_fired,
    has_queried,
    has_read,
    has_spoken,
    overwrite,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet, csv_text, insert_row
from envplatform.cowork.families.metric_anomalies.drawing import (
    WEEKS,
    Facets,
    Metrics,
    Point,
    draw_metrics,
)
from envplatform.cowork.families.metric_anomalies.papers import (
    events_text,
    instruction_of,
    rules_text,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
    told,
)
from envplatform.user.plan import Plan, WorkspaceChange
from envplatform.user.predicates import Predicate
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw figures and how they are judged."""
    metrics = draw_metrics(brief.chance, brief.names)
    facets = metrics.facets
    suffix = "csv" if facets.events == "csv" else "md"
    events = f"{brief.pick('planning', 'calendar', 'plans')}/events.{suffix}"
    stale = {(one.day, one.name): one.value for one in metrics.points}
    return Specification(
        instruction=instruction_of(brief, metrics, events),
        parameters={
            "facets": dict(asdict(facets)),
            "names": list(metrics.names),
            "limits": list(metrics.limits),
            "first": metrics.shown(0),
            "events": events,
            "stale": [
                [metrics.shown(one.day), one.name, stale[one.day, one.name]]
                for one in metrics.reloaded
            ],
        },
        criteria=criteria_of(facets),
        facets=told(facets),
        drawn=metrics,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("found", "figures", "summary", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay figures, rules and events out."""
    metrics = specification.drawn_as(Metrics)
    facets = metrics.facets
    desk = Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('anomalies', 'monitoring', 'data_quality')}.md",
        rules_text(metrics),
        about="What counts as an anomaly.",
        kind="schema",
    )
    events = str(specification.parameters["events"])
    about = "What was planned."
    desk.document("events", events, events_text(metrics), about=about, kind="state")
    about = f"Daily {facets.unit} by {facets.dimension}."
    if facets.data == "store":
        sheet = Sheet(
            columns={
                "day": "TEXT NOT NULL",
                facets.dimension: "TEXT NOT NULL",
                facets.unit: "INTEGER NOT NULL",
                "load": "INTEGER NOT NULL",
            },
            rows=[_row(metrics, one) for one in metrics.points],
        )
        desk.store(
            "figures", facets.place, {"daily": sheet}, about=f"{about} One table."
        )
    else:
        files = _files(metrics, metrics.points)
        desk.folder("figures", facets.place, files, about=about)
    return Build(
        desk=desk,
        user=_user(brief, metrics),
        operations=TALKING,
        transformable=("rules", "events"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    edits = {
        "found": ("anomalies.csv", r",drop,", ",spike,"),
        "figures": ("anomalies.csv", r"(?<=,drop,)\d+", "1"),
        "summary": ("summary.json", r"\d+(?=\D*\Z)", "99"),
    }
    if "totals.csv" in view.specification.instruction:
        edits["extra"] = ("totals.csv", r"\d+$", "1")
    if "excused.txt" in view.specification.instruction:
        edits["extra"] = ("excused.txt", r"E-\d$", "E-9")
    return faults_of(view, edits)


def _row(metrics: Metrics, one: Point) -> tuple[str, str, int, int]:
    return (metrics.shown(one.day), one.name, one.value, one.load)


def _file(metrics: Metrics, one: Point) -> str:
    if metrics.facets.data == "by_name":
        return f"{one.name.lower().replace(' ', '_')}.csv"
    return f"week_{metrics.shown(one.day // 7 * 7)}.csv"


def _files(metrics: Metrics, points: Iterable[Point]) -> dict[str, str]:
    """Return the files of a folder; in each the loads follow one another."""
    facets = metrics.facets
    rows: dict[str, list[tuple[str, str, int, int]]] = {}
    for one in points:
        rows.setdefault(_file(metrics, one), []).append(_row(metrics, one))
    columns = ("day", facets.dimension, facets.unit, "load")
    return {path: csv_text(columns, found) for path, found in sorted(rows.items())}


def _reload(metrics: Metrics) -> tuple[Predicate, tuple[WorkspaceChange, ...]]:
    """Return when the user has seen enough, and what is changed."""
    place = metrics.facets.place
    if metrics.facets.data == "store":
        before = {(one.day, one.name): one for one in metrics.points if one.load < 500}
        edits = [
            edit(
                f"{place}.sql",
                insert_row("daily", _row(metrics, before[one.day, one.name])),
                insert_row("daily", _row(metrics, one)),
            )
            for one in metrics.reloaded
        ]
        return has_queried(place), tuple(edits)
    path = _file(metrics, metrics.reloaded[0])
    text = _files(metrics, metrics.after())[path]
    others = [one for one in _files(metrics, metrics.points) if one != path]
    seen = all_of(
        has_read(f"{place}/{path}"),
        any_of(*(has_read(f"{place}/{one}") for one in others[:WEEKS])),
    )
    return seen, (overwrite(f"{place}/{path}", text),)


def _user(brief: Brief, metrics: Metrics) -> Plan:
    seen, edits = _reload(metrics)
    name, monday = metrics.reloaded[0].name, metrics.shown(metrics.reloaded[0].day)
    return plan(
        brief,
        name=metrics.keeper,
        goal="wants the week that was loaded again judged, not the half of it",
        signals=(
            changes("reload", seen, *edits),
            tells(
                "tell",
                all_of(has_fired("reload"), has_spoken()),
                brief.pick(
                    f"The load for {name} had stopped halfway in the week of {monday}; I "
                    "have loaded that week again just now.",
                    f"Sorry, I had to load {name} once more for the week beginning "
                    f"{monday}. What you read before is out of date.",
                    f"A part of the figures was loaded again while you were reading: "
                    f"{name}, week of {monday}.",
                ),
            ),
        ),
    )


FAMILY = Family(
    name="metric_anomalies",
    title="Daily figures searched for anomalies",
    scenario="analysis",
    capabilities=(
        "detect_anomalies",
        "calculate",
        "follow_policy",
        "recover_from_change",
    ),
    artefacts=("table", "record"),
    pattern="patches",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
