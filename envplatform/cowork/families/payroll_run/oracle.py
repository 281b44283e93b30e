"""Works the pay run out through `ws`; figures of the rules are read off the documents."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import defaultdict
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
ELEMENTS = ("base", "overtime", "premium", "absence", "allowance")
Person = dict[str, Any]


def solve() -> None:
    """Read, tell, read again, work out, write all three files."""
    contracts(), entries()
    ws_json("say", "I have read the rules, the contracts and the time sheets.")
    policy = " ".join(ws_text("read", "docs/pay_rules.md").split())
    people, lines = contracts(), entries()
    open_ones = [one for one in lines if not one["approved_by"]]
    for person in people:
        mine = counted([o for o in lines if o["number"] == person["number"]], policy)
        person.update(pay(person, mine, policy))
    order = {
        "number": lambda one: one["number"],
        "name": lambda one: one["name"].split()[-1],
        "gross": lambda one: -one["gross"],
    }[FACETS["order_by"]]
    table(sorted(people, key=order))
    deliver("totals.json", json.dumps(record(people), indent=1))
    extra(sorted(people, key=lambda one: one["number"]), open_ones)


def cents(text: str) -> int:
    """Return an amount like `12.50` in cents."""
    return int(text.replace(".", ""))


def contracts() -> list[Person]:
    """Return contracts with rates in cents."""
    if FACETS["contracts_in"] == "letters":
        found = []
        for entry in ws_json("list", "hr/contracts/")["names"]:
            text = " ".join(ws_text("read", entry["name"]).split())
            match = re.search(
                r"contract of (.+?), number (\d+) Department (.+?), grade (\w+)\. "
                r"Weekly hours: (\d+)\. The hourly rate is ([\d.]+) EUR",
                text,
            )
            travel = re.search(r"Travel money of ([\d.]+) EUR", text)
            if match:
                name, number, department, grade, hours, rate = match.groups()
                found.append(
                    {
                        "number": number,
                        "name": name,
                        "department": department,
                        "grade": grade,
                        "hours": int(hours),
                        "rate": cents(rate),
                        "travel": cents(travel[1]) if travel else 0,
                    }
                )
        return found
    rows = rows_of(ws_text("read", "hr/contracts.csv")) or []
    scale: dict[str, str] = {}
    if FACETS["contracts_in"] == "scale":
        text = ws_text("read", "hr/pay_scale.md")
        scale = dict(re.findall(r"\| (\w+) \| ([\d.]+) EUR", text))
    return [
        {
            **row,
            "hours": int(row["weekly_hours"]),
            "travel": int(row["travel_cents_a_day"]),
            "rate": cents(scale[row["grade"]])
            if scale
            else int(row["rate_cents_an_hour"]),
        }
        for row in rows
    ]


def entries() -> list[dict[str, Any]]:
    """Return all lines of all time sheets."""
    if FACETS["sheets_in"] == "store":
        told = ws_json("query", "time/clock", "SELECT * FROM entries")
        return [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    names = ["time/entries.csv"]
    if FACETS["sheets_in"] == "folder":
        names = [one["name"] for one in ws_json("list", "time/sheets/")["names"]]
    return [row for name in names for row in rows_of(ws_text("read", name)) or []]


def counted(lines: list[dict[str, Any]], policy: str) -> list[dict[str, Any]]:
    """Return what is approved, each once, with `minutes`."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for one in lines:
        if not one["approved_by"]:
            continue
        minutes = clock(one["end"]) - clock(one["start"]) - int(one["break_min"])
        if "rounded down to full quarters" in policy:
            minutes -= minutes % 15
        if "nearest five minutes" in policy:
            minutes = (minutes + 2) // 5 * 5
        found[one["day"], one["kind"], one["start"]] = {**one, "minutes": minutes}
    return list(found.values())


def clock(text: str) -> int:
    """Return minutes since midnight; 0 of nothing."""
    hours, _, minutes = text.partition(":")
    return int(hours or 0) * 60 + int(minutes or 0)


def pay(person: Person, lines: list[dict[str, Any]], policy: str) -> Person:
    """Return elements, gross pay, times and days."""
    rate, work = person["rate"], [one for one in lines if one["kind"] == "work"]
    sick = sum(one["kind"] == "sick" for one in lines)
    leave = sum(one["kind"] == "leave" for one in lines)
    worked = sum(one["minutes"] for one in work)
    over = overtime(person, work, policy)
    percent = int(re.search(r"surcharge of (\d+) %", policy)[1])  # type: ignore[index]
    paid = {
        "base": half_up(rate * worked, 60),
        "overtime": half_up(rate * over * percent, 6000),
        "premium": premium(rate, work, policy),
        "absence": absence(rate * person["hours"] * 12, sick, leave, policy),
        "allowance": allowance(person, work, policy),
    }
    days = {"sick": sick, "leave": leave}
    gross = sum(paid.values())
    return {**paid, "gross": gross, "worked": worked, "over": over, "days": days}


