"""Grades the search, worked out anew from the figures that are held."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from statistics import median_low
from typing import Any, NamedTuple

from seedlib import Final, overlap, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
LISTS_ALL = FACETS["listed"] == "all"
HEAD = ["day", FACETS["dimension"], "kind", "value", "median"]
HEAD += ["event"] if LISTS_ALL else []
FIRST = date.fromisoformat(DRAWN["first"])


class Anomaly(NamedTuple):
    """One thing that does not fit."""

    day: str
    name: str
    kind: str
    value: str
    median: str
    event: str

    @property
    def shown(self) -> list[str]:
        """As the table has it."""
        return list(self[: len(HEAD)])


class Search:
    """All figures and what is found; `misread` names what is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.values: dict[tuple[str, int], int] = {}
        self.doubled: set[tuple[str, int]] = set()
        loads = sorted(_loads(final), reverse=FACETS["repeats"] == "first")
        for _, day, name, value in loads:
            cell = (name, (date.fromisoformat(day) - FIRST).days)
            if cell in self.values:
                self.doubled.add(cell)
            self.values[cell] = value
        if misread == "stale":
            for day, name, value in DRAWN["stale"]:
                self.values[name, (date.fromisoformat(day) - FIRST).days] = value
        self.events = _events(final)
        cells = [(name, at) for at in range(21, 42) for name in DRAWN["names"]]
        found = [self._judged(name, at) for name, at in cells]
        self.found = sorted(one for one in found if one is not None)

    def _judged(self, name: str, at: int) -> Anomaly | None:
        week = [at + 7 * step for step in range(-6, 7) if step]
        if self.misread == "weekday":
            week = [one for one in range(42) if one != at]
        if FACETS["baseline"] != "others":
            week = [one for one in week if one < at]
        if FACETS["events_count"] == "left_out":
            week = [one for one in week if not self._event(name, one)]
        known = [self.values[name, one] for one in week if (name, one) in self.values]
        if FACETS["baseline"] == "last_three" and self.misread != "weekday":
            known = known[-3:]
        if not known:
            return None
        middle = median_low(known)
        value = self.values.get((name, at))
        kind = "missing" if value is None else _kind(value, middle)
        if FACETS["repeats"] == "report" and (name, at) in self.doubled:
            kind = "duplicate"
        if not kind:
            return None
        number, expected = self._event(name, at) or ("-", "")
        event = number if self._excuses(kind, expected) else "-"
        told = "" if value is None else str(value)
        return Anomaly(_day(at), name, kind, told, str(middle), event)

    def _event(self, name: str, at: int) -> tuple[str, str] | None:
        """Return number and expectation of the first event that covers it."""
        day = _day(at)
        for number, first, last, whom, expected in self.events:
            if whom in {name, "all"} and first <= day <= last:
                return number, expected
        return None

    def _excuses(self, kind: str, expected: str) -> bool:
        if not expected or self.misread == "events":
            return False
        match FACETS["excuses"]:
            case "any":
                return True
            case "direction":
                return (kind, expected) in {("spike", "up"), ("drop", "down")}
            case _:
                return kind in {"drop", "missing"}

    @property
    def still(self) -> list[Anomaly]:
        """Those that nothing excuses."""
        return [one for one in self.found if one.event == "-"]

    def table(self) -> list[list[str]]:
        """Return the rows that are wanted, in order."""
        rows = self.found if LISTS_ALL else self.still
        match FACETS["order"]:
            case "name":
                rows = sorted(rows, key=lambda one: (one.name, one.day))
            case "kind":
                rows = sorted(rows, key=lambda one: one.kind)
        return [one.shown for one in rows]

    def summary(self) -> dict[str, int]:
        """Return the counts that are wanted."""
        found: dict[str, int] = {}
        if FACETS["summary"] == "by_name":
            found = dict.fromkeys(DRAWN["names"], 0)
        if FACETS["summary"] == "by_week":
            found = {_day(at): 0 for at in (21, 28, 35)}
        for one in self.still:
            at = (date.fromisoformat(one.day) - FIRST).days
            keys = {
                "by_name": one.name,
                "by_kind": one.kind,
                "by_week": _day(at - at % 7),
            }
            key = keys[FACETS["summary"]]
            found[key] = found.get(key, 0) + 1
        return found

    def extra(self) -> str:
        """Return the text that is wanted besides."""
        if FACETS["extra"] == "excused":
            mine = [one for one in self.found if one.event != "-"]
            return "".join(f"{o.day} | {o.name} | {o.kind} | {o.event}\n" for o in mine)
        lines = [f"{FACETS['dimension']},days,total\n"]
        for name in DRAWN["names"]:
            mine_ = [
                v for (who, at), v in self.values.items() if who == name and at > 20
            ]
            lines.append(f"{name},{len(mine_)},{sum(mine_)}\n")
        return "".join(lines)


