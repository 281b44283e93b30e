"""Works the levels of all volumes out through `ws`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
AT = FACETS["at"]
Samples = list[tuple[date, int]]
"""By day."""


class Result(NamedTuple):
    """What a volume comes to."""

    volume: str
    host: str
    team: str
    level: str
    used: int | None = None
    growth: int | None = None
    days: int | None = None
    room: int = 0


def solve() -> None:
    """Read, work out, write."""
    rules = ws_text("read", ws_json("list", "docs/")["names"][0]["name"])
    volumes = rows_of(ws_text("read", f"{AT}/volumes.csv")) or []
    samples = read_samples()
    results = []
    for row in sorted(volumes, key=lambda one: one["volume"]):
        found = result(row, sorted(samples[row["volume"]]), rules)
        if found is not None:
            results.append(found)
    write(results, " ".join(rules.split()))


def read_samples() -> dict[str, Samples]:
    """Return days and use of each volume."""
    found: dict[str, Samples] = defaultdict(list)
    if FACETS["samples"] == "store":
        sql = "SELECT day, volume, used FROM samples"
        for day, volume, used in ws_json("query", f"{AT}/samples", sql)["rows"]:
            found[volume].append((date.fromisoformat(day), used))
    elif FACETS["samples"] == "csv":
        for row in rows_of(ws_text("read", f"{AT}/samples.csv")) or []:
            sample = (date.fromisoformat(row["day"]), int(row["used"]))
            found[row["volume"]].append(sample)
    else:
        for entry in ws_json("list", f"{AT}/samples/")["names"]:
            day = date.fromisoformat(entry["name"][-14:-4])
            for row in rows_of(ws_text("read", entry["name"])) or []:
                found[row["volume"]].append((day, int(row["used"])))
    return found


def spans(rules: str, heading: str, volume: str) -> list[tuple[date, date]]:
    """Return first and last days from a table of the rules."""
    part = rules.partition(f"## {heading}")[2].partition("\n## ")[0]
    rows = re.findall(rf"^\| {volume} \| (\S+) \| (\S+) \|", part, re.MULTILINE)
    return [(date.fromisoformat(one), date.fromisoformat(two)) for one, two in rows]


def figure(pattern: str, text: str) -> int:
    """Return a number that the rules state."""
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def result(row: dict[str, str], samples: Samples, rules: str) -> Result | None:
    """Return level and figures; None if it is left out."""
    flat, name = " ".join(rules.split()), row["volume"]
    told = re.search(r"Today is ([\d-]+),", flat)
    today = date.fromisoformat(told[1] if told else "")
    silenced = any(a <= today <= b for a, b in spans(rules, "Silences", name))
    if silenced and "is left out of everything" in flat:
        return None
    plain = Result(name, row["host"], row["team"], "")
    if silenced and "is `silenced`" in flat:
        return plain._replace(level="silenced")
    windows = spans(rules, "Maintenance windows", name)
    samples = [
        (day, used)
        for day, used in samples
        if not any(a <= day <= b for a, b in windows)
    ]
    if samples[-1][0] != today:
        return plain._replace(level="lost")
    size, last = int(row["size"]), samples[-1][1]
    jump = figure(r"by more than (\d+) percent of the", flat)
    pairs = list(pairwise(samples))
    if any((after[1] - before[1]) * 100 > jump * size for before, after in pairs):
        return plain._replace(level="check")
    usable = size * (100 - figure(r"(\d+) percent of a volume stay free", flat)) // 100
    usable -= figure(r"(\d+) MB of each volume stay free", flat)
    growth = growth_of(samples, flat, today)
    days = max(0, (usable - last) // growth) if growth > 0 else None
    level = level_of(last, usable, days, flat)
    if silenced and level == "critical":
        level = "warning"
    return Result(
        name, row["host"], row["team"], level, last, growth, days, usable - last
    )


def growth_of(samples: Samples, flat: str, today: date) -> int:
    """Return MB a day."""
    if "that of seven days ago" in flat:
        before = dict(samples)[today - timedelta(days=7)]
        return (samples[-1][1] - before) // 7
    if "the last sample less the first" in flat:
        (first, low), (last, high) = samples[0], samples[-1]
        return (high - low) // (last - first).days
    pairs = pairwise(samples)
    return max((b - a) // (late - early).days for (early, a), (late, b) in pairs)


def level_of(last: int, usable: int, days: int | None, flat: str) -> str:
    """Return a level by fill and days."""
    fill = figure(r"last sample is (\d+) percent of what is usable", flat)
    critical, warning = map(int, re.findall(r"Fewer than (\d+) days to full", flat))
    if last * 100 >= fill * usable or (days is not None and days < critical):
        return "critical"
    return "warning" if days is not None and days < warning else "ok"


def write(results: list[Result], flat: str) -> None:
    """Write everything that is wanted."""
    listed = {
        "alerts": [one for one in results if one.level != "ok"],
        "all": list(results),
        "urgent": [o for o in results if o.level in {"critical", "lost", "check"}],
    }[FACETS["listed"]]
    if FACETS["order"] == "days":
        listed.sort(key=lambda one: -1 if one.days is None else one.days)
    if FACETS["order"] == "level":
        listed.sort(key=lambda one: one.level)
    lines = ["volume,level,used,growth,days"]
    for one in listed:
        cells = ["" if o is None else str(o) for o in (one.used, one.growth, one.days)]
        lines.append(",".join([one.volume, one.level, *cells]))
    deliver("alerts.csv", "\n".join([*lines, ""]))
    deliver("summary.json", json.dumps(summary(results), indent=1))
    extra(results, flat)


def summary(results: list[Result]) -> dict[str, int]:
    """Return what the request wants summed up."""
    counts: dict[str, int] = defaultdict(int)
    for one in results:
        if FACETS["summary"] == "levels":
            counts[one.level] += 1
        elif FACETS["summary"] == "teams":
            counts[one.team] += one.level == "critical"
        elif one.growth is not None:
            counts[one.host] += one.growth
    if FACETS["summary"] == "teams":
        for row in rows_of(ws_text("read", f"{AT}/volumes.csv")) or []:
            counts[row["team"]] += 0
    return counts


def extra(results: list[Result], flat: str) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "pages":
        pages = sorted((o.team, o.volume) for o in results if o.level == "critical")
        deliver("pages.txt", "".join(f"{team}: {name}\n" for team, name in pages))
    if FACETS["extra"] == "orders":
        warning = int(re.findall(r"Fewer than (\d+) days to full", flat)[1])
        rows = ["volume,mb\n"]
        for one in results:
            more = (one.growth or 0) * warning - one.room
            if one.level in {"critical", "warning"} and more > 0:
                rows.append(f"{one.volume},{more}\n")
        deliver("orders.csv", "".join(rows))
