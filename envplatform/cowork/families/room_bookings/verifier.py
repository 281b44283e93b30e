"""Grades rooms given out, worked out anew from what is held, in slots of five minutes."""

from __future__ import annotations

import datetime as dt
import json
import re
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from marks import csv_text
from seedlib import Final, overlap, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
AT = FACETS["at"]
MONDAY = dt.date.fromisoformat(DRAWN["monday"])
WEEK = [(MONDAY + dt.timedelta(days=one)).isoformat() for one in range(5)]
HEADS = {"span": ["when"], "ends": ["start", "end"], "minutes": ["start", "minutes"]}
HEAD = ["request", "room", "day", *HEADS[FACETS["when"]]]
Row = dict[str, str]
Booked = list[tuple[str, str, int, int]]
"""Room, day, start and end of bookings."""


class Ask(NamedTuple):
    """One request; times are minutes of the day."""

    number: str
    department: str
    kind: str
    people: int
    wants: frozenset[str]
    day: str
    start: int
    end: int
    submitted: str


class Plan(NamedTuple):
    """Everything decided; `given` and `refused` by number."""

    asks: list[Ask]
    given: dict[str, str]
    refused: dict[str, str]
    booked: Booked
    rooms: list[Row]


def _rows(final: Final, table: str, file: str, kind: str) -> list[Row]:
    if kind == "csv":
        return rows_of(final.held(f"{AT}/{file}.csv")) or []
    store = sqlite3.connect(":memory:")
    store.row_factory = sqlite3.Row
    name = "requests" if table == "requests" else "house"
    store.executescript(final.held(f"{AT}/{name}.sql") or "")
    found = store.execute(f"SELECT * FROM {table}")  # noqa: S608  our names
    return [{key: str(row[key]) for key in row.keys()} for row in found]  # noqa: SIM118


def _asks(final: Final) -> list[Ask]:
    if FACETS["requests"] == "folder":
        folder = Path(final.served / "held" / AT / "requests")
        found = [_mail(one.read_text("utf-8")) for one in folder.glob("*.txt")]
    else:
        found = _rows(final, "requests", "requests", FACETS["requests"])
    texts = ("request", "department", "kind", "people", "equipment", "day")
    asks = []
    for row in found:
        number, department, kind, people, wants, day = (row[one] for one in texts)
        wanted = frozenset(wants.split("; ")) - {"", "none"}
        start, end = _minute(row["start"]), _minute(row["end"])
        rest = (day, start, end, row["submitted"])
        asks.append(Ask(number, department, kind, int(people), wanted, *rest))
    return sorted(asks)


def _mail(text: str) -> Row:
    lines = text.splitlines()
    keys = ("request", "submitted", "department", "kind", "", "asked", "equipment")
    row = {key: line.partition(": ")[2] for key, line in zip(keys, lines, strict=True)}
    told = re.findall(r"\d[\d:-]*", lines[5])
    row["people"], row["day"], row["start"], row["end"] = told
    return row


def _minute(clock: str) -> int:
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def decided(final: Final, misread: str = "") -> Plan:
    """Work everything out; `misread` names a rule that is missed."""
    rooms = _rows(final, "rooms", "rooms", FACETS["rooms"])
    booked = [
        (row["room"], row["day"], _minute(row["start"]), _minute(row["end"]))
        for row in _rows(final, "bookings", "calendar", FACETS["rooms"])
    ]
    plan = Plan(_asks(final), {}, {}, booked, rooms)
    taken = [] if misread == "calendar" else list(booked)
    order = sorted(plan.asks, key=lambda one: (_rank(one), one.submitted))
    for one in plan.asks if misread == "rank" else order:
        room, reason = _answer(plan, one, taken, misread)
        if reason:
            plan.refused[one.number] = reason
            continue
        plan.given[one.number] = room
        for all_of in (taken, booked):
            all_of.append((room, one.day, one.start, one.end))
    return plan


def _rank(one: Ask) -> int:
    place = int(DRAWN["classes"].index(one.kind))
    return {"class": place, "size": -one.people, "submitted": 0}[FACETS["rank"]]


def _answer(plan: Plan, one: Ask, taken: Booked, misread: str) -> tuple[str, str]:
    """Return room and reason."""
    for other in plan.asks:
        same = (other.department, other.day, other.start)
        if other.number < one.number and same == (one.department, one.day, one.start):
            return "", "repeated"
    is_long = one.end - one.start > DRAWN["most_minutes"] and one.kind != "training"
    if FACETS["limit"] == "longest" and is_long:
        return "", "too_long"
    reasons = [_objection(room, one, taken, misread) for room in plan.rooms]
    fit = [room for room, why in zip(plan.rooms, reasons, strict=True) if not why]
    if not fit:
        return "", max(reasons, key=ORDER.index)
    return min(fit, key=lambda room: _liking(room, one))["room"], ""


ORDER = ("closed", "too_large", "no_equipment", "too_small", "taken")
"""How far a room comes before it is left out; a request, as far as the best does."""


