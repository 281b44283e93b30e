"""Grades placed meetings, worked out anew from what is held."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from marks import csv_text, parts
from seedlib import Final, overlap, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
UNTOLD = DRAWN["untold"]
STEP = {"quarter": 15, "half": 30, "hour": 60}[FACETS["grid"]]
GAP = 0 if FACETS["gap"] == "none" else int(FACETS["gap"])
HEAD = ["meeting", "day", "from", "to", "room", "people"]
DAY = 24 * 60
"""All times are minutes since some midnight of office time."""


class Person(NamedTuple):
    """Somebody; `ahead` are minutes before office time, working hours as they are local."""

    ahead: int
    begins: int
    ends: int


class Wanted(NamedTuple):
    """A meeting that was asked for."""

    number: str
    title: str
    minutes: int
    people: tuple[str, ...]
    guests: int
    first: int
    last: int

    @property
    def seats(self) -> int:
        """That it takes."""
        return len(self.people) + self.guests


class Calendar:
    """The right places; `misread` names what is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.people = _people(final, misread)
        wanted = [_as_told(one, misread) for one in _requests(final)]
        self.busy = {name: list[tuple[int, int]]() for name in self.people}
        for name, day, start, end, is_tentative in _entries(final):
            ahead = self.people[name].ahead if FACETS["clock"] == "own" else 0
            span = (_minutes(start, day) - ahead, _minutes(end, day) - ahead)
            is_ignored = is_tentative and FACETS["tentative"] == "free"
            if misread != "calendars" and not is_ignored:
                self.busy[name].append(span)
        self.seats, self.booked = _rooms(final)
        if misread == "seats":
            self.seats = dict.fromkeys(self.seats, 99)
        closed = "" if misread == "unheard" else UNTOLD.get("day")
        self.closed = _day(closed) if closed else -1
        self.placed: dict[Wanted, tuple[int, str]] = {}
        self.unplaced: dict[Wanted, str] = {}
        key = {
            "listed": lambda one: one.number,
            "longest": lambda one: (-one.minutes, one.number),
            "people": lambda one: (-one.seats, one.number),
        }[FACETS["turns"]]
        for one in sorted(wanted, key=key):
            self._place(one)

    def _place(self, one: Wanted) -> None:
        rooms = [name for name, seats in self.seats.items() if seats >= one.seats]
        for start in self._starts(one):
            span = (start, start + one.minutes)
            free = [name for name in rooms if _is_free(span, self.booked[name])]
            if free and all(self._has_time(name, *span) for name in one.people):
                room = self._room(free)
                self.placed[one] = (start, room)
                self.booked[room].append(span)
                for name in one.people:
                    self.busy[name].append(span)
                return
        self.unplaced[one] = "no_time" if rooms else "no_room"

    def _starts(self, one: Wanted) -> Iterator[int]:
        for day in range(one.first, one.last + 1):
            if date.fromordinal(day).isoweekday() < 6 and day != self.closed:
                yield from range(day * DAY, (day + 1) * DAY, STEP)

    def _has_time(self, name: str, start: int, end: int) -> bool:
        person = self.people[name]
        local, noon = start % DAY + person.ahead, 12 * 60
        if local < person.begins or local + end - start > person.ends:
            return False
        eats = {"none": -DAY, "office": start % DAY, "own": local}[FACETS["lunch"]]
        if eats < noon + 60 and eats + end - start > noon:
            return False
        return _is_free((start - GAP, end + GAP), self.busy[name])

    def _room(self, free: list[str]) -> str:
        used = [room for _, room in self.placed.values()]
        if FACETS["rooms"] == "smallest":
            return min(free, key=lambda name: self.seats[name])
        return min(free, key=used.count) if FACETS["rooms"] == "fewest" else free[0]

    def files(self) -> dict[str, str]:
        """Return all that is wanted, by path."""
        found = {"meetings.csv": csv_text([HEAD, *self._rows()])}
        invitations = {o.number: self._invitation(o) for o in sorted(self.placed)}
        if FACETS["invites"] == "json":
            found["invitations.json"] = json.dumps(invitations)
        texts = {number: _spelled(told) for number, told in invitations.items()}
        if FACETS["invites"] == "one":
            found["invitations.md"] = "\n".join(texts.values())
        if FACETS["invites"] == "files":
            found |= {f"invitations/{n}.txt": text for n, text in texts.items()}
        return {**found, **self._unplaced(), **self._people_sums()}

    def _rows(self) -> list[list[str]]:
        rows = []
        for one, (start, room) in self.placed.items():
            day, begins = _shown(start)
            end = _shown(start + one.minutes)[1]
            rows.append([one.number, day, begins, end, room, str(one.seats)])
        at = {"start": (1, 2, 0), "meeting": (0,), "room": (4, 1, 2)}[FACETS["rows"]]
        return sorted(rows, key=lambda row: [row[place] for place in at])

    def _invitation(self, one: Wanted) -> dict[str, Any]:
        start, room = self.placed[one]
        end = _shown(start + one.minutes)[1]
        told: dict[str, Any] = {
            "subject": f"{one.number} {one.title}",
            "when": f"{' '.join(_shown(start))}-{end}",
            "where": room,
            "to": sorted(one.people),
        }
        if FACETS["says"] == "local":
            ahead = {name: self.people[name].ahead for name in told["to"]}
            told["local"] = {n: _clock(start + more) for n, more in ahead.items()}
        if FACETS["says"] == "minutes":
            told["minutes"] = one.minutes
        return told

    def _unplaced(self) -> dict[str, str]:
        told = {one.number: self.unplaced[one] for one in sorted(self.unplaced)}
        if FACETS["unplaced"] == "json":
            return {"unplaced.json": json.dumps(told)}
        return {"unplaced.txt": "".join(f"{n}: {why}\n" for n, why in told.items())}

    def _people_sums(self) -> dict[str, str]:
        rows = []
        for name in self.people:
            mine = [one.minutes for one in self.placed if name in one.people]
            rows.append([name, str(len(mine)), str(sum(mine))])
        return {"people.csv": csv_text([["person", "meetings", "minutes"], *rows])}


