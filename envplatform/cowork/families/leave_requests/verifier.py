"""Grades the decisions on leave, worked out anew from what is held."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date, timedelta
from typing import Any, NamedTuple

from marks import graded, listed, rows_under
from seedlib import Final, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
COLUMNS = {
    "short": ["request", "decision", "reason"],
    "full": ["request", "number", "first", "last", "days", "decision", "reason"],
    "person": ["number", "name", "request", "decision", "reason"],
}[FACETS["columns"]]
BALANCES = "balances.json" if FACETS["balances"] == "json" else "balances.csv"
FILES = {"calendar": "calendar.json", "letters": "answers.txt", "teams": "teams.json"}
EXTRA = FILES[FACETS["extra"]]
Person = dict[str, str]


class Wish(NamedTuple):
    """One request, and the days of leave that it takes."""

    request: str
    number: str
    submitted: date
    first: date
    last: date
    days: list[date]


class Office(NamedTuple):
    """What it all comes to."""

    staff: dict[str, Person]
    wishes: list[Wish]
    reasons: dict[str, str]
    """By request."""
    left: dict[str, int]
    off: dict[date, list[str]]

    def cells(self, wish: Wish) -> list[str]:
        """Return the line of a request."""
        reason = self.reasons[wish.request]
        shown = {"reason": reason, "decision": decision(reason)}
        shown |= {"name": self.staff[wish.number]["name"], "days": str(len(wish.days))}
        return [shown.get(name) or str(getattr(wish, name)) for name in COLUMNS]


def decision(reason: str) -> str:
    """Return the decision that follows from a reason."""
    conflict = str(FACETS["conflict"])
    return {"-": "granted", "coverage": conflict}.get(reason, "rejected")


def _wishes(final: Final) -> list[Wish]:
    rows: list[Any] = []
    if FACETS["requests_in"] == "csv":
        rows = [
            list(r.values()) for r in rows_of(final.held("leave/requests.csv")) or []
        ]
    elif FACETS["requests_in"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held("leave/desk.sql") or "")
        rows = store.execute("SELECT * FROM requests").fetchall()
    else:
        for name in DRAWN["requests"]:
            text = final.held(f"leave/inbox/{name}.txt") or ""
            number = re.findall(r"\((\d{3})\)", text)
            rows.append([name, *number, *re.findall(r"\d{4}-\d\d-\d\d", text)])
    found = []
    for request, number, *days in rows:
        submitted, first, last = map(date.fromisoformat, days)
        span = [first + timedelta(days=x) for x in range((last - first).days + 1)]
        counted = [day for day in span if _counts(day)]
        found.append(Wish(request, number, submitted, first, last, counted))
    return sorted(found)


def _counts(day: date) -> bool:
    if FACETS["counted"] == "calendar":
        return True
    most = 6 if FACETS["counted"] == "six_days" else 5
    return day.isoweekday() <= most and day.isoformat() not in DRAWN["holidays"]


def wanted(final: Final, misread: str = "") -> Office:
    """Return what is right; `misread` names a rule that is missed."""
    rows = rows_of(final.held("people/staff.csv")) or []
    staff = {row["number"]: row for row in rows}
    wishes = _wishes(final)
    keys: dict[str, Any] = {
        "submitted": lambda one: (one.submitted, one.request),
        "seniority": lambda one: (staff[one.number]["since"], one.request),
        "longest": lambda one: (-len(one.days), one.request),
    }
    left = {number: int(one["balance"]) for number, one in staff.items()}
    office = Office(staff, wishes, {}, left, {})
    for wish in sorted(wishes, key=keys[FACETS["turn"]]):
        rules = {
            "notice": (wish.first - wish.submitted).days < DRAWN["notice_days"],
            "blocked": _is_blocked(wish, staff[wish.number]),
            "balance": len(wish.days) > left[wish.number],
            "coverage": any(_is_thin(day, wish.number, office) for day in wish.days),
        }
        against = [name for name, is_so in rules.items() if is_so and name != misread]
        office.reasons[wish.request] = against[0] if against else "-"
        if not against:
            left[wish.number] -= len(wish.days)
            for day in wish.days:
                office.off.setdefault(day, []).append(wish.number)
    return office


def _is_blocked(wish: Wish, person: Person) -> bool:
    if FACETS["exempt"] == "parents" and person["parent"] == "yes":
        return False
    if FACETS["exempt"] == "seniors" and person["since"] < DRAWN["senior_before"]:
        return False
    weeks = map(date.fromisoformat, DRAWN["blocked"][person["team"]])
    return any(
        wish.first <= monday + timedelta(days=6) and wish.last >= monday
        for monday in weeks
    )


def _is_thin(day: date, number: str, office: Office) -> bool:
    away, person = office.off.get(day, []), office.staff[number]
    if FACETS["coverage"] == "deputy":
        return person["deputy"] in away
    alike = [one for one in away if office.staff[one]["team"] == person["team"]]
    return len(alike) + 1 > DRAWN["most_off"]


def table(office: Office) -> list[list[str]]:
    """Return the lines of the table in its order."""
    keys: dict[str, Any] = {
        "request": lambda one: one.request,
        "person": lambda one: (one.number, one.request),
        "first": lambda one: (one.first, one.request),
    }
    ordered = sorted(office.wishes, key=keys[FACETS["order_by"]])
    return [office.cells(one) for one in ordered]


def remaining(office: Office) -> str:
    """Return the new balances, as text."""
    staff, left = office.staff, office.left
    if FACETS["balances"] == "json":
        teams: dict[str, dict[str, int]] = {}
        for number, days in left.items():
            teams.setdefault(staff[number]["team"], {})[number] = days
        return json.dumps(teams)
    lines = ["number,left" if FACETS["balances"] == "csv" else "number,before,left"]
    for number in sorted(left):
        before = staff[number]["balance"]
        if FACETS["balances"] == "csv":
            lines.append(f"{number},{left[number]}")
        elif int(before) != left[number]:
            lines.append(f"{number},{before},{left[number]}")
    return "".join(f"{line}\n" for line in lines)


def besides(office: Office) -> str:
    """Return what is wanted besides, as text."""
    if FACETS["extra"] == "calendar":
        days = {day.isoformat(): sorted(of) for day, of in office.off.items()}
        return json.dumps(days)
    reasons = [(one, office.reasons[one.request]) for one in office.wishes]
    if FACETS["extra"] == "letters":
        return "".join(
            f"{office.staff[one.number]['name']}: {one.request} {decision(why)} ({why})\n"
            for one, why in reasons
            if why != "-"
        )
    teams: dict[str, dict[str, int]] = {}
    for one, why in reasons:
        mine = teams.setdefault(office.staff[one.number]["team"], {})
        mine[why] = mine.get(why, 0) + 1
    return json.dumps(teams)


def _given(final: Final) -> list[list[str]]:
    return rows_under(final, "decisions.csv", COLUMNS)


def listing(final: Final) -> float:
    """Share of the requests that stand in their place."""
    at = COLUMNS.index("request")
    given = [row[at] if len(row) > at else "" for row in _given(final)]
    due = [row[at] for row in table(wanted(final))]
    right = sum(one == other for one, other in zip(given, due, strict=False))
    return graded(right, max(len(given), len(due)), exact=given == due)


def decisions(final: Final) -> float:
    """Mean over the reasons of the share of lines that are right, squared."""
    given, due = _given(final), table(wanted(final))
    shares = []
    for why in {row[-1] for row in due}:
        mine = [row in given for row in due if row[-1] == why]
        shares.append(share(sum(mine), len(mine)))
    strangers = share(len(due), max(len(given), len(due)))
    score = 0.6 * (sum(shares) / len(shares) * strangers) ** 2
    return 1.0 if sorted(given) == sorted(due) else score


def balances(final: Final) -> float:
    """Share of the balances that are right."""
    return _alike(final, BALANCES, remaining(wanted(final)))


def extra(final: Final) -> float:
    """How far what is wanted besides is right."""
    return _alike(final, EXTRA, besides(wanted(final)))


def _alike(final: Final, path: str, due: str) -> float:
    if path.endswith(".json"):
        given = final.json(path)
        told, wished = _flat(given), _flat(json.loads(due))
        right = len(told & wished)
        return graded(right, len(told | wished), exact=told == wished)
    return listed(path, final.text(path), due)


def _flat(value: object) -> set[str]:
    """Return the entries of an object of objects or lists, one text each."""
    if not isinstance(value, dict):
        return set()
    found = set()
    for key, of in value.items():
        inner = of.items() if isinstance(of, dict) else [("", of)]
        found |= {json.dumps([key, name, one]) for name, one in inner}
    return found


CRITERIA = spelt(
    {
        "listing": listing,
        "decisions": decisions,
        "balances": balances,
        "extra": extra,
    },
    lambda final: _misread(final, ""),
)


def _misread(final: Final, rule: str) -> dict[str, str]:
    office = wanted(final, rule)
    rows = [COLUMNS, *table(office)]
    return {
        "decisions.csv": "".join(f"{','.join(row)}\n" for row in rows),
        BALANCES: remaining(office),
        EXTRA: besides(office),
    }


MISREADINGS = {
    "blocked weeks are forgotten": lambda final: _misread(final, "blocked"),
    "nobody looks at balances": lambda final: _misread(final, "balance"),
    "nobody looks at the team": lambda final: _misread(final, "coverage"),
    "late requests are let through": lambda final: _misread(final, "notice"),
}
