"""Works the schedule out through `ws`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import date, timedelta
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
ROOT = FACETS["root"]
Task = dict[str, Any]
ONE = timedelta(days=1)


class Calendar:
    """Which days are workdays."""

    def __init__(self, rules: str) -> None:
        last = re.findall(r"We work Monday to (\w+)", rules)[0]
        self.length = {"Thursday": 4, "Friday": 5, "Saturday": 6}[last]
        told = re.findall(r"We work \w+ to \w+\. (.+?) are holidays", rules)[0]
        self.holidays = set(re.findall(r"\d{4}-\d\d-\d\d", told))

    def works(self, day: date) -> bool:
        """Return whether it is one."""
        return day.weekday() < self.length and day.isoformat() not in self.holidays

    def step(self, day: date, count: int) -> date:
        """Return the workday `count` workdays away; of 0, the next from `day` on."""
        way = -ONE if count < 0 else ONE
        while not self.works(day):
            day += way
        for _ in range(abs(count)):
            day += way
            while not self.works(day):
                day += way
        return day

    def between(self, first: date, last: date) -> int:
        """Return how many steps lead from one workday to another."""
        days = (last - first).days
        return sum(self.works(first + ONE * (n + 1)) for n in range(days))


def solve() -> None:
    """Read, put right, work out, write."""
    guide = ws_text("read", f"{ROOT}/guide.md")
    rules = " ".join(guide.split())
    tasks, problems = put_right(read_tasks(), rules)
    calendar = Calendar(rules)
    start = date.fromisoformat(re.findall(r"project begins on (\S+)\.", rules)[0])
    order = forward(tasks, calendar, calendar.step(start, 0), rules)
    end = max(one["end"] for one in tasks.values())
    backward(tasks, order, calendar, end)
    write_table(tasks)
    write_summary(tasks, end, calendar.between(start - ONE, end))
    write_problems(sorted(problems))
    if FACETS["extra"] == "milestones":
        goals = re.findall(r"^- ([A-Z][\w ]+): (T-.+)$", guide, re.MULTILINE)
        reached = [
            (max(tasks[n]["end"] for n in re.findall(r"T-\d+", of)), name)
            for name, of in goals
        ]
        lines = [f"{name},{shown(day)}" for day, name in sorted(reached)]
        deliver("milestones.csv", "\n".join(["milestone,date", *lines, ""]))
    if FACETS["extra"] == "running":
        asked = date.fromisoformat(parameters()["asked"])
        runs = sorted(n for n, o in tasks.items() if o["start"] <= asked <= o["end"])
        deliver("running.txt", "\n".join([f"Running: {len(runs)}", *runs, ""]))


def read_tasks() -> list[Task]:
    """Return all entries of the list."""
    place = f"{ROOT}/tasks"
    found: list[Task]
    if FACETS["tasks_in"] == "csv":
        found = [dict(row) for row in rows_of(ws_text("read", f"{place}.csv")) or []]
    elif FACETS["tasks_in"] == "store":
        told = ws_json("query", place, "SELECT * FROM tasks")
        found = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    else:
        names = [one["name"] for one in ws_json("list", f"{place}/")["names"]]
        found = [sheet(ws_text("read", name)) for name in names]
    for one in found:
        one["days"] = int(one["days"])
        waits = re.findall(r"(T-\d+)(?:\+(\d+))?", one["after"])
        one["after"] = {number: int(more or 0) for number, more in waits}
    return found


def sheet(text: str) -> Task:
    """Return what a sheet says."""
    fields = dict(re.findall(r"^([A-Z][\w ]+): (.*)$", text, re.MULTILINE))
    return {
        "task": text.split(maxsplit=1)[0],
        "team": fields["Team"],
        "days": fields["Days"],
        "after": fields["After"],
        "not_before": fields.get("Not before", ""),
        "revised": fields["Revised"],
    }


def put_right(
    entries: list[Task], rules: str
) -> tuple[dict[str, Task], list[tuple[str, str]]]:
    """Return tasks by number without the list's mistakes, and these."""
    problems: list[tuple[str, str]] = []
    tasks: dict[str, Task] = {}
    key = "revised" if "revised later counts" in rules else "days"
    for one in sorted(entries, key=lambda entry: str(entry["task"])):
        other = tasks.setdefault(one["task"], one)
        if other is not one:
            problems.append((one["task"], "double"))
            tasks[one["task"]] = max(one, other, key=lambda entry: entry[key])
    default = int(re.findall(r"It is counted with (\d+)", rules)[0])
    for number, one in tasks.items():
        if not one["days"]:
            problems.append((number, "no_days"))
            one["days"] = default
        for other in list(one["after"]):
            word = mistake(number, other, tasks)
            if word:
                problems.append((number, word))
                del one["after"][other]
    return tasks, problems