def _people(final: Final, misread: str) -> dict[str, Person]:
    found = {}
    for row in rows_of(final.held("directory.csv")) or []:
        ahead = 60 * (int(row["hours_ahead_of_utc"]) - DRAWN["office"])
        ends = (_minutes(row["works_from"]), _minutes(row["works_to"]))
        found[row["person"]] = Person(0 if misread == "zones" else ahead, *ends)
    return found


def _as_told(one: Wanted, misread: str) -> Wanted:
    if misread == "unheard" or UNTOLD.get("meeting") != one.number:
        return one
    if "person" in UNTOLD:
        return one._replace(people=(*one.people, UNTOLD["person"]))
    return one._replace(minutes=UNTOLD["minutes"])


def _requests(final: Final) -> Iterator[Wanted]:
    for path in sorted((final.served / "held/inbox/requests").glob("*.txt")):
        found = re.findall(r"^(\w+)[\w ]*: (.*)", path.read_text("utf-8"), re.MULTILINE)
        told = dict(found)
        number, title = told["Subject"].split(" ", 1)
        people = tuple(told["Must"].split(", "))
        sizes = (int(told["Minutes"]), people, int(told["Guests"]))
        yield Wanted(
            number, title, *sizes, _day(told["Earliest"]), _day(told["Latest"])
        )


def _entries(final: Final) -> Iterator[tuple[str, str, str, str, bool]]:
    if FACETS["calendars"] == "service":
        routes = json.loads(final.held("services/calendar.json") or "[]")
        for body in (r["body"] for r in routes if r["path"] != "/people"):
            for one in body["entries"]:
                when = (one["day"], one["from"], one["to"])
                yield body["person"], *when, one["tentative"]
    else:
        for path in Path(final.served / "held/calendars").glob("*.txt"):
            head, _, *lines = path.read_text("utf-8").splitlines()
            name = head.removeprefix("Calendar of ").partition(",")[0]
            for day, times, what in (line.split("  ") for line in lines):
                yield name, day, times[:5], times[6:], what.endswith("(tentative)")


def _rooms(final: Final) -> tuple[dict[str, int], dict[str, list[tuple[int, int]]]]:
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("stores/rooms.sql") or "")
    rooms = store.execute("SELECT * FROM rooms").fetchall()
    bookings = store.execute("SELECT * FROM bookings").fetchall()
    booked: dict[str, list[tuple[int, int]]] = {name: [] for name, _ in rooms}
    for name, day, start, end, _ in bookings:
        booked[name].append((_minutes(start, day), _minutes(end, day)))
    return {name: int(seats) for name, seats in rooms}, booked


def _is_free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return all(span[1] <= start or end <= span[0] for start, end in taken)


def _day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def _minutes(clock: str, day: str = "") -> int:
    hours, minutes = map(int, clock.split(":"))
    return (_day(day) if day else 0) * DAY + hours * 60 + minutes


def _clock(moment: int) -> str:
    return f"{moment % DAY // 60:02}:{moment % 60:02}"


def _shown(moment: int) -> tuple[str, str]:
    moment -= 60 * DRAWN["office"] if FACETS["shown"] == "utc" else 0
    return str(date.fromordinal(moment // DAY)), _clock(moment)


def _spelled(told: dict[str, Any]) -> str:
    lines = [f"{n.title()}: {told[n]}" for n in ("subject", "when", "where")]
    lines.append(f"To: {', '.join(told['to'])}")
    if "local" in told:
        local = "; ".join(f"{name} {at}" for name, at in told["local"].items())
        lines.append(f"Local: {local}")
    if "minutes" in told:
        lines.append(f"Length: {told['minutes']} minutes")
    return "\n".join([*lines, ""])


def _like(final: Final, name: str) -> float:
    """How far files agree with the right ones, squared; with anything wrong, at most 0.5."""
    files = Calendar(final).files()
    paths = sorted(path for path in files if path.startswith(PATHS[name]))
    scores = [_agree(path, final.text(path), files[path]) for path in paths]
    there = {*final.workspace.glob(f"{PATHS[name]}/*")}
    strangers = there - {final.workspace / path for path in paths}
    score = sum(scores) / (len(scores) + len(strangers))
    return score if score == 1 else min(0.5, score**2)


def _agree(path: str, given: str | None, due: str) -> float:
    mine, right = parts(path, given or ""), parts(path, due)
    if mine == right:
        return 1.0
    if path.endswith(".csv") and mine[:1] != right[:1]:
        return 0.0
    return min(0.9, overlap({*mine} - {""}, {*right} - {""}))


PATHS = {
    "meetings": "meetings.csv",
    "invitations": "invitations",
    "unplaced": "unplaced.",
    "extra": "people.csv" if FACETS["extra"] == "people" else "",
}
CRITERIA = spelt(
    {name: partial(_like, name=name) for name, path in PATHS.items() if path},
    lambda final: Calendar(final).files(),
)
MISREADINGS = {
    "the host is not heard": lambda final: Calendar(final, "unheard").files(),
    "all sit in the office's time": lambda final: Calendar(final, "zones").files(),
    "calendars do not matter": lambda final: Calendar(final, "calendars").files(),
    "seats are not counted": lambda final: Calendar(final, "seats").files(),
}
