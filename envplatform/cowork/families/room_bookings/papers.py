"""How rules, requests and the instruction are worded."""

from envplatform.cowork.families.room_bookings.drawing import Facets, Request, Week
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def rules_text(week: Week) -> str:
    """Return by which rules rooms are given."""
    facets = week.facets
    rank = {
        "class": "Requests are taken by their kind, in this order: "
        f"{', '.join(week.classes)}. Within a kind, whoever asked earlier goes first.",
        "submitted": "Requests are taken in the order in which they were submitted, "
        "whatever they are for.",
        "size": "Requests are taken by the number of people, most first; of equally many, "
        "whoever asked earlier goes first.",
    }[facets.rank]
    opening = {
        "house": "The house is open from 08:00 to 18:00, Monday to Friday.",
        "weekday": "The house is open from 08:00 to 18:00, on Fridays until 14:30 only.",
        "rooms": "Each room has hours of its own, the same on all five days; they stand "
        "in the list of rooms.",
    }[facets.opening]
    gap = {
        "none": "One booking may begin in the minute in which another ends.",
        "all": f"Between two bookings of one room lie at least {week.gap_minutes} "
        "minutes, for airing and tidying up.",
        "kitchen": "Between two bookings of a room with a kitchen lie at least "
        f"{week.gap_minutes} minutes, for clearing away; in other rooms one may begin "
        "when another ends.",
    }[facets.gap]
    limit = {
        "none": "",
        "third": "4. Rooms are left out in which fewer than a third of the seats would "
        "be taken. None left: `too_small`.\n",
        "longest": "",
    }[facets.limit]
    longest = (
        f"No meeting takes longer than {week.most_minutes} minutes, except trainings. A "
        "longer one is refused, `too_long`, before any room is looked at."
        if facets.limit == "longest"
        else ""
    )
    choice = {
        "smallest": "the one with the fewest seats is given",
        "plainest": "the one with the fewest pieces of equipment is given; of equally "
        "many, the one with fewer seats",
        "floor": "the one with the fewest seats on the department's own floor is given, "
        "and if none is on that floor, the one with the fewest seats",
    }[facets.choice]
    last = 5 if limit else 4
    floors = "".join(
        f"- {name}: floor {floor}\n" for name, floor in week.floors.items()
    )
    return filled(f"""# Giving rooms

Rooms belong to nobody. What stands in the calendar stays; nobody is moved for somebody
else.

{rank}

A department that asks for the same day and the same beginning as a request of its own
with a lower number gets nothing for the second one: `repeated`. It is refused wherever
its turn would be, and the first one is not affected. {longest}

For any other request, rooms are looked through in these steps:

1. Rooms that are not open for the whole meeting are left out. None left: `closed`.
2. Rooms with fewer seats than people are left out. None left: `too_large`.
3. Rooms that lack any equipment that was asked for are left out. None left:
`no_equipment`.
{limit}{last}. Rooms that are not free, by the calendar and by what was given before, are left out.
None left: `taken`.

Of the rooms that remain, {choice}.

## Hours

{opening} {gap}

## Floors

{floors}""")


def request_text(one: Request) -> str:
    """Return a request as it was mailed."""
    return (
        f"Number: {one.number}\nSubmitted: {one.submitted}\n"
        f"Department: {one.department}\nKind: {one.kind}\n\n"
        f"Please book a room for {one.people} people on {one.slot.day}, "
        f"{one.slot.start} to {one.slot.end}.\n"
        f"Equipment: {'; '.join(one.equipment) or 'none'}\n"
    )


