"""Grades the handover against what the broker holds in the end."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from seedlib import Final, overlap, rows_of, share

DAY = "2025-03-10"
DETAILS = ("severity", "owner", "watch", "next_update")
UPDATE_AFTER = {1: timedelta(hours=1), 2: timedelta(hours=4), 3: timedelta(days=1)}
LATEST = """
SELECT text, at FROM updates WHERE incident = ? AND kind = ?
ORDER BY at DESC, number DESC LIMIT 1
"""


class Wanted(NamedTuple):
    """What the handover should say."""

    head: dict[str, str]
    incidents: dict[str, dict[str, Any]]
    """By id, with `vendor` beside what is delivered."""
    escalate: set[str]
    follow_ups: set[tuple[Any, ...]]


def wanted(final: Final) -> Wanted:
    """Work the handover out anew; news of the user are in what is held."""
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("incidents.sql") or "")
    head, initials = _head(final)
    names = _names(final)

    def after(mine: str | None) -> str:
        own = mine is None or mine == initials
        return head["to"] if own else names[str(mine)]

    cases = json.loads(final.held("desk/cases.json") or "{}")
    incidents, escalate, merged = {}, set(), {}
    rows = store.execute("SELECT id, severity, vendor, vendor_case FROM incidents")
    for number, first, vendor, case in rows.fetchall():
        status, since = _latest(store, number, "status")
        if str(status).startswith("merged "):
            merged[number] = str(status).split()[1]
        is_old = _time(str(since)) + timedelta(days=1) <= _time(head["at"])
        if status != "open" and (status != "resolved" or is_old):
            continue
        severity = int(_latest(store, number, "severity")[0] or first)
        due = _due(store, number, severity)
        incidents[number] = {
            "severity": severity,
            "owner": after(_latest(store, number, "owner")[0]),
            "watch": status == "resolved",
            "next_update": due if status == "open" else None,
            "vendor_case": (case or cases.get(number)) if vendor else None,
            "vendor": vendor,
        }
        is_late = severity < 3 and due < head["at"]
        if status == "open" and (is_late or _reopened(store, number) >= 2):
            escalate.add(number)
    follow_ups = {
        (
            name,
            merged.get(note["Incident"], note["Incident"]),
            after(note["Owner"]),
            note["Due"] < DAY,
        )
        for name, note in _notes(final).items()
        if note["Status"] == "open"
    }
    return Wanted(head, incidents, escalate, follow_ups)


def _head(final: Final) -> tuple[dict[str, str], str]:
    """Return time and names of the handover, and the initials of who hands over."""
    names = _names(final)
    lines = rows_of(final.held("rota.csv")) or []
    primary = [row for row in lines if row["role"] == "primary"]
    ending = [row for row in primary if row["to"].startswith(DAY)]
    starting = [row for row in primary if row["from"].startswith(DAY)]
    giver = max(ending, key=lambda row: row["entered"])
    taker = max(starting, key=lambda row: row["entered"])
    head = {
        "at": giver["to"],
        "from": names[giver["initials"]],
        "to": names[taker["initials"]],
    }
    return head, giver["initials"]


def _names(final: Final) -> dict[str, str]:
    people = rows_of(final.held("people.csv")) or []
    return {row["initials"]: row["name"] for row in people}


def _latest(
    store: sqlite3.Connection, number: str, kind: str
) -> tuple[str | None, str | None]:
    found = store.execute(LATEST, (number, kind)).fetchone()
    return found or (None, None)


def _due(store: sqlite3.Connection, number: str, severity: int) -> str:
    sql = "SELECT max(at) FROM updates WHERE incident = ?"
    (last,) = store.execute(sql, (number,)).fetchone()
    return (_time(last) + UPDATE_AFTER[severity]).isoformat(timespec="minutes")


def _reopened(store: sqlite3.Connection, number: str) -> int:
    sql = "SELECT count(*) FROM updates WHERE incident = ? AND kind = ? AND text = ?"
    (opened,) = store.execute(sql, (number, "status", "open")).fetchone()
    return int(opened) - 1


def _notes(final: Final) -> dict[str, dict[str, str]]:
    """Return the head lines of each note; of repeated ones the last."""
    found = {}
    for path in sorted(Path(final.served / "held" / "notes").iterdir()):
        text = final.held(f"notes/{path.name}") or ""
        pairs = (line.partition(": ") for line in text.splitlines())
        found[f"notes/{path.name}"] = {
            key: value for key, colon, value in pairs if colon
        }
    return found


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _given(final: Final) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in final.json("handover.json")["incidents"]}


def handover(final: Final) -> float:
    """A third each for time and both names; nothing if no incident is right."""
    due, given = wanted(final), final.json("handover.json")
    right = sum(given[key] == value for key, value in due.head.items())
    return right / 3 if set(_given(final)) & set(due.incidents) else 0.0


def incidents(final: Final) -> float:
    """How far the right incidents are handed over; in disorder, at most 0.9.

    Half of them are open anyway, so an overlap of one half is nothing.
    """
    due, given = wanted(final).incidents, _given(final)
    score = max(0.0, 2 * overlap(set(given), set(due)) - 1)
    listed = [one["id"] for one in final.json("handover.json")["incidents"]]
    return score if listed == sorted(given) else min(score, 0.9)


def details(final: Final) -> float:
    """Share of incidents of which severity, owner, watch and next update are right."""
    due, given = wanted(final).incidents, _given(final)
    right = sum(
        number in given and all(given[number][key] == one[key] for key in DETAILS)
        for number, one in due.items()
    )
    return share(right, len(set(due) | set(given)))


def vendors(final: Final) -> float:
    """Share of vendors' case numbers, less those where there is no vendor."""
    due, given = wanted(final).incidents, _given(final)
    right = sum(
        bool(one["vendor"])
        and given.get(n, {}).get("vendor_case") == one["vendor_case"]
        for n, one in due.items()
    )
    wrong = sum(
        bool(one["vendor_case"]) and not due.get(n, {}).get("vendor")
        for n, one in given.items()
    )
    return share(right - wrong, sum(bool(one["vendor"]) for one in due.values()))


def escalate(final: Final) -> float:
    """How far the list of what to escalate agrees."""
    given = final.json("handover.json")["escalate"]
    score = overlap(set(given), wanted(final).escalate)
    return score if given == sorted(set(given)) else min(score, 0.9)


def follow_ups(final: Final) -> float:
    """How far the open follow-ups agree, each with all that is told of it."""
    given = final.json("handover.json")["follow_ups"]
    keys = ("note", "incident", "owner", "overdue")
    rows = [tuple(one[key] for key in keys) for one in given]
    score = overlap(set(rows), wanted(final).follow_ups)
    return score if rows == sorted(set(rows)) else min(score, 0.9)


CRITERIA = {
    "handover": handover,
    "incidents": incidents,
    "details": details,
    "vendors": vendors,
    "escalate": escalate,
    "follow_ups": follow_ups,
}
