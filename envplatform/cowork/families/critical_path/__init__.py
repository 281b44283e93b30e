"""A schedule with its critical path, from a list of tasks that holds mistakes."""

from dataclasses import asdict, astuple

from envplatform.cowork.desk import Cell, Desk, Sheet
from envplatform.cowork.families.critical_path.drawing import (
    Facets,
    Project,
    Task,
    draw_project,
)
from envplatform.cowork.families.critical_path.papers import (
    guide_text,
    instruction_of,
    sheet_text,
)
from envplatform.cowork.family import (
    READING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
)
from envplatform.workspace import Fault

_COLUMNS = {
    "task": "TEXT NOT NULL",
    "name": "TEXT NOT NULL",
    "team": "TEXT NOT NULL",
    "days": "INTEGER NOT NULL",
    "after": "TEXT NOT NULL",
    "not_before": "TEXT NOT NULL",
    "revised": "TEXT NOT NULL",
}


def specify(brief: Brief) -> Specification:
    """Draw a project and how its schedule is wanted."""
    project = draw_project(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, project),
        parameters=project.parameters(),
        criteria=criteria_of(project.facets),
        facets={n: str(value) for n, value in asdict(project.facets).items()},
        drawn=project,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("schedule", "summary", "problems", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay guide and list out."""
    del brief
    project = specification.drawn_as(Project)
    root, facets = project.facets.root, project.facets
    desk = Desk()
    desk.document(
        "guide",
        f"{root}/guide.md",
        guide_text(project),
        about="How dates are worked out.",
        kind="schema",
    )
    rows = [_row(one) for one in project.tasks]
    about = "The list of tasks."
    if facets.tasks_in == "csv":
        desk.rows("tasks", f"{root}/tasks.csv", tuple(_COLUMNS), rows, about=about)
    elif facets.tasks_in == "store":
        sheets = {"tasks": Sheet(columns=_COLUMNS, rows=rows)}
        desk.store("tasks", f"{root}/tasks", sheets, about="Table tasks.")
    else:
        sheets_of = enumerate(project.tasks, 1)
        files = {f"sheet_{place:02}.txt": sheet_text(one) for place, one in sheets_of}
        desk.folder("tasks", f"{root}/tasks", files, about="A sheet for each task.")
    is_stored = facets.tasks_in == "store"
    return Build(
        desk=desk,
        operations=READING,
        transformable=("guide",) if is_stored else ("guide", "tasks"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    kind = facets["problems"]
    edits = {
        "schedule": ("schedule.csv", r"^T-\d\d,", "T-99,"),
        "summary": {
            "project": ("summary.json", r'"workdays": \d+', '"workdays": 1'),
            "teams": ("summary.json", r'"days": \d+', '"days": 1'),
            "months": ("summary.json", r'"T-\d\d"', '"T-99"'),
        }[facets["summary"]],
        "problems": (f"problems.{kind}", r"T-\d\d", "T-99"),
    }
    if facets["extra"] == "milestones":
        edits["extra"] = ("milestones.csv", r",\d\d", ",99")
    if facets["extra"] == "running":
        edits["extra"] = ("running.txt", r"^Running: \d+", "Running: 99")
    return faults_of(view, edits)


def _row(one: Task) -> tuple[Cell, ...]:
    number, name, team, days, after, earliest, revised = astuple(one)
    return (number, name, team, days, " ".join(after), earliest, revised)


FAMILY = Family(
    name="critical_path",
    title="A schedule with its critical path",
    scenario="projects",
    capabilities=(
        "plan",
        "calculate",
        "detect_anomalies",
        "follow_policy",
        "report_honestly",
    ),
    artefacts=("plan", "table", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
