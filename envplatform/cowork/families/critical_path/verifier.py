"""Grades a schedule, worked out anew on a line of numbered workdays."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date, timedelta
from functools import partial
from typing import Any, NamedTuple

from marks import csv_text, likeness
from seedlib import Final, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
PLACE = f"{FACETS['root']}/tasks"
WEEK = {"four": 4, "five": 5, "six": 6}[FACETS["week"]]
HEAD = ["task", "team", "start", "end", "slack"]


class Entry(NamedTuple):
    """One entry of the list."""

    number: str
    team: str
    days: int
    after: str
    earliest: str
    revised: str


class Schedule:
    """The right schedule, as numbers of workdays; `misread` names what is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.workdays = _workdays(misread)
        self.problems: list[tuple[str, str]] = []
        self.tasks = self._put_right(_entries(final))
        self.after = {number: self._links(one) for number, one in self.tasks.items()}
        self.start: dict[str, int] = {}
        for number in self.tasks:
            self._begin(number)
        self.end = {n: at + self.tasks[n].days - 1 for n, at in self.start.items()}
        self.last = max(self.end.values())
        self.problems.sort()

    def _put_right(self, entries: list[Entry]) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for one in entries:
            kept = found.get(one.number)
            if kept is None:
                found[one.number] = one
                continue
            self.problems.append((one.number, "double"))
            pair = sorted((kept, one), key=lambda e: (e.revised, e.days))
            if FACETS["double"] == "longer":
                pair.sort(key=lambda e: e.days)
            found[one.number] = pair[1]
        for number, one in found.items():
            if one.days == 0:
                self.problems.append((number, "no_days"))
                found[number] = one._replace(days=DRAWN["default_days"])
        return dict(sorted(found.items()))

    def _links(self, one: Entry) -> dict[str, int]:
        """Return what a task comes after, with the workdays between."""
        found = {}
        for link in re.split(r"[ ,]+", one.after.strip("-")):
            number, _, more = link.partition("+")
            other = self.tasks.get(number)
            if other is not None and not self._is_mistaken(one, other):
                gap = int(FACETS["wait"] == "handover" and other.team != one.team)
                found[number] = 0 if self.misread == "waits" else int(more or gap)
            if link and other is None:
                self.problems.append((one.number, "unknown"))
        return found

    def _is_mistaken(self, one: Entry, other: Entry) -> bool:
        if other.number == one.number:
            self.problems.append((one.number, "itself"))
            return True
        is_mutual = one.number in re.findall(r"T-\d\d", other.after)
        if is_mutual and one.number < other.number:
            self.problems.append((one.number, "mutual"))
            return True
        return False

    def _begin(self, number: str) -> int:
        """Return when a task ends, from what it comes after."""
        if number not in self.start:
            ends = [self._begin(n) + 1 + wait for n, wait in self.after[number].items()]
            earliest = self.tasks[number].earliest
            if earliest:
                ends.append(sum(str(day) < earliest for day in self.workdays))
            self.start[number] = max(ends, default=0)
        return self.start[number] + self.tasks[number].days - 1

    def slack(self, number: str, kind: str) -> int:
        """Return by how many workdays a task may move."""
        room = [self.last - self.end[number]]
        for other, links in self.after.items():
            if number in links:
                gap = self.start[other] - links[number] - 1 - self.end[number]
                room.append(gap + (self.slack(other, kind) if kind == "total" else 0))
        return min(room)

    def day(self, at: int) -> str:
        """Return the date of a workday."""
        return _shown(self.workdays[at])

    def files(self) -> dict[str, str]:
        """Return all that is wanted, by path."""
        return {
            "schedule.csv": self._table(),
            "summary.json": json.dumps(self._summary()),
            **self._problems(),
            **self._extra(),
        }

    def _table(self) -> str:
        critical = self.critical()
        keys = {
            "task": lambda n: n,
            "start": lambda n: (self.start[n], n),
            "team": lambda n: (self.tasks[n].team, n),
        }
        rows = []
        for number in sorted(self.tasks, key=keys[FACETS["rows"]]):
            ends = [self.day(self.start[number]), self.day(self.end[number])]
            slack = str(self.slack(number, FACETS["slack"]))
            row = [number, self.tasks[number].team, *ends, slack]
            is_critical = number in critical
            if FACETS["listed"] == "all":
                rows.append([*row, "yes" if is_critical else "no"])
            elif is_critical == (FACETS["listed"] == "critical"):
                rows.append(row)
        return csv_text([[*HEAD, *["critical"][: FACETS["listed"] == "all"]], *rows])

    def critical(self) -> list[str]:
        """Return the numbers of critical tasks."""
        return [number for number in self.tasks if not self.slack(number, "total")]

    def _summary(self) -> dict[str, Any]:
        end = self.day(self.last)
        if FACETS["summary"] == "project":
            return {"end": end, "workdays": self.last + 1, "critical": self.critical()}
        found: dict[str, Any] = {}
        for number, one in self.tasks.items():
            if FACETS["summary"] == "months":
                month = str(self.workdays[self.end[number]])[:7]
                found.setdefault(month, []).append(number)
                continue
            team = found.setdefault(one.team, {"tasks": 0, "days": 0, "ends": 0})
            team["tasks"] += 1
            team["days"] += one.days
            team["ends"] = max(team["ends"], self.end[number])
        if FACETS["summary"] == "months":
            return {**found, "end": end}
        return {n: {**of, "ends": self.day(of["ends"])} for n, of in found.items()}

    def _problems(self) -> dict[str, str]:
        told = [] if self.misread == "silent" else self.problems
        if FACETS["problems"] == "csv":
            rows = [list(one) for one in told]
            return {"problems.csv": csv_text([["task", "problem"], *rows])}
        if FACETS["problems"] == "txt":
            return {"problems.txt": "".join(f"{n}: {word}\n" for n, word in told)}
        found: dict[str, list[str]] = {}
        for number, word in told:
            found.setdefault(word, []).append(number)
        return {"problems.json": json.dumps(found)}

    def _extra(self) -> dict[str, str]:
        if FACETS["extra"] == "milestones":
            goals = DRAWN["milestones"].items()
            reached = sorted((max(self.end[n] for n in of), name) for name, of in goals)
            rows = [[name, self.day(at)] for at, name in reached]
            return {"milestones.csv": csv_text([["milestone", "date"], *rows])}
        if FACETS["extra"] == "none":
            return {}
        spans = {
            number: (str(self.workdays[at]), str(self.workdays[self.end[number]]))
            for number, at in self.start.items()
        }
        runs = [n for n in self.tasks if spans[n][0] <= DRAWN["asked"] <= spans[n][1]]
        return {"running.txt": "\n".join([f"Running: {len(runs)}", *runs, ""])}


