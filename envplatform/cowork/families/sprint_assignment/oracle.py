"""Plans through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import date, timedelta
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
ROOT = FACETS["root"]
Item = dict[str, Any]
Taken = list[tuple[Item, str]]


def solve() -> None:
    """Read, tell, read again, plan, write."""
    read_everything()
    ws_json("say", "I have read items, people and absences.")
    rules, items, people, away = read_everything()
    capacity = {
        one["person"]: hours(one, [a for a in away if a[0] == one["person"]], rules)
        for one in people
    }
    taken, left = give_out(items, people, dict(capacity), rules)
    planned: Counter[str] = Counter()
    for item, person in taken:
        planned[person] += item["hours"]
    write_plan(taken, left, list(capacity))
    write_load(taken, capacity, planned)
    write_left(left)
    if FACETS["extra"] == "note":
        free = {name: capacity[name] - planned[name] for name in capacity}
        deliver(
            "note.md",
            f"Taken: {len(taken)} of {len(taken) + len(left)}\n"
            f"Hours planned: {sum(planned.values())}\n"
            f"Hours free: {sum(free.values())}\n"
            f"Fullest: {min(free, key=lambda name: free[name])}\n",
        )


def read_everything() -> tuple[str, list[Item], list[dict[str, str]], list[list[str]]]:
    """Return rules, items, people and absences."""
    rules = " ".join(ws_text("read", f"{ROOT}/rules.md").split())
    people = rows_of(ws_text("read", f"{ROOT}/people.csv")) or []
    if FACETS["absences_in"] == "csv":
        rows = rows_of(ws_text("read", f"{ROOT}/absences.csv")) or []
        away = [list(row.values()) for row in rows]
    else:
        text = ws_text("read", f"{ROOT}/calendar.md")
        pattern = r"^- (.+?): (\S+) to (\S+), (\w+) \((\w+)\)$"
        away = [list(one) for one in re.findall(pattern, text, re.MULTILINE)]
    return rules, read_items(), people, away


def read_items() -> list[Item]:
    """Return all items by number."""
    place = f"{ROOT}/items"
    found: list[Item]
    if FACETS["items_in"] == "csv":
        found = [dict(row) for row in rows_of(ws_text("read", f"{place}.csv")) or []]
    elif FACETS["items_in"] == "store":
        told = ws_json("query", place, "SELECT * FROM items")
        found = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    else:
        names = [one["name"] for one in ws_json("list", f"{place}/")["names"]]
        found = [ticket(ws_text("read", name)) for name in names]
    for one in found:
        for field in ("priority", "hours", "value"):
            one[field] = int(one[field])
        one["needs"] = re.findall(r"W-\d+", one["depends_on"])
    return sorted(found, key=lambda one: str(one["item"]))


def ticket(text: str) -> Item:
    """Return what a ticket says."""
    fields = dict(re.findall(r"^([A-Z][\w ]+): (.+)$", text, re.MULTILINE))
    return {
        "item": re.findall(r"W-\d+", text)[0],
        "hours": fields["Estimate"].removesuffix(" h"),
        "depends_on": fields["Depends on"],
        **{name.lower(): value for name, value in fields.items()},
    }


def hours(person: dict[str, str], away: list[list[str]], rules: str) -> int:
    """Return somebody's capacity."""
    ends = re.findall(r"runs from (\S+) to (\S+),", rules)[0]
    day, last = (date.fromisoformat(one) for one in ends)
    holiday = re.findall(r"(\d{4}-\d\d-\d\d), the house is closed", rules)[0]
    reserve = int(re.findall(r"Of these hours (\d+) %", rules)[0])
    halves = 0
    while day <= last:
        if day.weekday() < 5 and day.isoformat() != holiday:
            halves += 2 - max(
                (lost(one, day.isoformat(), rules) for one in away), default=0
            )
        day += timedelta(days=1)
    return halves * int(person["hours_a_day"]) * (100 - reserve) // 200


def lost(absence: list[str], day: str, rules: str) -> int:
    """Return how many halves of a day an absence takes."""
    _, first, last, kind, status = absence
    if not first <= day <= last:
        return 0
    if "those only requested do not" in rules and status == "requested":
        return 0
    return 1 if "half of the hours remain" in rules and kind == "training" else 2


