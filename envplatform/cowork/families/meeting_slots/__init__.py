"""Meetings put into people's calendars by rules, with what only the host knows."""

from dataclasses import asdict
from typing import Literal

from envplatform.cowork.conversation import (
    all_of,
    has_called,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Route, Sheet
from envplatform.cowork.families.meeting_slots.deciding import every_rule_decides
from envplatform.cowork.families.meeting_slots.drawing import draw_round, drawn_again
from envplatform.cowork.families.meeting_slots.papers import (
    calendar_file,
    clock,
    entries_of,
    instruction_of,
    request_text,
    rules_text,
)
from envplatform.cowork.families.meeting_slots.records import Busy, Facets, Round
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
)
from envplatform.user.plan import Fact, Plan
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw rules and people, then calendars and requests in which each rule decides."""
    round_ = draw_round(brief.chance, brief.names)
    while not every_rule_decides(round_):
        round_ = drawn_again(brief.chance, round_)
    return Specification(
        instruction=instruction_of(brief, round_),
        parameters=round_.parameters(),
        criteria=criteria_of(round_.facets),
        facets={n: str(value) for n, value in asdict(round_.facets).items()},
        drawn=round_,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("meetings", "invitations", "unplaced", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay rules, directory, calendars, rooms and requests out."""
    round_ = specification.drawn_as(Round)
    desk = Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('meetings', 'placing_meetings', 'calendar_rules')}.md",
        rules_text(round_),
        about="How meetings are placed.",
        kind="schema",
    )
    desk.rows(
        "directory",
        "directory.csv",
        ("person", "city", "hours_ahead_of_utc", "works_from", "works_to"),
        [
            (o.name, o.city, o.offset, clock(o.begins * 60), clock(o.begins * 60 + 480))
            for o in round_.people
        ],
        about="Who sits where, and when they work.",
    )
    _lay_calendars(desk, round_)
    _lay_rooms(desk, round_)
    desk.folder(
        "requests",
        "inbox/requests",
        {f"{one.number}.txt": request_text(one) for one in round_.meetings},
        about="Meetings that were asked for.",
    )
    return Build(
        desk=desk,
        user=_user(brief, round_),
        operations=TALKING,
        transformable=("directory", "requests", "rules"),
    )


def _lay_calendars(desk: Desk, round_: Round) -> None:
    about = "Calendars of the days in question."
    if round_.facets.calendars == "files":
        files = {f"{slug(o.name)}.txt": calendar_file(round_, o) for o in round_.people}
        desk.folder("calendars", "calendars", files, about=about)
        return
    routes = [Route(path="/people", body=[slug(one.name) for one in round_.people])]
    for one in round_.people:
        body = {"person": one.name, "entries": _entries(round_, one.name)}
        routes.append(Route(path=f"/calendars/{slug(one.name)}", body=body))
    about += " GET /people, GET /calendars/PERSON."
    desk.service("calendars", "services/calendar", routes, about=about)


def _entries(round_: Round, name: str) -> list[dict[str, str | bool]]:
    person = next(one for one in round_.people if one.name == name)
    return [
        {
            "day": busy.day,
            "from": clock(busy.start),
            "to": clock(busy.end),
            "title": busy.what,
            "tentative": busy.is_tentative,
        }
        for busy in entries_of(round_, person)
    ]


def _lay_rooms(desk: Desk, round_: Round) -> None:
    rooms = [(one.name, one.seats) for one in round_.rooms]
    bookings = [_times(one) for one in round_.bookings]
    columns = {"room": "TEXT PRIMARY KEY", "seats": "INTEGER NOT NULL"}
    names = ("room", "day", "starts", "ends", "what")
    sheets = {
        "rooms": Sheet(columns=columns, rows=rooms),
        "bookings": Sheet(columns=dict.fromkeys(names, "TEXT NOT NULL"), rows=bookings),
    }
    about = "Tables rooms (the list of rooms, in its order) and bookings."
    desk.store("rooms", "stores/rooms", sheets, about=about)


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    asked = view.specification.instruction
    facets = view.specification.facets
    settled = view.specification.parameters["settled"]
    edits = {
        "meetings": ("meetings.csv", r"^M-(\d),", "M-9,"),
        "invitations": {
            "files": (f"invitations/{settled}.txt", r"^Subject: M-", "Subject: X-"),
            "one": ("invitations.md", r"^Subject: M-", "Subject: X-"),
            "json": ("invitations.json", r'"subject": "M-', '"subject": "X-'),
        }[facets["invites"]],
        "unplaced": (f"unplaced.{facets['unplaced']}", r"no_room", "no_chairs"),
    }
    if "people.csv" in asked:
        edits["extra"] = ("people.csv", r",\d+$", ",1")
    return faults_of(view, edits)


def slug(name: str) -> str:
    """Return a name as files and paths have it."""
    return name.lower().replace(" ", "_")


def _times(busy: Busy) -> tuple[str, str, str, str, str]:
    return (busy.who, busy.day, clock(busy.start), clock(busy.end), busy.what)


def _user(brief: Brief, round_: Round) -> Plan:
    number, minutes = round_.longer
    untold: Literal["person", "day", "length"] = round_.facets.untold
    text = {
        "person": f"{round_.added[1]} has to be in {round_.added[0]} as well",
        "day": f"nothing can be on {round_.days[0]}, we are all at the fair then",
        "length": f"{number} takes {minutes} minutes, whatever was asked for",
    }[untold]
    seen = {
        "files": has_read(f"calendars/{slug(round_.people[0].name)}.txt"),
        "service": has_called("services/calendar", 3),
    }[round_.facets.calendars]
    if round_.facets.trigger == "rooms":
        seen = all_of(seen, has_queried("stores/rooms"))
    message = brief.pick(
        "Good that you ask before it goes out: {known}.",
        "There is one thing that nobody has entered. {known}.",
        "You can't know this from the calendars, but {known}. All else is as you have it.",
    )
    return plan(
        brief,
        name=round_.host,
        goal="wants the meetings to respect what stands in no calendar",
        facts=(Fact(id="known", text=text),),
        signals=(tells("tell", all_of(seen, has_spoken()), message),),
    )


FAMILY = Family(
    name="meeting_slots",
    title="Meetings put into people's calendars",
    scenario="calendars",
    capabilities=(
        "schedule",
        "ask_when_unclear",
        "follow_policy",
        "draft",
        "cross_reference",
        "report_honestly",
    ),
    artefacts=("table", "message"),
    pattern="dialogue",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
