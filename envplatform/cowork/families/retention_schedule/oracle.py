"""Makes the retention schedule through `ws`; times are read off the documents."""

from __future__ import annotations

import calendar
import json
import re
from collections import Counter, defaultdict
from datetime import date
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

PARAMETERS = parameters()
FACETS, TODAY = PARAMETERS["facets"], PARAMETERS["today"]
Record = dict[str, Any]


def solve() -> None:
    """Read, tell, read the holds again, decide, write all three files."""
    rules = " ".join(ws_text("read", "docs/retention.md").split())
    records = inventory()
    holds()
    ws_json("say", "I have been through the inventory and the holds.")
    in_force = holds()
    for one in records:
        mine = sorted(hold["number"] for hold in in_force if covers(hold, one))
        one["hold"] = " ".join(mine) or "-"
        one["decision"], one["date"] = decide(one, rules)
    records.sort(key=lambda one: one["record"])
    table(records)
    deliver("overview.json", json.dumps(overview(records), indent=1))
    extra(records, in_force)


def inventory() -> list[Record]:
    """Return all files."""
    if FACETS["records_in"] == "csv":
        return list(rows_of(ws_text("read", "archive/inventory.csv")) or [])
    told = ws_json("query", "archive/inventory", "SELECT * FROM records")
    return [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]


def holds() -> list[dict[str, str]]:
    """Return the holds in force."""
    if FACETS["holds_in"] == "folder":
        names = [one["name"] for one in ws_json("list", "legal/holds/")["names"]]
        texts = [ws_text("read", name) for name in names]
    else:
        texts = re.split(r"(?=# Legal hold)", ws_text("read", "legal/holds.md"))
    found = []
    for text in texts:
        words = " ".join(text.split())
        told = re.search(
            r"# Legal hold (H-\d+).*?Scope: (.+?)\. "
            r"Created from (\S+) to (\S+) .*?is (in force|released)",
            words,
        )
        if told and told[5] == "in force":
            names_ = ("number", "scope", "first", "last")
            found.append(dict(zip(names_, told.groups(), strict=False)))
    return found


def covers(hold: dict[str, str], one: Record) -> bool:
    """Return whether a hold covers a file."""
    scopes = {
        f"files of the class {one['class']} of {one['department']}",
        f"all files of {one['department']}",
        f"all files on project {one['project']}",
    }
    return hold["scope"] in scopes and hold["first"] <= one["created"] <= hold["last"]


def decide(one: Record, rules: str) -> tuple[str, str]:
    """Return decision and date."""
    years = re.search(rf"\| {one['class']} \| (\d+) \|", rules)
    if one["hold"] != "-":
        return "hold", "-"
    if not years:
        return "review", "-"
    forgotten = re.search(r"created more than (\d+) years before today", rules)
    if not one["closed"] and "takes the place of the day of closing" not in rules:
        limit = later(TODAY, -int(forgotten[1])) if forgotten else ""
        return ("review" if one["created"] < limit else "keep"), "-"
    time = int(years[1])
    most = re.search(r"personal data are held for (\d+) years at the most", rules)
    if most and one["personal"] == "yes":
        time = min(time, int(most[1]))
    longer = re.search(r"at the site in (.+?) are held for (\d+) years longer", rules)
    if longer and one["site"] == longer[1]:
        time += int(longer[2])
    end = later(start(one["closed"] or one["created"], rules), time)
    if "on the last day of that month" in rules:
        end = month_end(end)
    if end >= TODAY:
        return "keep", end
    is_kept = "marked as historic" in rules and one["historic"] == "yes"
    return ("archive" if is_kept else "delete"), end


def start(day: str, rules: str) -> str:
    """Return when the time begins."""
    if "begins on 31 December" in rules:
        return f"{day[:4]}-12-31"
    return month_end(day) if "begins on the last day of the month" in rules else day


def month_end(day: str) -> str:
    """Return the last day of the month."""
    last = calendar.monthrange(int(day[:4]), int(day[5:7]))[1]
    return f"{day[:8]}{last:02}"


def later(day: str, years: int) -> str:
    """Return the same day of another year; 28 February for the 29th."""
    year = f"{int(day[:4]) + years}"
    try:
        return date.fromisoformat(year + day[4:]).isoformat()
    except ValueError:
        return f"{year}-02-28"


def table(records: list[Record]) -> None:
    """Write the schedule."""
    listed = [
        one
        for one in records
        if not (FACETS["listed"] == "no_keep" and one["decision"] == "keep")
        and not (
            FACETS["listed"] == "dated"
            and one["date"] == "-"
            and one["decision"] != "hold"
        )
    ]
    if FACETS["order_by"] == "date":
        listed.sort(key=lambda one: "" if one["date"] == "-" else one["date"])
    elif FACETS["order_by"] == "department":
        listed.sort(key=lambda one: one["department"])
    columns = {
        "short": ("record", "decision", "date"),
        "full": ("record", "class", "decision", "date", "hold"),
        "plan": ("date", "decision", "record", "department", "boxes"),
    }[FACETS["columns"]]
    rows = [",".join(str(one[name]) for name in columns) for one in listed]
    deliver("schedule.csv", "\n".join([",".join(columns), *rows, ""]))


def overview(records: list[Record]) -> dict[str, Any]:
    """Return what all files come to."""
    if FACETS["overview"] == "by_year":
        kept = [one for one in records if one["decision"] == "keep"]
        return dict(Counter(one["date"][:4] for one in kept if one["date"] != "-"))
    if FACETS["overview"] == "boxes":
        boxes: Counter[str] = Counter()
        for one in records:
            boxes[one["decision"]] += int(one["boxes"])
        return dict(boxes)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one in records:
        found[one["department"]][one["decision"]] += 1
    return dict(found)


def extra(records: list[Record], in_force: list[dict[str, str]]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "held":
        held = {
            hold["number"]: [one["record"] for one in records if covers(hold, one)]
            for hold in in_force
        }
        deliver("holds.json", json.dumps(held, indent=1))
    elif FACETS["extra"] == "orders":
        lines = sorted(
            (one["site"], one["record"], f"{one['boxes']}\n")
            for one in records
            if one["decision"] == "delete"
        )
        deliver("shredding.txt", "".join(map(" ".join, lines)))
    else:
        gone = [one for one in records if one["decision"] in {"delete", "archive"}]
        gone.sort(key=lambda one: -int(one["boxes"]))
        rows = [f"{one['record']},{one['title']},{one['boxes']}\n" for one in gone]
        deliver("gone.csv", "".join(["record,title,boxes\n", *rows]))
