"""Writes the handover through `ws`: looks, talks, looks again."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from seedlib import deliver, rows_of, ws_json, ws_text

STORE = "ops/incidents"
HOURS = {1: 1, 2: 4, 3: 24}
FORM = "%Y-%m-%dT%H:%M"


class Duty(NamedTuple):
    """The handover itself."""

    at: datetime
    giver: str
    taker: str
    names: dict[str, str]

    def owner(self, initials: str) -> str:
        """Return who has it afterwards."""
        stays = initials and initials != self.giver
        return self.names[initials if stays else self.taker]


class Incident(NamedTuple):
    """What the store tells of one."""

    number: str
    severity: int
    case: str | None
    lines: list[tuple[str, str, str]]
    """Time, kind and text of its updates, oldest first."""

    def last(self, kind: str) -> tuple[str, str]:
        """Return time and text of the last update of a kind."""
        found = [(when, text) for when, one, text in self.lines if one == kind]
        return found[-1] if found else ("", "")

    @property
    def level(self) -> int:
        """Severity as it is now."""
        return int(self.last("severity")[1] or self.severity)

    @property
    def due(self) -> datetime:
        """When the next update is due."""
        return time(self.lines[-1][0]) + timedelta(hours=HOURS[self.level])

    @property
    def is_open(self) -> bool:
        """Whether work goes on."""
        return self.last("status")[1] == "open"

    def is_handed_over(self, at: datetime) -> bool:
        """Whether it belongs into the handover."""
        when, status = self.last("status")
        fresh = at - time(when) < timedelta(hours=24)
        return status == "open" or (status == "resolved" and fresh)

    def must_escalate(self, at: datetime) -> bool:
        """Whether somebody else has to know."""
        opened = [text for _, kind, text in self.lines if kind == "status"]
        late = self.level < 3 and self.due < at
        return self.is_open and (late or opened.count("open") > 2)


def solve() -> None:
    """Read, ask, read again, write."""
    ws_text("read", "docs/handover.md")
    seen, known, cases = incidents(), incidents(), {}
    if known != seen:  # the colleague is at work, and so can be asked
        said = ws_json("say", "I have read the incidents. Is there more to know?")
        cases = dict(re.findall(r"(INC-\d+) as ([\w-]+)", said["user_message"]))
        known = incidents()
    duty = on_duty()
    handed = [one for one in known if one.is_handed_over(duty.at)]
    handover = {
        "at": duty.at.strftime(FORM),
        "from": duty.names[duty.giver],
        "to": duty.names[duty.taker],
        "incidents": [
            {
                "id": one.number,
                "severity": one.level,
                "owner": duty.owner(one.last("owner")[1]),
                "watch": not one.is_open,
                "next_update": one.due.strftime(FORM) if one.is_open else None,
                "vendor_case": one.case or cases.get(one.number),
            }
            for one in handed
        ],
        "escalate": [one.number for one in handed if one.must_escalate(duty.at)],
        "follow_ups": follow_ups(known, duty),
    }
    deliver("handover.json", json.dumps(handover, indent=1))


def incidents() -> list[Incident]:
    """Return all incidents, sorted by number."""
    sql = "SELECT id, severity, vendor_case FROM incidents ORDER BY id"
    rows = ws_json("query", STORE, sql)["rows"]
    sql = "SELECT incident, at, kind, text FROM updates ORDER BY at, number"
    lines: dict[str, list[Any]] = {}
    for number, *line in ws_json("query", STORE, sql)["rows"]:
        lines.setdefault(number, []).append(tuple(line))
    return [Incident(one, first, case, lines[one]) for one, first, case in rows]


def on_duty() -> Duty:
    """Return who hands over to whom, and when."""
    rota = rows_of(ws_text("read", "ops/rota.csv")) or []
    people = rows_of(ws_text("read", "ops/people.csv")) or []
    primary = [row for row in rota if row["role"] == "primary"]
    primary.sort(key=lambda row: row["entered"])
    ends = {row["to"]: row["initials"] for row in primary}
    begins = {row["from"]: row["initials"] for row in primary}
    at = next(when for when in begins if when.startswith("2025-03-10"))
    names = {row["initials"]: row["name"] for row in people}
    return Duty(time(at), ends[at], begins[at], names)


def follow_ups(known: list[Incident], duty: Duty) -> list[dict[str, Any]]:
    """Return the notes that are open."""
    states = {one.number: one.last("status")[1] for one in known}
    found = []
    names = [one["name"] for one in ws_json("list", "notes/")["names"]]
    for name in sorted(names):
        text = ws_text("read", name)
        told = dict(re.findall(r"^(\w+): (.+)$", text, re.MULTILINE))
        if told["Status"] != "open":
            continue
        state = states[told["Incident"]]
        merged = state.startswith("merged")
        found.append(
            {
                "note": name,
                "incident": state.split()[1] if merged else told["Incident"],
                "owner": duty.owner(told["Owner"]),
                "overdue": told["Due"] < duty.at.strftime("%Y-%m-%d"),
            }
        )
    return found


def time(text: str) -> datetime:
    """Read a time of the store or the rota."""
    return datetime.strptime(text, FORM)  # noqa: DTZ007  all in one place
