"""Searches the figures through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import date, timedelta

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
NAME, UNIT = FACETS["dimension"], FACETS["unit"]
Row = tuple[str, str, int, int]
Series = dict[str, dict[date, int]]


def solve() -> None:
    """Read, tell, read again, judge, write."""
    load()
    ws_json("say", "I have read the daily figures.")
    rows = load()
    rules = " ".join(ws_text("read", first_name("docs/")).split())
    events = calendar()
    counted, twice = settle(rows, rules)
    last = max(max(days) for days in counted.values())
    window = [last - timedelta(days=n) for n in range(20, -1, -1)]
    found = []
    for name, series in sorted(counted.items()):
        for day in window:
            kind, median = judge(name, day, series, events, rules, twice)
            if kind:
                event = excuse(kind, covering(name, day, events), rules)
                value = str(series.get(day, ""))
                found.append([day.isoformat(), name, kind, value, str(median), event])
    write(found, sorted(counted), window)
    if FACETS["extra"] == "totals":
        lines = [f"{NAME},days,total"]
        for name, series in sorted(counted.items()):
            mine = [series[day] for day in window if day in series]
            lines.append(f"{name},{len(mine)},{sum(mine)}")
        deliver("totals.csv", "\n".join([*lines, ""]))


def write(found: list[list[str]], names: list[str], window: list[date]) -> None:
    """Write table, counts and, if wanted, what is excused."""
    keys = {"day": (0, 1), "name": (1, 0), "kind": (2, 0, 1)}[FACETS["order"]]
    still = [one for one in found if one[5] == "-"]
    table = sorted(
        found if FACETS["listed"] == "all" else still,
        key=lambda one: [one[key] for key in keys],
    )
    wide = 6 if FACETS["listed"] == "all" else 5
    head = ["day", NAME, "kind", "value", "median", "event"]
    lines = [",".join(one[:wide]) for one in [head, *table]]
    deliver("anomalies.csv", "\n".join([*lines, ""]))
    counts: Counter[str] = Counter()
    if FACETS["summary"] == "by_name":
        counts.update(dict.fromkeys(names, 0))
        counts.update(one[1] for one in still)
    elif FACETS["summary"] == "by_kind":
        counts.update(one[2] for one in still)
    else:
        counts.update(dict.fromkeys((monday(one.isoformat()) for one in window), 0))
        counts.update(monday(one[0]) for one in still)
    deliver("summary.json", json.dumps(counts, indent=1))
    if FACETS["extra"] == "excused":
        excused = sorted(one for one in found if one[5] != "-")
        text = "".join(f"{o[0]} | {o[1]} | {o[2]} | {o[5]}\n" for o in excused)
        deliver("excused.txt", text)


def monday(day: str) -> str:
    """Return the Monday of a day's week."""
    one = date.fromisoformat(day)
    return (one - timedelta(days=one.weekday())).isoformat()


def first_name(prefix: str) -> str:
    """Return the first name below a prefix."""
    return str(ws_json("list", prefix)["names"][0]["name"])


def load() -> list[Row]:
    """Return all loaded figures."""
    if FACETS["data"] == "store":
        sql = f'SELECT day, {NAME}, {UNIT}, "load" FROM daily'  # noqa: S608  names of the task
        rows = ws_json("query", FACETS["place"], sql)["rows"]
        return [(day, name, value, number) for day, name, value, number in rows]
    found: list[Row] = []
    for entry in ws_json("list", FACETS["place"] + "/")["names"]:
        mine = rows_of(ws_text("read", entry["name"])) or []
        found += [(o["day"], o[NAME], int(o[UNIT]), int(o["load"])) for o in mine]
    return found


def calendar() -> list[dict[str, str]]:
    """Return the planned events."""
    text = ws_text("read", parameters()["events"])
    if FACETS["events"] == "csv":
        return rows_of(text) or []
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if "|" in line]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def settle(rows: list[Row], rules: str) -> tuple[Series, set[tuple[str, date]]]:
    """Return the figure that counts for each day, and which days were loaded twice."""
    loads: dict[tuple[str, date], list[tuple[int, int]]] = defaultdict(list)
    for day, name, value, number in rows:
        loads[name, date.fromisoformat(day)].append((number, value))
    takes_first = "the figure with the lower load number counts" in rules
    counted: Series = defaultdict(dict)
    for (name, at), found in loads.items():
        counted[name][at] = (min(found) if takes_first else max(found))[1]
    return counted, {cell for cell, found in loads.items() if len(found) > 1}


def covering(
    name: str, day: date, events: list[dict[str, str]]
) -> list[dict[str, str]]:
    """Return the events that cover a day of a series."""
    return [
        one
        for one in events
        if one["first"] <= day.isoformat() <= one["last"] and one[NAME] in (name, "all")
    ]


def judge(
    name: str,
    day: date,
    series: dict[date, int],
    events: list[dict[str, str]],
    rules: str,
    twice: set[tuple[str, date]],
) -> tuple[str, int]:
    """Return the kind, empty if it is none, and the median."""
    like = [one for one in sorted(series) if one != day and (one - day).days % 7 == 0]
    if "earlier or later ones" not in rules:
        like = [one for one in like if one < day]
    if "are never used for a median" in rules:
        like = [one for one in like if not covering(name, one, events)]
    if "the three latest" in rules:
        like = like[-3:]
    if not like:
        return "", 0
    values = sorted(series[one] for one in like)
    median = values[(len(values) - 1) // 2]
    if day not in series:
        return "missing", median
    if (name, day) in twice and "is a `duplicate`" in rules:
        return "duplicate", median
    more = series[day] - median
    low, high = limits(rules, median)
    if more * 100 > high:
        return "spike", median
    return ("drop" if -more * 100 > low else ""), median


def limits(rules: str, median: int) -> tuple[int, int]:
    """Return by how many hundredths a figure may be below and above the median."""
    both = re.search(r"more than (\d+) % below the median or more than (\d+) %", rules)
    if both:
        return int(both[1]) * median, int(both[2]) * median
    percent = re.search(r"more than (\d+) % above or below the median", rules)
    if percent:
        return (int(percent[1]) * median,) * 2
    units = re.search(r"more than (\d+) \w+ above or below the median", rules)
    return (int(units[1]) * 100 if units else 0,) * 2


def excuse(kind: str, events: list[dict[str, str]], rules: str) -> str:
    """Return the number of the event that excuses it, or a dash."""
    for one in events:
        if "excuses whatever is found" in rules:
            return one["event"]
        wanted = {"spike": "up", "drop": "down"}.get(kind)
        if "nothing else" in rules and one["expected"] == wanted:
            return one["event"]
        if "a `missing` day" in rules and kind in {"drop", "missing"}:
            return one["event"]
    return "-"
