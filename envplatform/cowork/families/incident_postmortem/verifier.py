"""Grades a post-mortem, worked out anew from the records as they are held in the end."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any, NamedTuple

from seedlib import Final, overlap, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
HEAD = ["opened", "alert", "service", "level"]
LATE = "A-99"
"""How the numbers begin of what came late."""


class Alert(NamedTuple):
    """One alert; minutes of the day."""

    opened: int
    number: str
    service: str
    level: str
    closed: int


class Outage:
    """The outage as the records have it; `misread` names what is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        rows = rows_of(final.held(FACETS["alerts"])) or []
        alerts = [
            Alert(
                _minute(row["opened"]),
                row["alert"],
                row["service"],
                row["level"],
                _minute(row["closed"]),
            )
            for row in rows
        ]
        if misread == "late":
            alerts = [one for one in alerts if not one.number.startswith(LATE)]
        self.alerts = sorted(alerts)
        self.critical = [one for one in self.alerts if one.level == "critical"]
        if misread == "warnings":
            self.critical = [one for one in self.alerts if one.level != "info"]
        self.affected = sorted({one.service for one in self.critical})
        text = final.held(FACETS["channel"]) or ""
        found = re.findall(r"\[(\S+)\] ([\w ]+): (.*)", text)
        self.channel = [(_minute(at), who, said) for at, who, said in found]
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{FACETS['store']}.sql") or "")
        mine = [one for one in self.critical if one.service == DRAWN["service"]]
        asked = 'SELECT "at", release FROM releases WHERE service = ? ORDER BY "at"'
        releases = store.execute(asked, [DRAWN["service"]]).fetchall()
        before = [one for one in releases if _minute(one[0]) < mine[0].opened]
        self.released, self.suspect = (before or releases[:1])[-1]
        if misread == "suspect":
            self.suspect = releases[-1][1]
        self.begins = self._begins()
        self.detected = self._said(FACETS["detected"])
        self.ends = self._ends()

    def _begins(self) -> int:
        first = self.critical[0].opened
        match FACETS["starts"]:
            case "first_critical":
                return first
            case "deployment":
                return _minute(self.released)
            case _:
                own = [
                    one.opened
                    for one in self.alerts
                    if one.service == DRAWN["service"]
                    and first - 15 <= one.opened <= first
                ]
                return min(own, default=first)

    def _ends(self) -> int:
        if FACETS["ends"] == "last_critical_closed":
            return max(one.closed for one in self.critical)
        return self._said(FACETS["ends"])

    def _said(self, what: str) -> int:
        signs = {
            "acknowledged": "ack",
            "declared": "declared",
            "all_clear": "all clear",
            "rolled_back": "rolled back",
            "first_message": "",
        }
        return min(at for at, _, said in self.channel if said.startswith(signs[what]))

    @property
    def severity(self) -> int:
        """From 1 to 3."""
        second, first = DRAWN["limits"]
        count = {
            "minutes": self.ends - self.begins,
            "services": len(self.affected),
            "customers": sum(DRAWN["customers"][name] for name in self.affected),
        }[FACETS["severity"]]
        return 1 + (count < first) + (count < second)

    def record(self) -> dict[str, Any]:
        """Return the figures that are wanted."""
        return {
            "begins": _shown(self.begins),
            "detected": _shown(self.detected),
            "ends": _shown(self.ends),
            "minutes_to_detect": max(0, self.detected - self.begins),
            "minutes_to_resolve": self.ends - self.begins,
            "severity": self.severity,
            "suspect": self.suspect,
            "affected": self.affected,
        }

    def timeline(self) -> list[list[str]]:
        """Return the rows that are wanted, in order."""
        found = [one for one in self.alerts if self.begins <= one.opened <= self.ends]
        match FACETS["listed"]:
            case "critical":
                found = [one for one in found if one.level == "critical"]
            case "affected":
                found = [one for one in found if one.service in self.affected]
        match FACETS["order"]:
            case "newest":
                found.sort(key=lambda one: -one.opened)
            case "service":
                found.sort(key=lambda one: one.service)
        return [[_shown(o.opened), o.number, o.service, o.level] for o in found]

    def services(self) -> list[list[str]]:
        """Return a row for each affected service."""
        found = []
        for name in self.affected:
            mine = [o.closed - o.opened for o in self.critical if o.service == name]
            found.append([name, str(sum(mine)), str(DRAWN["customers"][name])])
        return found

    def people(self) -> dict[str, int]:
        """Return messages by person."""
        who = [w for at, w, _ in self.channel if self.detected <= at <= self.ends]
        return {name: who.count(name) for name in who}