def _workdays(misread: str) -> list[date]:
    start = date.fromisoformat(DRAWN["start"])
    days = (start + timedelta(days=n) for n in range(500))
    off = [] if misread == "holidays" else DRAWN["holidays"]
    week = 7 if misread == "weekends" else WEEK
    return [one for one in days if one.isoweekday() <= week and str(one) not in off]


def _shown(day: date) -> str:
    year, month, of_month = str(day).split("-")
    return str(day) if FACETS["dates"] == "iso" else f"{of_month}.{month}.{year}"


def _entries(final: Final) -> list[Entry]:
    if FACETS["tasks_in"] == "csv":
        rows = [list(r.values()) for r in rows_of(final.held(f"{PLACE}.csv")) or []]
    elif FACETS["tasks_in"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{PLACE}.sql") or "")
        rows = [list(row) for row in store.execute("SELECT * FROM tasks")]
    else:
        paths = (final.served / "held" / PLACE).glob("*.txt")
        rows = [_sheet(path.read_text("utf-8")) for path in sorted(paths)]
    return [
        Entry(number, team, int(days), after, earliest, revised)
        for number, _, team, days, after, earliest, revised in rows
    ]


def _sheet(text: str) -> list[str]:
    head, _, *lines = text.splitlines()
    fields = dict(line.split(": ", 1) for line in lines)
    names = ("Team", "Days", "After", "Not before", "Revised")
    return [*head.split(" ", 1), *(fields.get(name, "") for name in names)]


def _like(final: Final, path: str) -> float:
    """How far a file agrees with the right one; see `likeness`."""
    return float(likeness(path, final.text(path), Schedule(final).files()[path]))


PATHS = {
    "schedule": "schedule.csv",
    "summary": "summary.json",
    "problems": f"problems.{FACETS['problems']}",
    "extra": {"milestones": "milestones.csv", "running": "running.txt"}.get(
        FACETS["extra"]
    ),
}
CRITERIA = spelt(
    {name: partial(_like, path=path) for name, path in PATHS.items() if path},
    lambda final: Schedule(final).files(),
)
MISREADINGS = {
    "holidays are worked": lambda final: Schedule(final, "holidays").files(),
    "every day is a workday": lambda final: Schedule(final, "weekends").files(),
    "nothing is told of mistakes": lambda final: Schedule(final, "silent").files(),
}
if FACETS["wait"] != "none":
    MISREADINGS["nothing lies between tasks"] = lambda f: Schedule(f, "waits").files()