def instruction_of(brief: Brief, week: Week) -> str:
    """Return the request."""
    facets, day = week.facets, f"{week.monday:%-d %B %Y}"
    where = {
        "csv": f"`{facets.at}/requests.csv`",
        "store": f"the store `{facets.at}/requests`",
        "folder": f"the folder `{facets.at}/requests/`",
    }[facets.requests]
    task = brief.pick(
        f"give out the meeting rooms for the week of {day}; the requests are in {where}.",
        f"the requests for rooms in {where}, for the week of {day}, have to be answered.",
        f"find rooms for the requests in {where} (week of {day}), as far as there are any.",
    )
    house = {
        "csv": f"rooms and calendar are `{facets.at}/rooms.csv` and "
        f"`{facets.at}/calendar.csv`",
        "store": f"rooms and what is booked are in the store `{facets.at}/house`",
    }[facets.rooms]
    rules = brief.pick(
        "who goes first and which room it is stands in `docs/`",
        "go by the rules in `docs/`, there is exactly one right plan",
        "the house rules in `docs/` decide, not who shouts loudest",
    )
    points = [
        _bookings(brief, facets),
        _refusals(brief, facets),
        _utilisation(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=(rules, house))


def _bookings(brief: Brief, facets: Facets) -> str:
    when = {
        "span": "`when` (like `09:00-10:30`)",
        "ends": "`start` and `end` (like `09:00`)",
        "minutes": "`start` (like `09:00`) and `minutes`",
    }[facets.when]
    order = {
        "start": brief.pick(
            "by day and beginning, those at the same time by number",
            "in the order in which the meetings begin, then by number",
        ),
        "room": "by name of the room, then day and beginning",
        "request": brief.pick("in the order of their numbers", "by request number"),
    }[facets.order]
    return brief.pick(
        f"- `/workspace/bookings.csv` has a row for each request that gets a room, {order}: "
        f"`request`, `room`, `day`, {when}, under a head line.",
        f"- New bookings go into `/workspace/bookings.csv`, {order}; the columns are "
        f"`request`, `room`, `day`, {when}.",
    )


def _refusals(brief: Brief, facets: Facets) -> str:
    return {
        "table": brief.pick(
            "- `/workspace/refusals.csv` has the columns `request`, `department` and "
            "`reason` for all others, by number.",
            "- All others stand in `/workspace/refusals.csv`, by number, with `request`, "
            "`department` and `reason`.",
        ),
        "reasons": brief.pick(
            "- `/workspace/refusals.json` is an object with every reason that occurs and "
            "the sorted numbers refused for it.",
            "- What is refused goes into `/workspace/refusals.json`: reason to the sorted "
            "list of request numbers.",
        ),
        "lines": brief.pick(
            "- `/workspace/refusals.txt` has a line `NUMBER: REASON` for each request "
            "without a room, by number.",
            "- For what is refused write `/workspace/refusals.txt`, a line "
            "`NUMBER: REASON` each, lowest number first.",
        ),
    }[facets.refusals]


def _utilisation(brief: Brief, facets: Facets) -> str:
    opening = brief.pick(
        "- `/workspace/utilisation.json` tells how full the house is, old and new "
        "bookings together:",
        "- How full it gets, counting old and new bookings, stands in "
        "`/workspace/utilisation.json`:",
    )
    what = {
        "minutes": "the booked minutes of each room in that week.",
        "percent": "for each room the booked minutes in percent of its open minutes in "
        "that week, as text with one decimal, rounded half up (`37.5`).",
        "days": "for each of the five days (`2025-01-31`) the number of bookings.",
    }[facets.utilisation]
    return f"{opening} {what}"


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    answers = brief.pick(
        "- `/workspace/answers.json`, for the departments: name of each that asked, to an "
        "object with its request numbers, each with the room or the reason.",
        "- Each department wants its answer: `/workspace/answers.json`, department to an "
        "object that gives room or reason for each of its request numbers.",
    )
    shortage = brief.pick(
        "- `/workspace/shortage.csv` has `day`, `requests` and `people` for each day on "
        "which something was refused as `taken`: how many such requests, and their "
        "people in all; by day.",
        "- Where rooms are short we want to know: `/workspace/shortage.csv`, by day, the "
        "number of `requests` refused as `taken` and their `people` in all (columns "
        "`day`, `requests`, `people`; days without any are left out).",
    )
    return {"answers": (answers,), "shortage": (shortage,)}.get(facets.extra, ())