def _minute(text: str) -> int:
    hour, minute = text.partition("T")[2][:5].split(":")
    return int(hour) * 60 + int(minute)


def _shown(minute: int) -> str:
    if FACETS["clock"] == "utc":
        return f"2025-05-14T{minute // 60:02}:{minute % 60:02}Z"
    local = minute + 60 * DRAWN["offset"]
    return f"2025-05-14 {local // 60:02}:{local % 60:02}"


def _given(final: Final) -> dict[str, Any]:
    """Return the record, if it has the fields that are wanted and no others."""
    given = final.json("postmortem.json")
    due = Outage(final).record()
    is_one = isinstance(given, dict) and given.keys() == due.keys()
    return given if is_one else {}


def times(final: Final) -> float:
    """Share of times and distances that are right, squared."""
    given, due = _given(final), Outage(final).record()
    names = ("begins", "detected", "ends", "minutes_to_detect", "minutes_to_resolve")
    return share(sum(given.get(name) == due[name] for name in names), 5) ** 2


def severity(final: Final) -> float:
    """Half for the suspect; the severity alone is a guess of three."""
    given, due = _given(final), Outage(final).record()
    if given.get("suspect") != due["suspect"]:
        return 0.0
    return 1.0 if given.get("severity") == due["severity"] else 0.5


def affected(final: Final) -> float:
    """How far the affected services agree, squared."""
    given, due = _given(final).get("affected", []), Outage(final).affected
    score = overlap(set(given), set(due)) ** 2
    return score if given == due else min(score, 0.5)


def timeline(final: Final) -> float:
    """How far the rows agree, squared; in disorder, at most 0.6."""
    rows = final.rows("timeline.csv") or []
    if not rows or list(rows[0]) != HEAD:
        return 0.0
    given = [list(row.values()) for row in rows]
    due = Outage(final).timeline()
    score = overlap({tuple(row) for row in given}, {tuple(row) for row in due}) ** 2
    return score if given == due else min(score, 0.6)


def extra(final: Final) -> float:
    """What is wanted besides: rows or entries that are right, squared."""
    outage = Outage(final)
    if FACETS["extra"] == "people":
        given, due = final.json("people.json"), outage.people()
        if not isinstance(given, dict):
            return 0.0
        right = sum(given.get(name) == count for name, count in due.items())
        return share(right, len(given.keys() | due.keys())) ** 2
    rows = final.rows("services.csv") or []
    if not rows or list(rows[0]) != ["service", "critical_minutes", "customers"]:
        return 0.0
    told, wanted = [list(row.values()) for row in rows], outage.services()
    score = overlap({tuple(r) for r in told}, {tuple(r) for r in wanted}) ** 2
    return score if told == wanted else min(score, 0.6)


CRITERIA = spelt(
    {
        "times": times,
        "severity": severity,
        "affected": affected,
        "timeline": timeline,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(Outage(final)),
)


def _written(outage: Outage) -> dict[str, str]:
    lines = [",".join(row) for row in [HEAD, *outage.timeline()]]
    files = {
        "postmortem.json": json.dumps(outage.record()),
        "timeline.csv": "\n".join([*lines, ""]),
    }
    if FACETS["extra"] == "people":
        files["people.json"] = json.dumps(outage.people())
    if FACETS["extra"] == "services":
        rows = [["service", "critical_minutes", "customers"], *outage.services()]
        files["services.csv"] = "\n".join([*(",".join(row) for row in rows), ""])
    return files


def _swapped(final: Final) -> dict[str, str]:
    outage = Outage(final)
    outage.begins, outage.detected = outage.detected, outage.begins
    return _written(outage)


MISREADINGS = {
    "late alerts are missing": lambda final: _written(Outage(final, "late")),
    "warnings count as critical": lambda final: _written(Outage(final, "warnings")),
    "it begins when it is detected": _swapped,
}
