"""How policy, tickets, calendar and request are worded."""

from datetime import date

from envplatform.cowork.families.sprint_assignment.records import (
    Absence,
    Facets,
    Item,
    Planning,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

PERIODS = {"software": "sprint", "maintenance": "work period", "marketing": "cycle"}
ITEMS = {"software": "ticket", "maintenance": "work order", "marketing": "task"}


def policy_text(planning: Planning) -> str:
    """Return the rules by which items are given out."""
    facets = planning.facets
    item, period = ITEMS[facets.trade], PERIODS[facets.trade]
    order = {
        "smaller": "by priority (1 comes first), within a priority the smaller estimate "
        "first, within the same estimate by number",
        "older": "by priority (1 comes first), within a priority the one created earlier "
        "first, on the same day by number",
        "value": "by value, the highest first, within the same value by number",
    }[facets.order]
    depends = {
        "taken_before": f"When a {item} has its turn, everything that it depends on must "
        "be done or have been taken in an earlier turn. Otherwise it is left over.",
        "done_only": f"A {item} is taken only if everything that it depends on is done "
        f"already. What is merely planned for the same {period} is not enough; such a "
        f"{item} is left over.",
        "first_ready": f"A {item} waits until everything that it depends on is done or "
        f"taken. The next turn always belongs to the first {item} in this order that has "
        "not had one and does not wait. What still waits in the end is left over.",
    }[facets.depends]
    skills = {
        "any": f"Whoever has the skill that the {item} asks for may get it, whether it "
        "is named first or second.",
        "main_first": "Those whose main skill (the first one named) it is are asked "
        "first. Only if none of them has room, those who have it as their second skill.",
        "main_only": "Only those whose main skill (the first one named) it is may get "
        "it. Second skills are for helping out, not for planning.",
    }[facets.skills]
    chooses = {
        "most_free": "the one with most free hours gets it; if several have as many, the "
        "one who stands first in the list of people",
        "roster": "the one who stands first in the list of people gets it",
        "fewest_items": f"the one with the fewest {item}s so far gets it; if several "
        "have as few, the one who stands first in the list of people",
    }[facets.chooses]
    away = {
        "all": "Every absence counts, whether approved or only requested.",
        "approved": "Absences count once they are approved; those only requested do not.",
        "training_half": "Leave counts in full, approved or only requested. On a day of "
        "training half of the hours remain.",
    }[facets.away]
    return filled(
        f"""# How we plan a {period}

We plan on paper first and talk about it afterwards. Nobody picks {item}s for
themselves, and nobody's favourites go first.

## Hours

- The coming {period} runs from {planning.start} to {planning.end}, Monday to Friday.
- On {_day(planning.closed[0])} the house is closed: nobody works.
- Somebody's hours are the hours a day in the list of people times the days on which
  they are there. {away}
- Of these hours {planning.reserve} % are held back for meetings and what comes up. The
  rest, rounded down to whole hours, is the capacity.

## Turns

- Only {item}s that are open are planned. They have their turns one after the other:
  {order}. Each has one turn.
- {depends}
- {skills} Somebody has room if the estimate is not above the hours that they have free.
  Of those who have room, {chooses}.
- A {item} is never split. If nobody has room, it is left over, and the next one has its
  turn.

## Why something is left over

The first that applies: `dependency` if it waits for another one, `skill` if nobody may
get it whatever their hours, `capacity` otherwise.

The {period} is reviewed on its last Friday. Estimates are not changed afterwards.
"""
    )


def ticket_text(one: Item) -> str:
    """Return one item as a file."""
    return (
        f"# {one.number} {one.title}\n\n"
        f"Status: {one.status}\n"
        f"Skill: {one.skill}\n"
        f"Priority: {one.priority}\n"
        f"Estimate: {one.hours} h\n"
        f"Value: {one.value}\n"
        f"Created: {one.created}\n"
        f"Depends on: {', '.join(one.depends_on) or '-'}\n"
    )


def calendar_text(planning: Planning) -> str:
    """Return the absences as the team keeps them in prose."""
    lines = "".join(absence_line(one) for one in planning.absences)
    return f"""# Who is away

One line each, first and last day included. Weekends do not need to be left out. Trainings
are booked by the office, leave is approved by the lead.

{lines}"""


def absence_line(one: Absence) -> str:
    """Return one absence as the calendar has it."""
    return f"- {one.name}: {one.first} to {one.last}, {one.kind} ({one.status})\n"


def instruction_of(brief: Brief, planning: Planning) -> str:
    """Return the request."""
    facets, lead = planning.facets, planning.lead
    item, period = ITEMS[facets.trade], PERIODS[facets.trade]
    task = brief.pick(
        f"plan the next {period}: who gets which {item}, and what stays behind.",
        f"the {item}s for the coming {period} have to be given out to the team.",
        f"we need the {period} from {planning.start} on planned by our own rules.",
    )
    policy = brief.pick(
        f"the rules are written down in `{facets.root}/rules.md` and leave no choice",
        f"go by `{facets.root}/rules.md`, turn by turn",
        f"whatever the {item}s look like, `{facets.root}/rules.md` decides",
    )
    user = brief.pick(
        f"{lead} leads the team and reads along: say with `ws say` when you have seen "
        f"{item}s, people and absences, and look at what changed before you deliver",
        f"before you write anything, tell {lead}, who leads the team, with `ws say` that "
        "you are through with the data; things still move on the last day",
        f"{lead} answers on `ws say`; report there once everything is read, because the "
        "plan has to fit what holds at the end",
    )
    points = [
        _table(brief, facets, item),
        _load(brief, facets),
        _left(brief, facets, item),
        *_extra(brief, planning, item),
    ]
    return instruction(brief, task, points=points, marks=(policy, user))


def _table(brief: Brief, facets: Facets, item: str) -> str:
    rows = {
        "turn": "in the order in which they were taken",
        "person": "by person in the order of the list of people, for each in the order "
        "in which they were taken",
        "item": f"by the number of the {item}",
    }[facets.rows]
    which = brief.pick(f"every {item} that is taken", f"all {item}s taken, one a line")
    rest = {
        "taken": "; nothing else stands there",
        "all": f". The open {item}s that are left over follow at the end, by number, with "
        "`-` as person",
    }[facets.listed]
    return brief.pick(
        f"- `/workspace/plan.csv` has the columns `item`, `person` and `hours` under a "
        f"head line and holds {which}, {rows}{rest}.",
        f"- Write {which}, to `/workspace/plan.csv` (head line `item`, `person`, "
        f"`hours`), {rows}{rest}.",
    )


def _load(brief: Brief, facets: Facets) -> str:
    order = "everybody, in the order of the list of people"
    return {
        "csv": brief.pick(
            "- `/workspace/load.csv` shows how full everybody is: columns `person`, "
            f"`capacity`, `planned` and `free` in whole hours; {order}.",
            "- Hours per head go into `/workspace/load.csv`, columns `person`, "
            f"`capacity`, `planned`, `free` (whole hours), {order}.",
        ),
        "json": "- `/workspace/load.json` is one object: for the name of everybody in "
        "the team an object with `capacity`, `planned` and `items`, the hours as numbers "
        "and the numbers of their items sorted.",
        "percent": "- `/workspace/load.csv` has `person`, `capacity`, `planned` and "
        "`percent`, where percent is what is planned of the capacity, rounded down to "
        f"whole percent without a sign; {order}.",
    }[facets.load]


def _left(brief: Brief, facets: Facets, item: str) -> str:
    why = "`dependency`, `skill` or `capacity`"
    return {
        "csv": f"- `/workspace/left.csv` names each open {item} that is left over, by "
        f"number, in the columns `item`, `hours` and `reason` ({why}).",
        "json": f"- `/workspace/left.json`: the {item}s that are left over, as an object "
        f"with their reasons ({why}, those that occur), each with the sorted list of "
        "numbers.",
        "txt": brief.pick(
            f"- `/workspace/left.txt` has a line `NUMBER: REASON` for each {item} that "
            f"is left over, by number; the reason is {why}.",
            f"- For what is left over a plain list is enough, `/workspace/left.txt`: by "
            f"number, a line `NUMBER: REASON` each, with {why}.",
        ),
    }[facets.left]


def _extra(brief: Brief, planning: Planning, item: str) -> tuple[str, ...]:
    skills = (
        "- `/workspace/skills.csv` tells where we are short: for each skill among the "
        f"{item}s that are left over, by name, the columns `skill`, `items` and `hours`."
    )
    note = (
        f"- `/workspace/note.md` is for {planning.lead}, four lines and no more: "
        f"`Taken: N of M` (open {item}s), `Hours planned: N`, `Hours free: N` and "
        "`Fullest: NAME`, who has the fewest hours free (the first in the list of people "
        "if several have)."
    )
    del brief
    return {"skills": (skills,), "note": (note,)}.get(planning.facets.extra, ())


def _day(day: str) -> str:
    return f"{date.fromisoformat(day):%A}, {day},"