def _objection(room: Row, one: Ask, taken: Booked, misread: str) -> str:
    opens, closes = _hours(room, one.day)
    seats = int(room["seats"])
    has = set(room["equipment"].split("; "))
    mine = range(one.start, one.end, 5)
    reasons = {
        "closed": one.start < opens or one.end > closes,
        "too_large": one.people > seats,
        "no_equipment": not one.wants <= has and misread != "equipment",
        "too_small": FACETS["limit"] == "third" and one.people * 3 < seats,
        "taken": not _closed_off(room, one.day, taken).isdisjoint(mine),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _hours(room: Row, day: str) -> tuple[int, int]:
    if FACETS["opening"] == "rooms":
        return _minute(room["opens"]), _minute(room["closes"])
    is_short = FACETS["opening"] == "weekday" and day == WEEK[4]
    return 8 * 60, 14 * 60 + 30 if is_short else 18 * 60


def _closed_off(room: Row, day: str, taken: Booked) -> set[int]:
    """Return each fifth minute in which nothing may lie."""
    gap = DRAWN["gap_minutes"] * (FACETS["gap"] != "none")
    if FACETS["gap"] == "kitchen" and "kitchen" not in room["equipment"]:
        gap = 0
    found: set[int] = set()
    for name, when, start, end in taken:
        if (name, when) == (room["room"], day):
            found.update(range(start - gap, end + gap, 5))
    return found


def _liking(room: Row, one: Ask) -> tuple[int, int]:
    is_far = int(room["floor"]) != DRAWN["floors"][one.department]
    pieces = room["equipment"].count(";")
    by = {"smallest": 0, "plainest": pieces, "floor": int(is_far)}
    return (by[FACETS["choice"]], int(room["seats"]))


def table(plan: Plan) -> list[list[str]]:
    """Return the rows of new bookings in their order."""
    rows = []
    for one in plan.asks:
        start, end = _clock(one.start), _clock(one.end)
        when = {
            "span": [f"{start}-{end}"],
            "ends": [start, end],
            "minutes": [start, str(one.end - one.start)],
        }[FACETS["when"]]
        rows.append([one.number, plan.given.get(one.number, ""), one.day, *when])
    keys = {"start": (2, 3, 0), "room": (1, 2, 3), "request": (0,)}[FACETS["order"]]
    rows.sort(key=lambda row: [row[at][: 5 if at == 3 else 99] for at in keys])
    return [HEAD, *(row for row in rows if row[1])]


def written(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return path and text of each criterion's file as they should be."""
    lines = [(o, plan.refused[o.number]) for o in plan.asks if o.number in plan.refused]
    short: dict[str, list[int]] = {}
    found: dict[str, list[str]] = {}
    answers: dict[str, dict[str, str]] = {}
    for one in plan.asks:
        why = plan.refused.get(one.number, "")
        told = why or plan.given[one.number]
        answers.setdefault(one.department, {})[one.number] = told
        if why == "taken":
            short.setdefault(one.day, []).append(one.people)
        if why:
            found.setdefault(why, []).append(one.number)
    named = [[one.number, one.department, reason] for one, reason in lines]
    days = [[day, str(len(of)), str(sum(of))] for day, of in sorted(short.items())]
    files = {
        "table": (
            "refusals.csv",
            csv_text([["request", "department", "reason"], *named]),
        ),
        "lines": ("refusals.txt", "".join(f"{o.number}: {why}\n" for o, why in lines)),
        "reasons": ("refusals.json", json.dumps(found)),
        "answers": ("answers.json", json.dumps(answers)),
        "shortage": ("shortage.csv", csv_text([["day", "requests", "people"], *days])),
        "none": ("", ""),
    }
    return {
        "bookings": ("bookings.csv", csv_text(table(plan))),
        "refusals": files[FACETS["refusals"]],
        "utilisation": ("utilisation.json", json.dumps(full(plan))),
        "extra": files[FACETS["extra"]],
    }


def full(plan: Plan) -> dict[str, Any]:
    """Return how full the house is."""
    if FACETS["utilisation"] == "days":
        return {day: sum(one[1] == day for one in plan.booked) for day in WEEK}
    found: dict[str, Any] = {}
    for room in plan.rooms:
        mine = sum(e - s for name, _, s, e in plan.booked if name == room["room"])
        found[room["room"]] = mine
        if FACETS["utilisation"] == "percent":
            hours = [_hours(room, day) for day in WEEK]
            rest = sum(last - first for first, last in hours)
            tenths = (mine * 1000 + rest // 2) // rest
            found[room["room"]] = f"{tenths // 10}.{tenths % 10}"
    return found


def _atoms(path: str, text: str) -> list[str]:
    """Return what a file says, piece by piece; rows under another head are none."""
    if path.endswith(".json"):
        try:
            return _pieces(json.loads(text), "")
        except (ValueError, RecursionError):
            return []
    if path.endswith(".csv"):
        rows = rows_of(text) or []
        return [json.dumps(list(row.items())) for row in rows]
    return text.splitlines()


def _pieces(value: Any, at: str) -> list[str]:  # noqa: ANN401  JSON
    if isinstance(value, dict):
        return [o for key in sorted(value) for o in _pieces(value[key], f"{at}/{key}")]
    if isinstance(value, list):
        return [o for one in value for o in _pieces(one, f"{at}/-")]
    return [f"{at}/{json.dumps(value)}"]


def _score(final: Final, criterion: str) -> float:
    """How far the file agrees, cubed; in disorder, at most 0.6."""
    path, text = written(decided(final))[criterion]
    given, due = _atoms(path, final.text(path) or ""), _atoms(path, text)
    score = overlap(set(given), set(due)) ** 3
    return score if given == due else min(score, 0.6)


CRITERIA = spelt(
    {
        name: partial(_score, criterion=name)
        for name in ("bookings", "refusals", "utilisation", "extra")
        if name != "extra" or FACETS["extra"] != "none"
    },
    lambda final: _misread(final, ""),
)


def _misread(final: Final, rule: str) -> dict[str, str]:
    return {path: text for path, text in written(decided(final, rule)).values() if path}


MISREADINGS = {
    "requests are taken by number": partial(_misread, rule="rank"),
    "the calendar is not looked at": partial(_misread, rule="calendar"),
    "equipment does not matter": partial(_misread, rule="equipment"),
}
