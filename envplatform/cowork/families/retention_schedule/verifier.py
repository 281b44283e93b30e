"""Grades the retention schedule, worked out anew from what is held."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date, timedelta
from typing import Any, NamedTuple

from marks import alike, graded, listed, rows_under
from seedlib import Final, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS, TODAY = DRAWN["facets"], date.fromisoformat(DRAWN["today"])
COLUMNS = {
    "short": ["record", "decision", "date"],
    "full": ["record", "class", "decision", "date", "hold"],
    "plan": ["date", "decision", "record", "department", "boxes"],
}[FACETS["columns"]]
FILES = {"held": "holds.json", "orders": "shredding.txt", "gone": "gone.csv"}
EXTRA = FILES[FACETS["extra"]]


class Fate(NamedTuple):
    """One file of records and what becomes of it."""

    told: dict[str, str]
    """As the inventory has it."""
    holds: list[str]
    decision: str
    date: str

    @property
    def record(self) -> str:
        """Its number."""
        return self.told["record"]

    @property
    def cells(self) -> list[str]:
        """The line of the table."""
        hold = " ".join(self.holds) or "-"
        shown = {"decision": self.decision, "date": self.date, "hold": hold}
        return [{**self.told, **shown}[name] for name in COLUMNS]


def _inventory(final: Final) -> list[dict[str, str]]:
    if FACETS["records_in"] == "csv":
        return rows_of(final.held("archive/inventory.csv")) or []
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("archive/inventory.sql") or "")
    rows = store.execute("SELECT * FROM records")
    names = [one[0] for one in rows.description]
    return [dict(zip(names, map(str, row), strict=True)) for row in rows]


def in_force(final: Final, misread: str = "") -> dict[str, tuple[str, str, str]]:
    """Return scope, first and last day of the holds in force by number."""
    texts = [final.held(f"legal/holds/{one}.md") or "" for one in DRAWN["holds"]]
    if FACETS["holds_in"] == "list":
        texts = (final.held("legal/holds.md") or "").split("# Legal hold ")
    found = {}
    for text in texts:
        told = " ".join(text.split())
        scope = re.search(r"Scope: ([^.]+)\.", told)
        days = re.search(r"from (\S+) to (\S+) \((H-\d+)\)", told)
        is_over = "is released on" in told and misread != "released"
        if scope and days and not is_over:
            found[days[3]] = (scope[1], days[1], days[2])
    return {} if misread == "holds" else found


def _covering(
    told: dict[str, str], holds: dict[str, tuple[str, str, str]]
) -> list[str]:
    kind = FACETS["scope"]
    found = []
    for number, (scope, first, last) in holds.items():
        words = scope.split(" ", 4)[-1] if kind == "class_department" else scope
        meant = {
            "class_department": words == f"{told['class']} of {told['department']}",
            "department": words.endswith(f"files of {told['department']}"),
            "project": words.endswith(f"project {told['project']}"),
        }[kind]
        if meant and first <= told["created"] <= last:
            found.append(number)
    return sorted(found)


def wanted(final: Final, misread: str = "") -> list[Fate]:
    """Return all files by number; `misread` names a rule that is missed."""
    holds = in_force(final, misread)
    found = []
    for told in sorted(_inventory(final), key=lambda one: one["record"]):
        mine = _covering(told, holds)
        decision, day = _fate(told, misread)
        if mine:
            decision, day = "hold", "-"
        found.append(Fate(told, mine, decision, day))
    return found


def _fate(told: dict[str, str], misread: str) -> tuple[str, str]:
    years, special = DRAWN["years"].get(told["class"]), FACETS["special"]
    if misread == "special":
        special = ""
    if years is None:
        return "review", "-"
    created = date.fromisoformat(told["created"])
    begun = date.fromisoformat(told["closed"]) if told["closed"] else created
    if not told["closed"] and FACETS["in_use"] != "created":
        is_old = created < _shifted(TODAY, -DRAWN["review_years"])
        return ("review" if is_old and FACETS["in_use"] == "review" else "keep"), "-"
    if special == "personal" and told["personal"] == "yes":
        years = min(years, DRAWN["special_years"])
    if special == "site" and told["site"] == DRAWN["special_site"]:
        years += DRAWN["special_years"]
    end = _shifted(begun, years)
    if FACETS["begins"] == "year_end":
        end = date(begun.year + years, 12, 31)
    elif FACETS["begins"] == "month_end":
        end = (end.replace(day=1) + timedelta(days=31)).replace(day=1)
        end -= timedelta(days=1)
    over = (
        "archive" if special == "historic" and told["historic"] == "yes" else "delete"
    )
    return ("keep" if end >= TODAY else over), end.isoformat()


def _shifted(day: date, years: int) -> date:
    is_leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year + years, day=28 if is_leap_day else day.day)


def tabled(fates: list[Fate]) -> list[Fate]:
    """Return those that the table has, in its order."""
    keys: dict[str, Any] = {
        "record": lambda one: one.record,
        "date": lambda one: (one.date.strip("-"), one.record),
        "department": lambda one: (one.told["department"], one.record),
    }
    found = sorted(fates, key=keys[FACETS["order_by"]])
    if FACETS["listed"] == "no_keep":
        return [one for one in found if one.decision != "keep"]
    if FACETS["listed"] == "dated":
        return [one for one in found if one.decision == "hold" or one.date != "-"]
    return found


def summed(fates: list[Fate]) -> dict[str, Any]:
    """Return the overview that is wanted."""
    found: dict[str, Any] = {}
    for one in fates:
        if FACETS["overview"] == "by_year":
            if one.decision == "keep" and one.date != "-":
                found[one.date[:4]] = found.get(one.date[:4], 0) + 1
        elif FACETS["overview"] == "boxes":
            boxes = int(one.told["boxes"])
            found[one.decision] = found.get(one.decision, 0) + boxes
        else:
            mine = found.setdefault(one.told["department"], {})
            mine[one.decision] = mine.get(one.decision, 0) + 1
    return found


def besides(final: Final, fates: list[Fate], misread: str = "") -> str:
    """Return what is wanted besides, as text."""
    if FACETS["extra"] == "held":
        numbers = in_force(final, misread)
        return json.dumps(
            {n: [one.record for one in fates if n in one.holds] for n in numbers}
        )
    if FACETS["extra"] == "orders":
        gone = [one.told for one in fates if one.decision == "delete"]
        gone.sort(key=lambda one: (one["site"], one["record"]))
        rows = [f"{one['site']} {one['record']} {one['boxes']}\n" for one in gone]
        return "".join(rows)
    gone = [one.told for one in fates if one.decision in {"archive", "delete"}]
    gone.sort(key=lambda one: (-int(one["boxes"]), one["record"]))
    rows = [f"{one['record']},{one['title']},{one['boxes']}\n" for one in gone]
    return "".join(["record,title,boxes\n", *rows])


def _given(final: Final) -> list[list[str]]:
    return rows_under(final, "schedule.csv", COLUMNS)


def listing(final: Final) -> float:
    """Share of the files that stand in their place."""
    at = COLUMNS.index("record")
    given = [row[at] if len(row) > at else "" for row in _given(final)]
    due = [one.record for one in tabled(wanted(final))]
    right = sum(one == other for one, other in zip(given, due, strict=False))
    return graded(right, max(len(given), len(due)), exact=given == due)


def decisions(final: Final) -> float:
    """Share of the lines of which everything is right, wherever they stand."""
    given, due = _given(final), [one.cells for one in tabled(wanted(final))]
    right = sum(row in given for row in due)
    return graded(right, max(len(given), len(due)), exact=sorted(given) == sorted(due))


def overview(final: Final) -> float:
    """Share of the keys of the overview whose value is right."""
    return alike(final.json("overview.json"), summed(wanted(final)))


def extra(final: Final) -> float:
    """How far what is wanted besides is right."""
    due = besides(final, wanted(final))
    if EXTRA.endswith(".json"):
        return alike(final.json(EXTRA), json.loads(due))
    return listed(EXTRA, final.text(EXTRA), due)


CRITERIA = spelt(
    {
        "listing": listing,
        "decisions": decisions,
        "overview": overview,
        "extra": extra,
    },
    lambda final: _misread(final, ""),
)


def _misread(final: Final, rule: str) -> dict[str, str]:
    fates = wanted(final, rule)
    rows = [COLUMNS, *(one.cells for one in tabled(fates))]
    return {
        "schedule.csv": "".join(f"{','.join(row)}\n" for row in rows),
        "overview.json": json.dumps(summed(fates)),
        EXTRA: besides(final, fates, rule),
    }


MISREADINGS = {
    "holds are ignored": lambda final: _misread(final, "holds"),
    "released holds still count": lambda final: _misread(final, "released"),
    "the special rule is forgotten": lambda final: _misread(final, "special"),
}
