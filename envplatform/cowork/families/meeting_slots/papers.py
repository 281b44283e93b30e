"""How rules, requests, calendars and the user's task are worded."""

from datetime import date

from envplatform.cowork.families.meeting_slots.records import (
    Busy,
    Facets,
    Meeting,
    Person,
    Round,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

GRIDS = {
    "quarter": "at the full hour or 15, 30 or 45 minutes past it",
    "half": "at the full hour or half past",
    "hour": "at the full hour only",
}


def rules_text(round_: Round) -> str:
    """Return the rules by which meetings are placed."""
    facets, office = round_.facets, round_.office
    turns = {
        "listed": "Requests are served in the order of their numbers.",
        "longest": "The longest meeting is placed first; of those equally long, the one "
        "with the lower number.",
        "people": "The meeting with most people is placed first, guests included; of "
        "those with as many, the one with the lower number.",
    }[facets.turns]
    lunch = {
        "none": "There is no common lunch break, people eat when they like.",
        "office": "From 12:00 to 13:00 office time there are no meetings.",
        "own": "Nobody is asked to meet between 12:00 and 13:00 of their own local time.",
    }[facets.lunch]
    gap = {
        "none": "Meetings may follow one another without a break.",
        "15": "Everybody needs 15 minutes between a meeting that we place and anything "
        "else in their day, before and after it. Rooms need no such pause.",
        "30": "Between a meeting that we place and anything else in somebody's day there "
        "are 30 minutes, before and after. Rooms need no such pause.",
    }[facets.gap]
    tentative = {
        "busy": "Entries marked as tentative count like any other.",
        "free": "What is marked as tentative may be overridden: it counts as free.",
    }[facets.tentative]
    rooms = {
        "smallest": "of several, the one with fewest seats",
        "listed": "of several, the one that stands first in the list of rooms",
        "fewest": "of several, the one for which we have placed fewest meetings so far, "
        "and of those the one first in the list of rooms",
    }[facets.rooms]
    clock = {
        "office": "All calendars are kept in office time, wherever their owners sit.",
        "own": "Everybody keeps the calendar in their own local time.",
    }[facets.clock]
    return filled(
        f"""# Placing meetings

Written down after the third week in which somebody in another city was invited to a
meeting before breakfast. Nobody is asked for exceptions.

- Office time is UTC+{office}. The directory says how far everybody's local time is
  ahead of UTC. {clock}
- {turns} A meeting that is placed is an entry in the days of those who attend.
- Each gets the earliest start at which everybody who must attend is free from beginning
  to end and a room is. It begins and ends within the working hours of everybody, which
  the directory gives in local time. Only Monday to Friday, not before the earliest day
  and not after the last day of the request, both included.
- Meetings begin {GRIDS[facets.grid]}, office time.
- {lunch}
- {gap}
- {tentative}
- Each takes place in a room with a seat for everybody, guests included; {rooms}. Rooms
  are booked in office time, and bookings of rooms are never tentative.
- A meeting that can't be placed is left out and told: `no_room` if no room has seats
  enough, else `no_time`. It does not keep the others from being placed.

Invitations go out on the day before. Whoever declines has to say so the same day.
"""
    )


def calendar_file(round_: Round, one: Person) -> str:
    """Return somebody's calendar as text."""
    lines = []
    for busy in entries_of(round_, one):
        mark = " (tentative)" if busy.is_tentative else ""
        times = f"{clock(busy.start)}-{clock(busy.end)}"
        lines.append(f"{busy.day}  {times}  {busy.what}{mark}\n")
    return f"Calendar of {one.name}, {one.city}\n\n{''.join(lines)}"


def entries_of(round_: Round, one: Person) -> list[Busy]:
    """Return somebody's entries in the time in which calendars are kept."""
    ahead = one.offset - round_.office if round_.facets.clock == "own" else 0
    return [
        Busy(
            who=busy.who,
            day=busy.day,
            start=busy.start + 60 * ahead,
            end=busy.end + 60 * ahead,
            what=busy.what,
            is_tentative=busy.is_tentative,
        )
        for busy in round_.calendar
        if busy.who == one.name
    ]


def request_text(one: Meeting) -> str:
    """Return a request as a mail."""
    return (
        f"Subject: {one.number} {one.title}\n\n"
        "Please find a time for this:\n\n"
        f"Minutes: {one.minutes}\n"
        f"Must attend: {', '.join(one.people)}\n"
        f"Guests from outside: {one.guests}\n"
        f"Earliest: {one.first}\n"
        f"Latest: {one.last}\n\n"
        "The invitation may go out as soon as it is settled.\n"
    )


def clock(minutes: int) -> str:
    """Return a time of the day."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def instruction_of(brief: Brief, round_: Round) -> str:
    """Return the request."""
    facets, host = round_.facets, round_.host
    task = brief.pick(
        "a handful of meetings has to be put into everybody's calendars: find the times.",
        f"please find times and rooms for the meetings asked for, {_span(round_)}.",
        "set up the meetings that were asked for, so that nobody has to haggle about "
        "times.",
    )
    rules = brief.pick(
        "the rules in `docs/` leave one time for each, so there is nothing to choose",
        "go by the rules in `docs/` to the minute",
        "what is a possible time is laid down in `docs/`",
    )
    user = brief.pick(
        f"{host} knows things that stand in no calendar: report with `ws say` when you "
        "have seen them all, and before you fix anything",
        f"talk to {host} (`ws say`) once you have been through calendars and rooms; "
        "there is usually something that nobody wrote down",
        f"before you fix the times, tell {host} with `ws say` that you have read "
        "calendars and rooms, and take the answer into account",
    )
    points = [
        _table(brief, facets),
        _invitations(brief, facets),
        _unplaced(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=(rules, user))


def _span(round_: Round) -> str:
    first, last = (date.fromisoformat(day) for day in (round_.days[0], round_.days[-1]))
    return f"{first:%A} {first} to {last:%A} {last}"


def _zone(facets: Facets) -> str:
    return "office time" if facets.shown == "office" else "UTC"


def _table(brief: Brief, facets: Facets) -> str:
    rows = {
        "start": "by start, at the same time by number",
        "meeting": "by the meeting's number",
        "room": "by the name of the room, in one room by start",
    }[facets.rows]
    return brief.pick(
        "- `/workspace/meetings.csv` holds the meetings that have a place, with the "
        f"columns `meeting`, `day`, `from`, `to` ({_zone(facets)}, like `2025-01-31` and "
        f"`09:05`), `room` and `people` (how many, guests included), {rows}.",
        "- Times and rooms go into `/workspace/meetings.csv`: head line `meeting`, `day`, "
        f"`from`, `to`, `room`, `people`; times are {_zone(facets)} (`09:05`), days like "
        f"`2025-01-31`, people are counted with guests; sorted {rows}.",
    )


def _invitations(brief: Brief, facets: Facets) -> str:
    besides = {
        "none": "",
        "local": ", and `Local:` with everybody's name and local time of the start, "
        "`NAME HH:MM`, in the same order and separated by `; `",
        "minutes": ", and `Length: N minutes`",
    }[facets.says]
    lines = (
        "`Subject:` with number and title, `When:` with day, start and end as in the "
        "table (`2025-01-31 09:05-09:50`), `Where:` with the room, `To:` with those who "
        f"attend (without guests), in alphabetical order and separated by `, `{besides}"
    )
    key = {
        "none": "",
        "local": " and `local` (name to local time of the start, `HH:MM`)",
        "minutes": " and `minutes` (a number)",
    }[facets.says]
    return {
        "files": brief.pick(
            f"- One invitation a meeting, `/workspace/invitations/NUMBER.txt`, of these "
            f"lines: {lines}.",
            "- Write an invitation to `/workspace/invitations/NUMBER.txt` for each "
            f"meeting that has a place, line by line: {lines}.",
        ),
        "one": "- All invitations stand in `/workspace/invitations.md`, by number, with "
        f"an empty line between two. Each has these lines: {lines}.",
        "json": "- `/workspace/invitations.json` has, for the number of each meeting "
        "that has a place, an object with `subject` (number and title), `when` "
        "(`2025-01-31 09:05-09:50`, as in the table), `where` (the room), `to` (names of "
        f"those who attend, without guests, sorted){key}.",
    }[facets.invites]


def _unplaced(brief: Brief, facets: Facets) -> str:
    why = "`no_room` or `no_time`"
    return {
        "txt": brief.pick(
            f"- `/workspace/unplaced.txt`: a line `NUMBER: REASON` ({why}) for each "
            "meeting that finds no place, by number.",
            "- Be open about what did not work: `/workspace/unplaced.txt`, by number, a "
            f"line `NUMBER: REASON` each, {why}.",
        ),
        "json": f"- `/workspace/unplaced.json` is an object of the meetings that find no "
        f"place, number to reason ({why}).",
    }[facets.unplaced]


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    people = brief.pick(
        "- `/workspace/people.csv` adds up what each person of the directory gets, in its "
        "order: `person`, `meetings` and `minutes` of those that were placed.",
        "- How much of this falls on whom goes into `/workspace/people.csv`: everybody "
        "in the order of the directory, with `person`, `meetings` and `minutes`.",
    )
    return (people,) if facets.extra == "people" else ()
