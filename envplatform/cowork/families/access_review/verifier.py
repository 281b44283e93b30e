"""Grades the review, worked out anew from staff and accounts as they are held."""

from __future__ import annotations

import json
import sqlite3
from datetime import date, timedelta
from typing import Any, NamedTuple

from marks import alike, graded, listed, rows_under
from seedlib import Final, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS, TODAY = DRAWN["facets"], date.fromisoformat(DRAWN["today"])
COLUMNS = {
    "short": ["account", "finding", "severity"],
    "full": ["system", "account", "owner", "finding", "severity", "last_login"],
    "person": ["account", "name", "finding", "severity"],
}[FACETS["columns"]]
REVOKE = f"revoke.{FACETS['revoke']}"
KINDS = ("leaver", "orphan", "conflict", "role", "dormant")
LEVELS = {"high": 0, "medium": 1, "low": 2}


class Line(NamedTuple):
    """One finding that is reported."""

    told: dict[str, str]
    """The account."""
    name: str
    finding: str

    @property
    def severity(self) -> str:
        """By the rules."""
        return str(DRAWN["severities"][self.finding])

    @property
    def cells(self) -> list[str]:
        """The line of the table."""
        shown = {**self.told, "last_login": self.told["last_login"] or "-"}
        shown |= {"name": self.name, "finding": self.finding, "severity": self.severity}
        return [shown[name] for name in COLUMNS]


def _accounts(final: Final) -> list[dict[str, str]]:
    if FACETS["accounts_in"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held("iam/directory.sql") or "")
        told = store.execute("SELECT * FROM accounts ORDER BY account")
        names = [one[0] for one in told.description]
        return [dict(zip(names, row, strict=True)) for row in told]
    paths = ["iam/accounts.csv"]
    if FACETS["accounts_in"] == "folder":
        paths = [f"iam/exports/{system}.csv" for system in DRAWN["systems"]]
    found = [row for path in paths for row in rows_of(final.held(path)) or []]
    return sorted(found, key=lambda one: one["account"])


def wanted(final: Final, misread: str = "") -> list[Line]:
    """Return the reported findings by account; `misread` names a rule that is missed."""
    rows = rows_of(final.held("people/staff.csv")) or []
    staff = {row["number"]: row for row in rows}
    found = []
    for told in _accounts(final):
        person = staff.get(told["owner"])
        kinds = [kind for kind in KINDS if kind != misread and _is(kind, told, person)]
        if told["kind"] == "service" and FACETS["service"] != "listed":
            is_checked = FACETS["service"] == "owner"
            kinds = [kind for kind in kinds if is_checked and kind in KINDS[:2]]
        if FACETS["several"] == "worst":
            kinds.sort(key=lambda kind: LEVELS[DRAWN["severities"][kind]])
        if FACETS["several"] != "all":
            kinds = kinds[:1]
        name = person["name"] if person else "-"
        found += [Line(told, name, kind) for kind in kinds]
    return found


def _is(kind: str, told: dict[str, str], person: dict[str, str] | None) -> bool:
    roles = told["roles"].split()
    if kind == "conflict":
        return any(one in roles and other in roles for one, other in DRAWN["conflicts"])
    if kind == "dormant":
        used = date.fromisoformat(told["last_login"] or told["created"])
        return used < TODAY - timedelta(days=DRAWN["dormant_days"])
    if person is None:
        return kind == "orphan"
    if kind == "role":
        allowed = DRAWN["allowed"]
        return any(
            person["department"] not in allowed.get(r, [person["department"]])
            for r in roles
        )
    if kind == "orphan" or not person["left"]:
        return False
    limits = {
        "at_once": TODAY,
        "grace": TODAY - timedelta(days=DRAWN["grace_days"]),
        "month_end": TODAY.replace(day=1),
    }
    return date.fromisoformat(person["left"]) < limits[FACETS["leaver"]]


def table(lines: list[Line]) -> list[list[str]]:
    """Return the table in its order."""
    found = list(lines)
    if FACETS["order_by"] == "severity":
        found.sort(key=lambda one: LEVELS[one.severity])
    elif FACETS["order_by"] == "system":
        found.sort(key=lambda one: one.told["system"])
    return [one.cells for one in found]


def to_revoke(lines: list[Line]) -> str:
    """Return what is revoked, as text."""
    high = {one.told["account"]: one.told for one in lines if one.severity == "high"}
    told = sorted(high.values(), key=lambda one: (one["system"], one["account"]))
    if FACETS["revoke"] == "json":
        systems: dict[str, list[str]] = {}
        for one in told:
            systems.setdefault(one["system"], []).append(one["account"])
        return json.dumps(systems)
    if FACETS["revoke"] == "txt":
        rows = [f"{one['system']}: {one['account']} ({one['owner']})" for one in told]
    else:
        rows = [f"{one['system']},{one['account']},{one['roles']}" for one in told]
        rows.insert(0, "system,account,roles")
    return "".join(f"{row}\n" for row in rows)


def summed(lines: list[Line]) -> dict[str, Any]:
    """Return the overview that is wanted."""
    groups: dict[str, list[Line]] = {}
    for one in lines:
        key = {
            "by_finding": one.finding,
            "by_system": one.told["system"],
            "by_severity": one.severity,
        }[FACETS["overview"]]
        groups.setdefault(key, []).append(one)
    found: dict[str, Any] = {}
    for key, mine in groups.items():
        names = sorted({one.told["account"] for one in mine})
        found[key] = {
            "by_finding": len(mine),
            "by_system": {"findings": len(mine), "accounts": len(names)},
            "by_severity": names,
        }[FACETS["overview"]]
    return found


def _given(final: Final) -> list[list[str]]:
    return rows_under(final, "findings.csv", COLUMNS)


def findings(final: Final) -> float:
    """Share of the findings of which everything is right, wherever they stand."""
    given, due = _given(final), table(wanted(final))
    right = sum(row in given for row in due)
    return graded(right, max(len(given), len(due)), exact=sorted(given) == sorted(due))


def order(final: Final) -> float:
    """Share of the accounts that stand in their place."""
    at = COLUMNS.index("account")
    given = [row[at] if len(row) > at else "" for row in _given(final)]
    due = [row[at] for row in table(wanted(final))]
    right = sum(one == other for one, other in zip(given, due, strict=False))
    return graded(right, max(len(given), len(due)), exact=given == due)


def revoked(final: Final) -> float:
    """How far the list of what is revoked is right."""
    due = to_revoke(wanted(final))
    if REVOKE.endswith(".json"):
        return alike(final.json(REVOKE), json.loads(due))
    return listed(REVOKE, final.text(REVOKE), due)


def overview(final: Final) -> float:
    """Share of the keys of the overview whose value is right."""
    return alike(final.json("overview.json"), summed(wanted(final)))


CRITERIA = spelt(
    {
        "findings": findings,
        "order": order,
        "revoked": revoked,
        "overview": overview,
    },
    lambda final: _misread(final, ""),
)


def _misread(final: Final, rule: str) -> dict[str, str]:
    lines = wanted(final, rule)
    rows = [COLUMNS, *table(lines)]
    return {
        "findings.csv": "".join(f"{','.join(row)}\n" for row in rows),
        REVOKE: to_revoke(lines),
        "overview.json": json.dumps(summed(lines)),
    }


MISREADINGS = {
    "leavers are forgotten": lambda final: _misread(final, "leaver"),
    "duties may be together": lambda final: _misread(final, "conflict"),
    "nobody looks at departments": lambda final: _misread(final, "role"),
    "nobody looks at logins": lambda final: _misread(final, "dormant"),
}
