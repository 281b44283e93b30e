"""Work given out to a team by written rules, while the team still changes."""

from dataclasses import asdict, astuple

from envplatform.cowork.conversation import (
    all_of,
    append,
    changes,
    edit,
    has_fired,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Cell, Desk, Sheet, csv_text, insert_row
from envplatform.cowork.families.sprint_assignment.drawing import draw_planning
from envplatform.cowork.families.sprint_assignment.papers import (
    ITEMS,
    absence_line,
    calendar_text,
    instruction_of,
    policy_text,
    ticket_text,
)
from envplatform.cowork.families.sprint_assignment.records import (
    Facets,
    Item,
    Person,
    Planning,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
)
from envplatform.user.plan import Plan, WorkspaceChange
from envplatform.user.predicates import Predicate
from envplatform.workspace import Fault

_COLUMNS = {
    "item": "TEXT PRIMARY KEY",
    "title": "TEXT NOT NULL",
    "skill": "TEXT NOT NULL",
    "priority": "INTEGER NOT NULL",
    "hours": "INTEGER NOT NULL",
    "value": "INTEGER NOT NULL",
    "created": "TEXT NOT NULL",
    "depends_on": "TEXT NOT NULL",
    "status": "TEXT NOT NULL",
}
_AWAY = ("person", "first_day", "last_day", "kind", "status")
_PEOPLE = ("person", "hours_a_day", "skills")


def specify(brief: Brief) -> Specification:
    """Draw rules, team and work."""
    planning = draw_planning(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, planning),
        parameters=planning.parameters(),
        criteria=criteria_of(planning.facets),
        facets={n: str(value) for n, value in asdict(planning.facets).items()},
        drawn=planning,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    return ("plan", "load", "left", *(() if facets.extra == "none" else ("extra",)))


def build(brief: Brief, specification: Specification) -> Build:
    """Lay rules, team and work out."""
    planning = specification.drawn_as(Planning)
    root, facets = planning.facets.root, planning.facets
    desk = Desk()
    desk.document(
        "rules",
        f"{root}/rules.md",
        policy_text(planning),
        about="How work is planned.",
        kind="schema",
    )
    desk.rows(
        "people",
        f"{root}/people.csv",
        _PEOPLE,
        [_person(one) for one in planning.people],
        about="The list of people.",
        kind="state",
    )
    _lay_items(desk, planning)
    if facets.absences_in == "csv":
        rows = [astuple(one) for one in planning.absences]
        away = csv_text(_AWAY, rows)
    else:
        away = calendar_text(planning)
    desk.document("absences", _away(facets), away, about="Who is away.", kind="state")
    return Build(
        desk=desk,
        user=_user(brief, planning),
        operations=TALKING,
        transformable=("absences", "people", "rules"),
    )


def _lay_items(desk: Desk, planning: Planning) -> None:
    facets = planning.facets
    about = f"All {ITEMS[facets.trade]}s."
    place = f"{facets.root}/items"
    rows = [_row(one) for one in planning.items]
    if facets.items_in == "csv":
        desk.rows("items", f"{place}.csv", tuple(_COLUMNS), rows, about=about)
    elif facets.items_in == "store":
        desk.store(
            "items", place, {"items": Sheet(columns=_COLUMNS, rows=rows)}, about=about
        )
    else:
        files = {f"{one.number}.md": ticket_text(one) for one in planning.items}
        desk.folder("items", place, files, about=about)


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    asked = view.specification.instruction
    edits = {"plan": ("plan.csv", r"^(W-\d+,[^,\n]+,)\d+$", "W-999,nobody,1")}
    edits["load"] = (
        ("load.csv", r",\d+$", ",x")
        if "load.csv" in asked
        else ("load.json", r'"planned": \d+', '"planned": -1')
    )
    edits["left"] = next(
        (path, r"W-\d", "W-9")
        for path in ("left.csv", "left.json", "left.txt")
        if path in asked
    )
    if "skills.csv" in asked:
        edits["extra"] = ("skills.csv", r",\d+$", ",x")
    if "note.md" in asked:
        edits["extra"] = ("note.md", r"^Taken: \d+", "Taken: 0")
    return faults_of(view, edits)


def _row(one: Item) -> tuple[Cell, ...]:
    *rest, needs, status = astuple(one)
    return (*rest, " ".join(needs), status)


def _person(one: Person) -> tuple[Cell, ...]:
    return (one.name, one.hours_a_day, " ".join(one.skills))


def _away(facets: Facets) -> str:
    name = "absences.csv" if facets.absences_in == "csv" else "calendar.md"
    return f"{facets.root}/{name}"


def _user(brief: Brief, planning: Planning) -> Plan:
    facets = planning.facets
    seen = _seen(planning)
    change = _edit(planning)
    message = brief.pick(
        "Something moved just now, on our side; it is entered. Look once more at people, "
        "absences and estimates before you give anything out.",
        f"One of our entries is not the same as this morning. I have put it right in "
        f"`{facets.root}`, so please do not plan with what you read before.",
        "Sorry, there has been a change after you began. It stands in the data by now.",
    )
    signals = (
        (
            changes("moves", seen, change),
            tells("tell", all_of(has_fired("moves"), has_spoken()), message),
        )
        if facets.telling == "quiet"
        else (changes("moves", all_of(seen, has_spoken()), change, message=message),)
    )
    return plan(
        brief,
        name=planning.lead,
        goal=f"wants the plan to fit what was entered about {planning.change.name}",
        signals=signals,
    )


def _seen(planning: Planning) -> Predicate:
    """Whether what will change has been looked at."""
    facets, name = planning.facets, planning.change.name
    if facets.event == "absence":
        return has_read(_away(facets))
    if facets.event == "part_time":
        return has_read(f"{facets.root}/people.csv")
    return {
        "csv": has_read(f"{facets.root}/items.csv"),
        "store": has_queried(f"{facets.root}/items"),
        "tickets": has_read(f"{facets.root}/items/{name}.md"),
    }[facets.items_in]


def _edit(planning: Planning) -> WorkspaceChange:
    facets, change = planning.facets, planning.change
    if change.absence:
        in_csv = facets.absences_in == "csv"
        row = csv_text(_AWAY, [astuple(change.absence)]).partition("\n")[2]
        return append(_away(facets), row if in_csv else absence_line(change.absence))
    if facets.event == "part_time":
        return edit(
            f"{facets.root}/people.csv",
            f"{change.name},{change.before},",
            f"{change.name},{change.after},",
        )
    item = next(one for one in planning.items if one.number == change.name)
    old = _row(item)
    new = tuple(change.after if at == 4 else cell for at, cell in enumerate(old))
    place = f"{facets.root}/items"
    match facets.items_in:
        case "csv":
            lines = [csv_text((), [row]).strip() for row in (old, new)]
            return edit(f"{place}.csv", lines[0], lines[1])
        case "store":
            return edit(
                f"{place}.sql", insert_row("items", old), insert_row("items", new)
            )
        case _:
            return edit(
                f"{place}/{item.number}.md",
                f"Estimate: {change.before} h",
                f"Estimate: {change.after} h",
            )


FAMILY = Family(
    name="sprint_assignment",
    title="Work given out to a team by written rules",
    scenario="projects",
    capabilities=(
        "plan",
        "schedule",
        "calculate",
        "follow_policy",
        "recover_from_change",
    ),
    artefacts=("plan", "table"),
    pattern="patches",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