def _day(at: int) -> str:
    return (FIRST + timedelta(days=at)).isoformat()


def _kind(value: int, middle: int) -> str:
    low, high = DRAWN["limits"]
    scale, base = (1, 1) if FACETS["limit"] == "units" else (100, middle)
    if (value - middle) * scale > high * base:
        return "spike"
    return "drop" if (middle - value) * scale > low * base else ""


def _loads(final: Final) -> list[tuple[int, str, str, int]]:
    """Return load, day, name and figure of all that is held."""
    place, name, unit = FACETS["place"], FACETS["dimension"], FACETS["unit"]
    if FACETS["data"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{place}.sql") or "")
        sql = f'SELECT "load", day, {name}, {unit} FROM daily'  # noqa: S608  names of the task
        return store.execute(sql).fetchall()
    found = []
    for path in Path(final.served / "held" / place).glob("*.csv"):
        rows = rows_of(final.held(f"{place}/{path.name}")) or []
        found += [(int(o["load"]), o["day"], o[name], int(o[unit])) for o in rows]
    return found


def _events(final: Final) -> list[tuple[Any, ...]]:
    """Return number, first and last day, series and expectation of each event."""
    text = final.held(DRAWN["events"]) or ""
    lines = re.findall(
        r"(E-\d+)[ |,]+([\d-]{10})[ |,]+([\d-]{10})[ |,]+([^|,]+?) ?[|,] ?(up|down)",
        text,
    )
    return [tuple(one) for one in lines]


@cache
def _due(final: Final) -> Search:
    return Search(final)


def _rows(final: Final) -> list[list[str]]:
    rows = final.rows("anomalies.csv") or []
    if not rows or list(rows[0]) != HEAD:
        return []
    return [list(row.values()) for row in rows]


def found(final: Final) -> float:
    """How far what was found agrees, squared; half at most if anything is wrong."""
    given = [(*row[:3], *row[5:]) for row in _rows(final)]
    due = [(*row[:3], *row[5:]) for row in _due(final).table()]
    score = overlap(set(given), set(due)) ** 2
    return score if given == due else min(score, 0.5)


def figures(final: Final) -> float:
    """How far values and medians agree, squared; half at most if one is wrong."""
    given = [(*row[:2], *row[3:5]) for row in _rows(final)]
    due = [(*row[:2], *row[3:5]) for row in _due(final).table()]
    score = overlap(set(given), set(due)) ** 2
    return score if given == due else min(score, 0.5)


def summary(final: Final) -> float:
    """Share of the counts that are right, squared; half at most if one is wrong."""
    given, due = final.json("summary.json"), _due(final).summary()
    if not isinstance(given, dict):
        return 0.0
    right = sum(_is_same(given.get(name), count) for name, count in due.items())
    score = share(right, len(given.keys() | due.keys())) ** 2
    return score if score == 1 else min(score, 0.5)


def _is_same(given: object, due: int) -> bool:
    return type(given) is int and given == due


def extra(final: Final) -> float:
    """Share of the lines that are right, squared; half at most if one is wrong."""
    path = "excused.txt" if FACETS["extra"] == "excused" else "totals.csv"
    given, due = (final.text(path) or "").splitlines(), _due(final).extra().splitlines()
    head = 0 if path == "excused.txt" else 1
    score = overlap(set(given[head:]), set(due[head:])) ** 2
    return score if given == due else min(score, 0.5)


CRITERIA = spelt(
    {
        "found": found,
        "figures": figures,
        "summary": summary,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(_due(final)),
)


def _written(search: Search) -> dict[str, str]:
    lines = [",".join(row) for row in [HEAD, *search.table()]]
    files = {
        "anomalies.csv": "\n".join([*lines, ""]),
        "summary.json": json.dumps(search.summary()),
    }
    if FACETS["extra"] == "excused":
        files["excused.txt"] = search.extra()
    if FACETS["extra"] == "totals":
        files["totals.csv"] = search.extra()
    return files


MISREADINGS = {
    "what was loaded again is not read again": lambda f: _written(Search(f, "stale")),
    "events excuse nothing": lambda f: _written(Search(f, "events")),
    "weekdays are not told apart": lambda f: _written(Search(f, "weekday")),
}