def mistake(number: str, other: str, tasks: dict[str, Task]) -> str:
    """Return the word for what is wrong with a task's coming after another, or nothing."""
    if other == number:
        return "itself"
    if other not in tasks:
        return "unknown"
    return "mutual" if number < other and number in tasks[other]["after"] else ""


def forward(
    tasks: dict[str, Task], calendar: Calendar, first: date, rules: str
) -> list[str]:
    """Work starts and ends out; return the order in which this was possible."""
    order: list[str] = []
    while len(order) < len(tasks):
        for number, one in tasks.items():
            if number in order or not set(one["after"]) <= set(order):
                continue
            start = first
            for other in one["after"]:
                differs = tasks[other]["team"] != one["team"]
                if "for the handover" in rules and differs:
                    one["after"][other] = 1
                ends = tasks[other]["end"]
                start = max(start, calendar.step(ends, 1 + one["after"][other]))
            if one["not_before"]:
                earliest = date.fromisoformat(one["not_before"])
                start = max(start, calendar.step(earliest, 0))
            one["start"], one["end"] = start, calendar.step(start, one["days"] - 1)
            order.append(number)
    return order


def backward(
    tasks: dict[str, Task], order: list[str], calendar: Calendar, end: date
) -> None:
    """Work slack out."""
    for number in reversed(order):
        one = tasks[number]
        latest, free = end, end
        for other in tasks.values():
            if number in other["after"]:
                back = -1 - other["after"][number]
                latest = min(latest, calendar.step(other["latest"], back))
                free = min(free, calendar.step(other["start"], back))
        one["latest"] = (
            calendar.step(latest, 1 - one["days"]) if one["days"] > 1 else latest
        )
        total = calendar.between(one["end"], latest)
        is_free = FACETS["slack"] == "free"
        one["slack"] = calendar.between(one["end"], free) if is_free else total
        one["critical"] = "no" if total else "yes"


def shown(day: date) -> str:
    """Return a date as it is wanted."""
    return day.strftime("%Y-%m-%d" if FACETS["dates"] == "iso" else "%d.%m.%Y")


def write_table(tasks: dict[str, Task]) -> None:
    """Write the schedule."""
    wanted = {"critical": ("yes",), "slack": ("no",)}.get(
        FACETS["listed"], ("yes", "no")
    )
    chosen = [one for one in tasks.values() if one["critical"] in wanted]
    if FACETS["rows"] != "task":
        chosen.sort(key=lambda one: one[FACETS["rows"]])
    head = "task,team,start,end,slack"
    lines = [
        f"{o['task']},{o['team']},{shown(o['start'])},{shown(o['end'])},{o['slack']}"
        for o in chosen
    ]
    if FACETS["listed"] == "all":
        head += ",critical"
        lines = [
            f"{line},{o['critical']}" for line, o in zip(lines, chosen, strict=True)
        ]
    deliver("schedule.csv", "\n".join([head, *lines, ""]))


def write_summary(tasks: dict[str, Task], end: date, workdays: int) -> None:
    """Sum up."""
    found: dict[str, Any] = {"end": shown(end)}
    if FACETS["summary"] == "project":
        found["workdays"] = workdays
        found["critical"] = [n for n, one in tasks.items() if one["critical"] == "yes"]
    elif FACETS["summary"] == "months":
        months = defaultdict(list)
        for number, one in tasks.items():
            months[one["end"].strftime("%Y-%m")].append(number)
        found |= months
    else:
        del found["end"]
        for team in {one["team"] for one in tasks.values()}:
            mine = [one for one in tasks.values() if one["team"] == team]
            days = sum(one["days"] for one in mine)
            ends = shown(max(one["end"] for one in mine))
            found[team] = {"tasks": len(mine), "days": days, "ends": ends}
    deliver("summary.json", json.dumps(found, indent=1))


def write_problems(problems: list[tuple[str, str]]) -> None:
    """Tell the mistakes."""
    if FACETS["problems"] == "csv":
        lines = [f"{number},{word}" for number, word in problems]
        deliver("problems.csv", "\n".join(["task,problem", *lines, ""]))
    elif FACETS["problems"] == "txt":
        deliver("problems.txt", "".join(f"{n}: {word}\n" for n, word in problems))
    else:
        found = defaultdict(list)
        for number, word in problems:
            found[word].append(number)
        deliver("problems.json", json.dumps(found, indent=1))