def half_up(top: int, bottom: int) -> int:
    """Divide and round."""
    return (2 * top + bottom) // (2 * bottom)


def overtime(person: Person, work: list[dict[str, Any]], policy: str) -> int:
    """Return the minutes that have a surcharge."""
    daily = re.search(r"works more than (\d+):(\d\d) hours on a day", policy)
    sums: dict[Any, int] = defaultdict(int)
    limit = person["hours"] * 60
    if daily:
        limit = int(daily[1]) * 60 + int(daily[2])
    elif "twice the weekly hours" in policy:
        limit *= 2
    for one in work:
        week = dt.date.fromisoformat(one["day"]).isocalendar()[:2]
        whole = "" if "twice the weekly hours" in policy else week
        sums[one["day"] if daily else whole] += one["minutes"]
    return sum(max(0, minutes - limit) for minutes in sums.values())


def premium(rate: int, work: list[dict[str, Any]], policy: str) -> int:
    """Return the premium in cents."""
    late = re.search(r"late shift \(`L`\) has a premium of ([\d.]+) EUR", policy)
    if late:
        minutes = sum(one["minutes"] for one in work if one["shift"] == "L")
        return half_up(minutes * cents(late[1]), 60)
    percent = int(re.search(r"premium of (\d+) %", policy)[1])  # type: ignore[index]
    holiday = re.search(r"holiday of this period is \w+, (\S+);", policy)
    weekday = 6 if holiday else 5
    minutes = sum(
        one["minutes"]
        for one in work
        if dt.date.fromisoformat(one["day"]).weekday() == weekday
        or (holiday and one["day"] == holiday[1])
    )
    return half_up(rate * minutes * percent, 6000)


def absence(day: int, sick: int, leave: int, policy: str) -> int:
    """Return pay for absent days; `day`: cents times minutes of one."""
    percent = re.search(r"Sick days are paid with (\d+) %", policy)
    if "first sick day that somebody has in the period is not paid" in policy:
        sick = max(0, sick - 1)
    shares = sick * int(percent[1]) if percent else sick * 100
    return half_up(day * (shares + leave * 100), 6000)


def allowance(person: Person, work: list[dict[str, Any]], policy: str) -> int:
    """Return the allowance in cents."""
    days: dict[str, int] = defaultdict(int)
    for one in work:
        days[one["day"]] += one["minutes"]
    meal = re.search(r"meal allowance of ([\d.]+) EUR", policy)
    if meal:
        return cents(meal[1]) * sum(minutes >= 360 for minutes in days.values())
    if "Travel money is paid" in policy:
        return int(person["travel"]) * len(days)
    grades = dict(re.findall(r"(E\d): ([\d.]+) EUR", policy))
    return half_up(cents(grades[person["grade"]]) * sum(days.values()), 60)


def table(people: list[Person]) -> None:
    """Write the table."""

    def amount(value: int) -> str:
        is_cents = FACETS["unit"] == "cents"
        return str(value) if is_cents else f"{value // 100}.{value % 100:02}"

    lines = []
    for one in people:
        worked = f"{one['worked'] // 60}:{one['worked'] % 60:02}"
        extras = amount(one["gross"] - one["base"])
        away = str(sum(one["days"].values()))
        lines.append(
            {
                **one,
                **{name: amount(one[name]) for name in (*ELEMENTS, "gross")},
                "extras": extras,
                "worked": worked,
                "absent_days": away,
            }
        )
    columns = {
        "elements": ("number", "name", *ELEMENTS, "gross"),
        "hours": ("number", "name", "worked", "absent_days", "gross"),
        "short": ("number", "department", "base", "extras", "gross"),
    }[FACETS["columns"]]
    rows = [",".join(one[name] for name in columns) for one in lines]
    deliver("pay.csv", "\n".join([",".join(columns), *rows, ""]))


def record(people: list[Person]) -> dict[str, Any]:
    """Return the totals."""
    if FACETS["record"] == "by_element":
        return {name: sum(one[name] for one in people) for name in ELEMENTS}
    if FACETS["record"] == "control":
        return {
            "people": len(people),
            "minutes": sum(one["worked"] for one in people),
            "gross": sum(one["gross"] for one in people),
            "highest": max(people, key=lambda one: one["gross"])["number"],
        }
    found: dict[str, int] = defaultdict(int)
    for one in people:
        found[one["department"]] += one["gross"]
    return found


def extra(people: list[Person], open_ones: list[dict[str, Any]]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "unapproved":
        names = ("entry", "number", "day")
        rows = sorted(",".join(one[name] for name in names) for one in open_ones)
        deliver("open.csv", "\n".join([",".join(names), *rows, ""]))
    elif FACETS["extra"] == "overtime":
        lines = [
            f"{one['number']} {one['over'] // 60}:{one['over'] % 60:02}\n"
            for one in people
            if one["over"]
        ]
        deliver("overtime.txt", "".join(lines))
    else:
        away = {o["number"]: o["days"] for o in people if any(o["days"].values())}
        deliver("absences.json", json.dumps(away, indent=1))
