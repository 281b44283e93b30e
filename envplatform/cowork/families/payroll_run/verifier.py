"""Grades the pay run, worked out anew from contracts and time sheets as they are held."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from operator import eq
from typing import Any, NamedTuple

from marks import alike, csv_text, graded, listed, rows_under
from seedlib import Final, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS, RULES = DRAWN["facets"], DRAWN["rules"]
PARTS = ["base", "overtime", "premium", "absence", "allowance"]
COLUMNS = {
    "elements": ["number", "name", *PARTS, "gross"],
    "hours": ["number", "name", "worked", "absent_days", "gross"],
    "short": ["number", "department", "base", "extras", "gross"],
}[FACETS["columns"]]
FILES = {"unapproved": "open.csv", "overtime": "overtime.txt"}
EXTRA = FILES.get(FACETS["extra"], "absences.json")


class Terms(NamedTuple):
    """One contract. Cents for an hour and for a day of travel."""

    number: str
    name: str
    department: str
    grade: str
    hours: int
    travel: int
    rate: int


class Slip(NamedTuple):
    """What one person gets."""

    terms: Terms
    parts: dict[str, int]
    gross: int
    worked: int
    over: int
    sick: int
    leave: int

    @property
    def cells(self) -> list[str]:
        """The line of the table."""
        extras = self.gross - self.parts["base"]
        sums = {**self.parts, "extras": extras, "gross": self.gross}
        shown = {**self.terms._asdict(), **{x: _amount(sums[x]) for x in sums}}
        times = {"worked": _time(self.worked), "absent_days": self.sick + self.leave}
        return [str({**shown, **times}[name]) for name in COLUMNS]


Line = tuple[date, str, int, str]
Run = tuple[list[Slip], list[list[str]]]
"""Slips in the table's order, open entries. A Line: day, kind, minutes, shift."""


def _amount(cents: int) -> str:
    euros = f"{cents // 100}.{cents % 100:02}"
    return euros if FACETS["unit"] == "euros" else str(cents)


