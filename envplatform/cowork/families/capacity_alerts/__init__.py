"""Volumes watched by growth and days to full, with silences and windows."""

from dataclasses import asdict

from envplatform.cowork.desk import Desk, Sheet, csv_text
from envplatform.cowork.families.capacity_alerts.drawing import (
    Facets,
    Fleet,
    draw_fleet,
)
from envplatform.cowork.families.capacity_alerts.papers import (
    instruction_of,
    rules_text,
)
from envplatform.cowork.family import (
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
)
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw volumes and what is to be told of them."""
    fleet = draw_fleet(brief.chance, brief.names)
    facets = asdict(fleet.facets)
    return Specification(
        instruction=instruction_of(brief, fleet),
        parameters=fleet.parameters(),
        criteria=criteria_of(fleet.facets),
        facets={name: str(value) for name, value in facets.items()},
        drawn=fleet,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("levels", "figures", "summary", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay samples and rules out."""
    fleet = specification.drawn_as(Fleet)
    at, desk = fleet.facets.at, Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('capacity', 'watching', 'levels')}.md",
        rules_text(fleet),
        about="How capacity is watched.",
        kind="schema",
    )
    volumes = [(one.name, one.host, one.team, one.size) for one in fleet.volumes]
    head = ("volume", "host", "team", "size")
    about = "All volumes, sizes in MB."
    desk.rows("volumes", f"{at}/volumes.csv", head, volumes, about=about)
    path, about = f"{at}/samples", "Used MB, one sample a day."
    rows = [
        (day, one.name, one.used[day])
        for day in fleet.days
        for one in fleet.volumes
        if day in one.used
    ]
    columns = ("day", "volume", "used")
    match fleet.facets.samples:
        case "csv":
            desk.rows("samples", f"{path}.csv", columns, rows, about=about)
        case "store":
            kinds = ("TEXT NOT NULL", "TEXT NOT NULL", "INTEGER NOT NULL")
            sheet = Sheet(columns=dict(zip(columns, kinds, strict=True)), rows=rows)
            desk.store(
                "samples", path, {"samples": sheet}, about="Table samples, in MB."
            )
        case _:
            files = {
                f"{day}.csv": csv_text(
                    columns[1:], [o[1:] for o in rows if o[0] == day]
                )
                for day in fleet.days
            }
            desk.folder("samples", path, files, about=about)
    return Build(desk=desk, transformable=("rules", "volumes"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    extra = {
        "pages": ("pages.txt", r": .*$", ": none"),
        "orders": ("orders.csv", r"\d$", "x"),
    }
    edits = {
        "levels": ("alerts.csv", r",critical,", ",ok,"),
        "figures": ("alerts.csv", r"(?<=,critical,)\d+", "7"),
        "summary": ("summary.json", r": -?\d+", ": 9999"),
        "extra": extra.get(view.specification.facets["extra"], ("", "", "")),
    }
    return faults_of(view, edits)


FAMILY = Family(
    name="capacity_alerts",
    title="Volumes watched by growth and days to full",
    scenario="operations",
    capabilities=("calculate", "detect_anomalies", "follow_policy", "summarise"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
