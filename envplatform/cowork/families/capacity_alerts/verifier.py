"""Grades the levels of volumes, worked out anew from the samples as they are held."""

from __future__ import annotations

import json
import re
import sqlite3
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from marks import csv_text
from seedlib import Final, overlap, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
AT = FACETS["at"]
DAYS: list[str] = DRAWN["days"]
HEAD = ["volume", "level", "used", "growth", "days"]
Row = dict[str, str]


class Line(NamedTuple):
    """What one volume comes to; figures empty where they are not told."""

    volume: str
    level: str
    used: str
    growth: str
    days: str
    host: str
    team: str
    lacking: int


def _samples(final: Final) -> list[tuple[str, int, int]]:
    """Return volume, place of the day, and use."""
    if FACETS["samples"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{AT}/samples.sql") or "")
        rows = store.execute("SELECT volume, day, used FROM samples").fetchall()
        return [(name, DAYS.index(day), used) for name, day, used in rows]
    if FACETS["samples"] == "csv":
        told = rows_of(final.held(f"{AT}/samples.csv")) or []
        return [(o["volume"], DAYS.index(o["day"]), int(o["used"])) for o in told]
    return [
        (row["volume"], place, int(row["used"]))
        for place, day in enumerate(DAYS)
        for row in rows_of(final.held(f"{AT}/samples/{day}.csv")) or []
    ]


def _spans(final: Final, misread: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Return who is silenced today, and days of windows by volume."""
    (path,) = (final.served / "held" / "docs").glob("*.md")
    silences, _, windows = path.read_text("utf-8").partition("## Maintenance")
    row = re.compile(r"\| (\S+) \| (2\S+) \| (2\S+) \|")
    quiet = {
        name
        for name, first, last in row.findall(silences)
        if first <= DAYS[-1] <= last or misread == "expired"
    }
    out = {
        (name, day)
        for name, first, last in row.findall(windows)
        for day in DAYS
        if first <= day <= last and misread != "window"
    }
    return quiet, out


def lines(final: Final, misread: str = "") -> list[Line]:
    """Return all volumes by name; `misread` names what is got wrong."""
    quiet, out = _spans(final, misread)
    used: dict[str, dict[int, int]] = {}
    for name, place, mb in sorted(_samples(final)):
        if (name, DAYS[place]) not in out:
            used.setdefault(name, {})[place] = mb
    rows = rows_of(final.held(f"{AT}/volumes.csv")) or []
    found = []
    for row in sorted(rows, key=lambda one: one["volume"]):
        name = row["volume"]
        if name in quiet and FACETS["silence"] == "left_out":
            continue
        if name in quiet and FACETS["silence"] == "level":
            found.append(_bare(row, "silenced"))
            continue
        line = _line(row, used[name], misread)
        if name in quiet and line.level == "critical":
            line = line._replace(level="warning")
        found.append(line)
    return found


def _bare(row: Row, level: str) -> Line:
    return Line(row["volume"], level, "", "", "", row["host"], row["team"], 0)


def _line(row: Row, used: dict[int, int], misread: str) -> Line:
    size, today = int(row["size"]), len(DAYS) - 1
    places = sorted(used)
    if today not in used:
        return _bare(row, "lost")
    rises = [(used[b] - used[a], b - a) for a, b in pairwise(places)]
    if max(rise for rise, _ in rises) > DRAWN["jump"] * size // 100:
        return _bare(row, "check")
    free = {
        "all": 0,
        "percent": -(-size * DRAWN["reserve"] // 100),
        "fixed": DRAWN["reserve"],
    }
    usable = size - free[FACETS["usable"]] if misread != "usable" else size
    growth = {
        "week": (used[today] - used.get(today - 7, 0)) // 7,
        "whole": (used[today] - used[places[0]]) // (today - places[0]),
        "highest": max(rise // days for rise, days in rises),
    }[FACETS["growth"]]
    room = usable - used[today]
    days = str(max(0, room // growth)) if growth > 0 else ""
    level = "ok"
    if days and int(days) < DRAWN["warning"]:
        level = "warning"
    is_full = used[today] * 100 >= DRAWN["fill"] * usable and misread != "fill"
    if is_full or (days and int(days) < DRAWN["critical"]):
        level = "critical"
    figures = (str(used[today]), str(growth), days)
    lacking = growth * DRAWN["warning"] - room
    return Line(row["volume"], level, *figures, row["host"], row["team"], lacking)


def table(found: list[Line]) -> list[list[str]]:
    """Return the rows of the table in their order."""
    urgent = {"critical", "lost", "check"}
    key = {
        "volume": lambda one: (one.volume,),
        "days": lambda one: (int(one.days or -1), one.volume),
        "level": lambda one: (one.level, one.volume),
    }[FACETS["order"]]
    return [
        list(one[:5])
        for one in sorted(found, key=key)
        if FACETS["listed"] == "all"
        or (one.level in urgent if FACETS["listed"] == "urgent" else one.level != "ok")
    ]


def summary(final: Final, found: list[Line]) -> dict[str, int]:
    """Return the summary that is wanted."""
    match FACETS["summary"]:
        case "levels":
            told = [one.level for one in found]
            return {level: told.count(level) for level in told}
        case "teams":
            rows = rows_of(final.held(f"{AT}/volumes.csv")) or []
            told = [one.team for one in found if one.level == "critical"]
            return {row["team"]: told.count(row["team"]) for row in rows}
    counts: dict[str, int] = {}
    for one in found:
        if one.growth:
            counts[one.host] = counts.get(one.host, 0) + int(one.growth)
    return counts


def besides(found: list[Line]) -> tuple[str, str]:
    """Return path and text of what is wanted besides; no path if nothing is."""
    if FACETS["extra"] == "pages":
        pages = sorted((o.team, o.volume) for o in found if o.level == "critical")
        return "pages.txt", "".join(f"{team}: {name}\n" for team, name in pages)
    if FACETS["extra"] == "orders":
        levels = {"critical", "warning"}
        due = [o for o in found if o.level in levels and o.lacking > 0]
        rows = [[one.volume, str(one.lacking)] for one in due]
        return "orders.csv", csv_text([["volume", "mb"], *rows])
    return "", ""


def _given(final: Final) -> list[list[str]]:
    rows = final.rows("alerts.csv") or []
    return [list(o.values()) for o in rows] if rows and list(rows[0]) == HEAD else []


def _agree(given: list[Any], due: list[Any]) -> float:
    """How far they agree, cubed; in disorder, at most 0.5."""
    score = overlap(set(map(str, given)), set(map(str, due))) ** 3
    return score if given == due else min(score, 0.5)


def levels(final: Final) -> float:
    """How far volumes and levels agree."""
    due = table(lines(final))
    return _agree([row[:2] for row in _given(final)], [row[:2] for row in due])


def figures(final: Final) -> float:
    """How far volumes and figures agree."""
    given, due = _given(final), table(lines(final))
    return _agree([row[:1] + row[2:] for row in given], [r[:1] + r[2:] for r in due])


def summed(final: Final) -> float:
    """How far the entries agree."""
    told, due = final.json("summary.json"), summary(final, lines(final))
    given = sorted(told.items()) if isinstance(told, dict) else []
    return _agree([list(one) for one in given], [list(o) for o in sorted(due.items())])


def extra(final: Final) -> float:
    """How far what is wanted besides agrees, line by line."""
    path, text = besides(lines(final))
    return _agree((final.text(path) or "").splitlines(), text.splitlines())


CRITERIA = spelt(
    {
        "levels": levels,
        "figures": figures,
        "summary": summed,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _misread(final, ""),
)


def _misread(final: Final, rule: str) -> dict[str, str]:
    found = lines(final, rule)
    path, text = besides(found)
    return {
        "alerts.csv": csv_text([HEAD, *table(found)]),
        "summary.json": json.dumps(summary(final, found)),
        **({path: text} if path else {}),
    }


MISREADINGS = {
    "expired silences still hold": partial(_misread, rule="expired"),
    "samples of windows count": partial(_misread, rule="window"),
    "days alone make it critical": partial(_misread, rule="fill"),
}