def _time(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def _agreed(final: Final) -> list[Terms]:
    if FACETS["contracts_in"] == "letters":
        paths = [f"hr/contracts/{number}.txt" for number in DRAWN["numbers"]]
        return [_of_letter(final.held(path) or "") for path in paths]
    found = []
    text = final.held("hr/pay_scale.md") or ""
    scale = dict(re.findall(r"\| (E\d) \| ([\d.]+) EUR", text))
    for row in rows_of(final.held("hr/contracts.csv")) or []:
        rate = row.get("rate_cents_an_hour") or scale[row["grade"]].replace(".", "")
        texts = [row[name] for name in ("number", "name", "department", "grade")]
        sums = (row["weekly_hours"], row["travel_cents_a_day"], rate)
        found.append(Terms(*texts, *map(int, sums)))
    return found


def _of_letter(text: str) -> Terms:
    words = " ".join(text.split())
    told = re.search(
        r"contract of ([^,]+), number (\d+) Department ([^,]+), grade (E\d)\. Weekly hours: (\d+)"
        r"\. The hourly rate is (\d+\.\d\d) EUR\. (?:Travel money of (\S+) EUR)?",
        words,
    )
    if told is None:
        msg = f"this is no contract: {words}"
        raise ValueError(msg)
    name, number, department, grade, hours, rate, travel = told.groups("0")
    sums = (hours, travel.replace(".", ""), rate.replace(".", ""))
    return Terms(number, name, department, grade, *map(int, sums))


def _booked(final: Final) -> list[list[str]]:
    if FACETS["sheets_in"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held("time/clock.sql") or "")
        rows = store.execute("SELECT * FROM entries ORDER BY entry").fetchall()
        return [[str(cell) for cell in row] for row in rows]
    names = [f"sheets/{number}" for number in DRAWN["numbers"]]
    if FACETS["sheets_in"] == "csv":
        names = ["entries"]
    tables = [rows_of(final.held(f"time/{name}.csv")) or [] for name in names]
    return sorted(list(row.values()) for rows in tables for row in rows)


def _wanted(final: Final, misread: str = "") -> Run:
    entries = _booked(final)
    slips = []
    for terms in _agreed(final):
        seen: set[tuple[str, ...]] = set()
        lines = []
        for _, number, day, kind, start, end, pause, shift, lead in entries:
            is_new = (day, kind, start) not in seen or misread == "doubles"
            is_paid = lead or misread == "approval"
            if number == terms.number and is_new and is_paid:
                seen.add((day, kind, start))
                minutes = _net(start, end, pause)
                lines.append((date.fromisoformat(day), kind, minutes, shift))
        slips.append(_slip(terms, lines, misread))
    slips.sort(key=lambda one: one.terms.number)
    if FACETS["order_by"] == "name":
        slips.sort(key=lambda one: one.terms.name.rpartition(" ")[2])
    elif FACETS["order_by"] == "gross":
        slips.sort(key=lambda one: -one.gross)
    return slips, [row[:3] for row in entries if not row[8]]


def _summed(pairs: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for key, amount in pairs:
        found[key] = found.get(key, 0) + amount
    return found


def _net(start: str, end: str, pause: str) -> int:
    if not start:
        return 0
    begun, ended = (int(x[:2]) * 60 + int(x[3:]) for x in (start, end))
    minutes = ended - begun - int(pause)
    rounded = {"quarter": minutes // 15 * 15, "five": round(minutes / 5) * 5}
    return rounded.get(FACETS["rounding"], minutes)


def _slip(terms: Terms, lines: list[Line], misread: str) -> Slip:
    work = [(day, time, shift) for day, kind, time, shift in lines if kind == "work"]
    kinds = [kind for _, kind, _, _ in lines]
    sick, leave = kinds.count("sick"), kinds.count("leave")
    worked = sum(minutes for _, minutes, _ in work)
    by_day = _summed((day, minutes) for day, minutes, _ in work)
    over = 0 if misread == "overtime" else _over(terms, by_day)
    hour = Fraction(terms.rate, 60)
    away = Fraction(leave + sick)
    if FACETS["sick"] == "percent":
        away = leave + sick * Fraction(RULES["sick_percent"], 100)
    elif FACETS["sick"] == "waiting_day" and sick:
        away -= 1
    parts = {
        "base": hour * worked,
        "overtime": hour * over * Fraction(RULES["overtime_percent"], 100),
        "premium": Fraction(0) if misread == "premium" else _premium(terms, work),
        "absence": hour * terms.hours * 12 * away,
        "allowance": _allowance(terms, by_day),
    }
    whole = {name: int(exact + Fraction(1, 2)) for name, exact in parts.items()}
    return Slip(terms, whole, sum(whole.values()), worked, over, sick, leave)


def _over(terms: Terms, by_day: dict[date, int]) -> int:
    if FACETS["overtime"] == "daily":
        return sum(max(0, m - RULES["daily_limit_min"]) for m in by_day.values())
    weeks = _summed((day.isocalendar()[1], minutes) for day, minutes in by_day.items())
    if FACETS["overtime"] == "period":
        return max(0, sum(weeks.values()) - terms.hours * 120)
    return sum(max(0, minutes - terms.hours * 60) for minutes in weeks.values())


def _premium(terms: Terms, work: list[tuple[date, int, str]]) -> Fraction:
    if FACETS["premium"] == "late":
        late = sum(minutes for _, minutes, shift in work if shift == "L")
        return Fraction(RULES["late_cents"] * late, 60)
    is_saturday = FACETS["premium"] == "saturday"
    weekday, holiday = (6, "") if is_saturday else (7, DRAWN["holiday"])
    times = [time for day, time, _ in work if day.isoweekday() == weekday]
    times += [time for day, time, _ in work if day.isoformat() == holiday]
    return Fraction(terms.rate * sum(times) * RULES["premium_percent"], 6000)


def _allowance(terms: Terms, by_day: dict[date, int]) -> Fraction:
    meals = sum(minutes >= 360 for minutes in by_day.values())
    cents = {"meal": RULES["meal_cents"] * meals, "travel": terms.travel * len(by_day)}
    grade = RULES["grade_cents"][terms.grade] * Fraction(sum(by_day.values()), 60)
    return Fraction(cents.get(FACETS["allowance"], grade))


def _totals(run: Run) -> dict[str, Any]:
    if FACETS["record"] == "by_element":
        return {name: sum(one.parts[name] for one in run[0]) for name in PARTS}
    if FACETS["record"] == "control":
        top = max(run[0], key=lambda one: one.gross)
        sums = {x: sum(getattr(o, x) for o in run[0]) for x in ("worked", "gross")}
        found = {"minutes": sums["worked"], "gross": sums["gross"]}
        return {"people": len(run[0]), **found, "highest": top.terms.number}
    return _summed((one.terms.department, one.gross) for one in run[0])


def _besides(run: Run) -> str:
    slips = sorted(run[0], key=lambda one: one.terms.number)
    if FACETS["extra"] == "unapproved":
        return csv_text([["entry", "number", "day"], *run[1]])
    if FACETS["extra"] == "overtime":
        over = {one.terms.number: _time(one.over) for one in slips if one.over}
        return "".join(f"{number} {time}\n" for number, time in over.items())
    days = {one.terms.number: {"sick": one.sick, "leave": one.leave} for one in slips}
    return json.dumps({number: of for number, of in days.items() if any(of.values())})


def _lines(final: Final) -> list[list[str]]:
    return rows_under(final, "pay.csv", COLUMNS)


def _people(final: Final) -> float:
    given = [row[:2] for row in _lines(final)]
    due = [one.cells[:2] for one in _wanted(final)[0]]
    right = sum(one == other for one, other in zip(given, due, strict=False))
    return graded(right, max(len(given), len(due)), exact=given == due)


def _amounts(final: Final) -> float:
    lines, due = _lines(final), [one.cells for one in _wanted(final)[0]]
    given = {row[0]: row[2:] for row in lines}
    pairs = [(row[2:], given.get(row[0], [])) for row in due]
    right = sum(sum(map(eq, one, other)) for one, other in pairs)
    is_same = sorted(lines) == sorted(due)
    return graded(right, max(len(due), len(lines)) * (len(COLUMNS) - 2), exact=is_same)


def _extra(final: Final) -> float:
    due = _besides(_wanted(final))
    if EXTRA.endswith(".json"):
        return alike(final.json(EXTRA), json.loads(due))
    return listed(EXTRA, final.text(EXTRA), due)


CRITERIA = spelt(
    {
        "people": _people,
        "amounts": _amounts,
        "record": lambda final: alike(
            final.json("totals.json"), _totals(_wanted(final))
        ),
        "extra": _extra,
    },
    lambda final: _as_delivered(_wanted(final)),
)


def _as_delivered(run: Run) -> dict[str, str]:
    table, record = [COLUMNS, *(one.cells for one in run[0])], json.dumps(_totals(run))
    return {"pay.csv": csv_text(table), "totals.json": record, EXTRA: _besides(run)}


MISREADINGS = {
    f"without the rule on {rule}": lambda final, rule=rule: _as_delivered(
        _wanted(final, rule)
    )
    for rule in ("approval", "doubles", "overtime", "premium")
}
