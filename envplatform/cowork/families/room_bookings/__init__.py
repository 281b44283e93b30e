"""Rooms of a week given out by rank, and refused with a reason."""

from collections.abc import Sequence
from dataclasses import asdict

from envplatform.cowork.desk import Cell, Desk, Sheet
from envplatform.cowork.families.room_bookings.deciding import every_rule_decides
from envplatform.cowork.families.room_bookings.drawing import (
    Facets,
    Request,
    Room,
    Week,
    draw_week,
    with_requests,
)
from envplatform.cowork.families.room_bookings.papers import (
    instruction_of,
    request_text,
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

ASKED = (
    "request",
    "department",
    "kind",
    "people",
    "equipment",
    "day",
    "start",
    "end",
    "submitted",
)
BOOKED = ("room", "day", "start", "end", "booked_by")


def specify(brief: Brief) -> Specification:
    """Draw a week, then requests in which each rule decides something."""
    week = draw_week(brief.chance, brief.names)
    while not every_rule_decides(week):
        week = with_requests(brief.chance, week)
    facets = asdict(week.facets)
    return Specification(
        instruction=instruction_of(brief, week),
        parameters=week.parameters(),
        criteria=criteria_of(week.facets),
        facets={name: str(value) for name, value in facets.items()},
        drawn=week,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("bookings", "refusals", "utilisation", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay house and requests out."""
    week = specification.drawn_as(Week)
    desk = Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('rooms', 'house_rules', 'booking')}.md",
        rules_text(week),
        about="How rooms are given.",
        kind="schema",
    )
    shown = ["rules"]
    shown += _lay_house(desk, week)
    shown += _lay_requests(desk, week)
    return Build(desk=desk, transformable=tuple(shown))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    refused = {
        "table": ("refusals.csv", r"too_large$", "taken"),
        "reasons": ("refusals.json", r"too_large", "taken_away"),
        "lines": ("refusals.txt", r"too_large$", "taken"),
    }
    extra = {
        "answers": ("answers.json", r"too_large", "taken"),
        "shortage": ("shortage.csv", r"\d$", "x"),
    }
    edits = {
        "bookings": ("bookings.csv", r"^R-\d+,", "R-1,"),
        "refusals": refused[facets["refusals"]],
        "utilisation": ("utilisation.json", r": \"?\d+", ': "9'),
        "extra": extra.get(facets["extra"], ("", "", "")),
    }
    if facets["utilisation"] != "percent":
        edits["utilisation"] = ("utilisation.json", r": \d+", ": 999")
    return faults_of(view, edits)


def _lay_house(desk: Desk, week: Week) -> tuple[str, ...]:
    facets = week.facets
    has_hours = facets.opening == "rooms"
    hours = ("opens", "closes") if has_hours else ()
    columns = ("room", "floor", "seats", "equipment", *hours)
    rooms = [_room(one, has_hours=has_hours) for one in week.rooms]
    booked = [
        (one.room, one.slot.day, one.slot.start, one.slot.end, one.by)
        for one in week.bookings
    ]
    if facets.rooms == "csv":
        desk.rows("rooms", f"{facets.at}/rooms.csv", columns, rooms, about="All rooms.")
        path = f"{facets.at}/calendar.csv"
        desk.rows("calendar", path, BOOKED, booked, about="What is booked.")
        return ("rooms", "calendar")
    sheets = {"rooms": _sheet(columns, rooms), "bookings": _sheet(BOOKED, booked)}
    about = "Tables rooms and bookings, one row each."
    desk.store("house", f"{facets.at}/house", sheets, about=about)
    return ()


def _lay_requests(desk: Desk, week: Week) -> tuple[str, ...]:
    path, rows = f"{week.facets.at}/requests", [_asked(one) for one in week.requests]
    match week.facets.requests:
        case "csv":
            desk.rows("requests", f"{path}.csv", ASKED, rows, about="All requests.")
        case "store":
            sheets = {"requests": _sheet(ASKED, rows)}
            desk.store("requests", path, sheets, about="Table requests, one row each.")
            return ()
        case _:
            files = {f"{one.number}.txt": request_text(one) for one in week.requests}
            desk.folder("requests", path, files, about="Requests as they were mailed.")
    return ("requests",)


def _sheet(columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]]) -> Sheet:
    numbers = {"floor", "seats", "people"}
    return Sheet(
        columns={
            f'"{one}"': "INTEGER NOT NULL" if one in numbers else "TEXT NOT NULL"
            for one in columns
        },
        rows=rows,
    )


def _room(one: Room, *, has_hours: bool) -> tuple[Cell, ...]:
    hours = (one.opens, one.closes) if has_hours else ()
    return (one.name, one.floor, one.seats, "; ".join(one.equipment), *hours)


def _asked(one: Request) -> tuple[Cell, ...]:
    return (
        one.number,
        one.department,
        one.kind,
        one.people,
        "; ".join(one.equipment),
        one.slot.day,
        one.slot.start,
        one.slot.end,
        one.submitted,
    )


FAMILY = Family(
    name="room_bookings",
    title="Rooms of a week given out by rank",
    scenario="calendars",
    capabilities=("schedule", "follow_policy", "report_honestly"),
    artefacts=("plan", "table", "record"),
    pattern="single_turn",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
