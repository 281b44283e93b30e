"""Decides on the requests through `ws`; rules are read off the documents."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import date, timedelta
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
Request = dict[str, Any]


def solve() -> None:
    """Read, decide in turn, write all three files."""
    rules = ws_text("read", "docs/leave.md")
    policy = " ".join(rules.split())
    staff = {
        row["number"]: row for row in rows_of(ws_text("read", "people/staff.csv")) or []
    }
    weeks = blocked(rules)
    left = {number: int(one["balance"]) for number, one in staff.items()}
    requests = read_requests()
    for one in requests:
        one["days_off"] = days_off(one, policy)
        one["days"] = len(one["days_off"])
        one |= {x: staff[one["number"]][x] for x in ("name", "team", "since")}
    off: dict[str, set[str]] = defaultdict(set)
    for one in sorted(requests, key=lambda one: turn(one, policy)):
        reason = objection(one, staff, weeks, left, off, policy)
        conflict = re.search(r"a day of leave: `(\w+)`, reason `coverage`", policy)
        one["reason"], one["decision"] = reason, "rejected"
        if reason == "coverage" and conflict:
            one["decision"] = conflict[1]
        if reason == "-":
            one["decision"] = "granted"
            left[one["number"]] -= one["days"]
            for day in one["days_off"]:
                off[day].add(one["number"])
    requests.sort(key=lambda one: one["request"])
    balances(staff, left)
    extra(requests, off)
    table(requests)


def read_requests() -> list[Request]:
    """Return all requests."""
    if FACETS["requests_in"] == "csv":
        return list(rows_of(ws_text("read", "leave/requests.csv")) or [])
    if FACETS["requests_in"] == "store":
        told = ws_json("query", "leave/desk", "SELECT * FROM requests")
        return [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    found = []
    for entry in ws_json("list", "leave/inbox/")["names"]:
        text = " ".join(ws_text("read", entry["name"]).split())
        match = re.search(
            r"Request: (\S+) From: .+? \((\d+)\) Sent: (\S+) .*?from (\S+) to (\S+)\.",
            text,
        )
        if match:
            names = ("request", "number", "submitted", "first", "last")
            found.append(dict(zip(names, match.groups(), strict=True)))
    return found


def blocked(rules: str) -> dict[str, list[str]]:
    """Return the Mondays of blocked weeks by team."""
    found: dict[str, list[str]] = defaultdict(list)
    if FACETS["blocked_in"] == "csv":
        for row in rows_of(ws_text("read", "leave/blocked.csv")) or []:
            found[row["team"]].append(row["week_from"])
        return found
    for team, days in re.findall(r"^\| (.+?) \| (\d[\d, -]+) \|$", rules, re.MULTILINE):
        found[team] = days.split(", ")
    return found


def all_days(one: Request) -> list[date]:
    """Return every day of a request."""
    first, last = date.fromisoformat(one["first"]), date.fromisoformat(one["last"])
    return [first + timedelta(days=at) for at in range((last - first).days + 1)]


def days_off(one: Request, policy: str) -> list[str]:
    """Return the days of leave."""
    told = re.search(r"Public holidays of the season: ([\d, -]+)\.", policy)
    holidays = told[1].split(", ") if told else []
    if "weekends and public holidays included" in policy:
        return [day.isoformat() for day in all_days(one)]
    last = 5 if "Monday to Saturday" in policy else 4
    days = [day.isoformat() for day in all_days(one) if day.weekday() <= last]
    return [day for day in days if day not in holidays]


def turn(one: Request, policy: str) -> tuple[Any, ...]:
    """Return by what requests are sorted."""
    if "in the order in which they were submitted" in policy:
        return one["submitted"], one["request"]
    if "has been with us longest first" in policy:
        return one["since"], one["request"]
    return -one["days"], one["request"]


def objection(
    one: Request,
    staff: dict[str, dict[str, str]],
    weeks: dict[str, list[str]],
    left: dict[str, int],
    off: dict[str, set[str]],
    policy: str,
) -> str:
    """Return the reason of the first rule that applies; `-` if none does."""
    person = staff[one["number"]]
    notice = re.search(r"Submitted less than (\d+) days", policy)
    before = date.fromisoformat(one["first"]) - date.fromisoformat(one["submitted"])
    if notice and before.days < int(notice[1]):
        return "notice"
    senior = re.search(r"joined more than (\d+) years", policy)
    is_exempt = "Parents of children" in policy and person["parent"] == "yes"
    if senior:
        year = int(one["first"][:4]) - int(senior[1])
        is_exempt = person["since"] < f"{year}-01-01"
    mondays = {
        (day - timedelta(days=day.weekday())).isoformat() for day in all_days(one)
    }
    if mondays & set(weeks[person["team"]]) and not is_exempt:
        return "blocked"
    if one["days"] > left[one["number"]]:
        return "balance"
    team = {
        number for number, other in staff.items() if other["team"] == person["team"]
    }
    most = re.search(r"Not more than (\d+) of a team", policy)
    least = re.search(r"At least (\d+) of a team", policy)
    room = int(most[1]) if most else len(team) - int(least[1]) if least else 0
    for day in one["days_off"]:
        away = off[day] & team
        if "deputy is" in policy:
            is_broken = person["deputy"] in away
        else:
            is_broken = len(away) >= room
        if is_broken:
            return "coverage"
    return "-"


def table(requests: list[Request]) -> None:
    """Write the decisions."""
    by = {"request": "request", "person": "number", "first": "first"}[
        FACETS["order_by"]
    ]
    columns = {
        "short": ("request", "decision", "reason"),
        "full": ("request", "number", "first", "last", "days", "decision", "reason"),
        "person": ("number", "name", "request", "decision", "reason"),
    }[FACETS["columns"]]
    rows = [
        ",".join(str(one[name]) for name in columns)
        for one in sorted(requests, key=lambda one: one[by])
    ]
    deliver("decisions.csv", "\n".join([",".join(columns), *rows, ""]))


def balances(staff: dict[str, dict[str, str]], left: dict[str, int]) -> None:
    """Write what is left."""
    if FACETS["balances"] == "json":
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for number, one in staff.items():
            found[one["team"]][number] = left[number]
        deliver("balances.json", json.dumps(found, indent=1))
        return
    rows = [
        (number, staff[number]["balance"], str(left[number]))
        for number in sorted(staff)
    ]
    head = ("number", "before", "left")
    if FACETS["balances"] == "changed":
        lines = [head, *(row for row in rows if row[1] != row[2])]
    else:
        lines = [(row[0], "", row[2]) for row in (head, *rows)]
    text = "".join(",".join(filter(None, line)) + "\n" for line in lines)
    deliver("balances.csv", text)


def extra(requests: list[Request], off: dict[str, set[str]]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "calendar":
        days = {day: sorted(off[day]) for day in sorted(off) if off[day]}
        deliver("calendar.json", json.dumps(days, indent=1))
    elif FACETS["extra"] == "letters":
        lines = [
            f"{one['name']}: {one['request']} {one['decision']} ({one['reason']})\n"
            for one in requests
            if one["decision"] != "granted"
        ]
        deliver("answers.txt", "".join(lines))
    else:
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for one in requests:
            found[one["team"]][one["reason"]] += 1
        deliver("teams.json", json.dumps(found, indent=1))