def give_out(
    items: list[Item], people: list[dict[str, str]], free: dict[str, int], rules: str
) -> tuple[Taken, list[tuple[Item, str]]]:
    """Give everybody's items out turn by turn; return what is taken and left over."""
    done = {one["item"] for one in items if one["status"] == "done"}
    waiting = sorted((one for one in items if one["status"] == "open"), key=turn(rules))
    taken: Taken = []
    left: list[tuple[Item, str]] = []
    patient = "always belongs to the first" in rules
    while waiting:
        ready = [one for one in waiting if done.issuperset(one["needs"])]
        item = ready[0] if patient and ready else waiting[0]
        waiting.remove(item)
        if item not in ready:
            left.append((item, "dependency"))
            continue
        groups = able(item, people, rules)
        counts = Counter(name for _, name in taken)
        person = choose(groups, item["hours"], free, counts, rules)
        if person is None:
            left.append((item, "capacity" if any(groups) else "skill"))
            continue
        free[person] -= item["hours"]
        taken.append((item, person))
        if "already. What is merely planned" not in rules:
            done.add(item["item"])
    return taken, sorted(left, key=lambda one: str(one[0]["item"]))


def turn(rules: str) -> Any:  # noqa: ANN401  a key
    """Return the order of turns."""
    if "by value, the highest first" in rules:
        return lambda one: (-one["value"], one["item"])
    second = "hours" if "the smaller estimate first" in rules else "created"
    return lambda one: (one["priority"], one[second], one["item"])


def able(item: Item, people: list[dict[str, str]], rules: str) -> list[list[str]]:
    """Return who may get an item, in groups that are asked one after the other."""
    skilled = [(one["person"], one["skills"].split()) for one in people]
    main = [name for name, skills in skilled if skills[0] == item["skill"]]
    every = [name for name, skills in skilled if item["skill"] in skills]
    if "Second skills are for helping out" in rules:
        return [main]
    return [main, every] if "are asked first" in rules else [every]


def choose(
    groups: list[list[str]],
    much: int,
    free: dict[str, int],
    counts: Counter[str],
    rules: str,
) -> str | None:
    """Return who gets it."""
    for group in groups:
        room = [name for name in group if free[name] >= much]
        if room and "with most free hours" in rules:
            return max(room, key=lambda name: free[name])
        if room and "with the fewest" in rules:
            return min(room, key=lambda name: counts[name])
        if room:
            return room[0]
    return None


def write_plan(taken: Taken, left: list[tuple[Item, str]], people: list[str]) -> None:
    """Write the table."""
    if FACETS["rows"] == "person":
        taken = sorted(taken, key=lambda one: people.index(one[1]))
    if FACETS["rows"] == "item":
        taken = sorted(taken, key=lambda one: str(one[0]["item"]))
    rest = [(item, "-") for item, _ in left] if FACETS["listed"] == "all" else []
    lines = [f"{i['item']},{person},{i['hours']}" for i, person in [*taken, *rest]]
    deliver("plan.csv", "\n".join(["item,person,hours", *lines, ""]))


def write_load(taken: Taken, capacity: dict[str, int], planned: Counter[str]) -> None:
    """Write how full everybody is."""
    if FACETS["load"] == "json":
        found = {
            name: {
                "capacity": capacity[name],
                "planned": planned[name],
                "items": sorted(item["item"] for item, who in taken if who == name),
            }
            for name in capacity
        }
        deliver("load.json", json.dumps(found, indent=1))
        return
    is_percent = FACETS["load"] == "percent"
    lines = [f"person,capacity,planned,{'percent' if is_percent else 'free'}"]
    for name, much in capacity.items():
        rest = much - planned[name]
        last = planned[name] * 100 // much if is_percent else rest
        lines.append(f"{name},{much},{planned[name]},{last}")
    deliver("load.csv", "\n".join([*lines, ""]))


def write_left(left: list[tuple[Item, str]]) -> None:
    """Write what is left over, and of which skills."""
    if FACETS["left"] == "csv":
        lines = [f"{item['item']},{item['hours']},{why}" for item, why in left]
        deliver("left.csv", "\n".join(["item,hours,reason", *lines, ""]))
    elif FACETS["left"] == "txt":
        deliver("left.txt", "".join(f"{item['item']}: {why}\n" for item, why in left))
    else:
        found = defaultdict(list)
        for item, why in left:
            found[why].append(item["item"])
        deliver("left.json", json.dumps(found, indent=1))
    if FACETS["extra"] == "skills":
        lines = ["skill,items,hours"]
        for skill in sorted({item["skill"] for item, _ in left}):
            much = [item["hours"] for item, _ in left if item["skill"] == skill]
            lines.append(f"{skill},{len(much)},{sum(much)}")
        deliver("skills.csv", "\n".join([*lines, ""]))
