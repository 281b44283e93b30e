"""Compares the configurations through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
Row = dict[str, str]
LINE = re.compile(r"(\w+)\s*[=:]\s*(\S+)")
UNSET = {"absent", "any"}


class Found(NamedTuple):
    """One drift."""

    service: str
    environment: str
    key: str
    found: str
    wanted: str
    kind: str
    exception: str


def solve() -> None:
    """Read, compare, write."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    baseline = ws_text("read", name)
    rules = " ".join(baseline.split())
    lines = [o.strip("| ").split(" | ") for o in baseline.splitlines() if "|" in o]
    settings = [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]
    register = read_register()
    found: list[Found] = []
    for entry in ws_json("list", FACETS["place"] + "/")["names"]:
        path = entry["name"].rpartition("/")[2]
        service, environment, _ = path.split(".")
        text = ws_text("read", entry["name"])
        if environment == "dev" and FACETS["scope"] == "not_dev":
            continue
        mine = drifts(service, environment, text, settings, rules)
        mine = [excused(one, register, rules) for one in mine]
        if path == parameters()["file"]:
            deliver(path, corrected(text, mine, settings))
        found += mine
    write(found, register)


def read_register() -> list[Row]:
    """Return the exceptions."""
    name = parameters()["register"]
    if FACETS["register"] == "csv":
        return list(rows_of(ws_text("read", name)) or [])
    found = ws_json("query", name, "SELECT * FROM exemptions")
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def today(key: str, settings: list[Row]) -> str:
    """Return the name of today."""
    names = {one["old name"]: one["key"] for one in settings}
    return names.get(key.lower(), key.lower())


def drifts(
    service: str, environment: str, text: str, settings: list[Row], rules: str
) -> list[Found]:
    """Return all drift of one file, nothing excused yet."""
    pairs = [LINE.match(line) for line in text.splitlines()]
    values = {today(one[1], settings): one[2] for one in pairs if one}
    found = []
    for one in settings:
        key, wanted = one["key"], one[environment]
        value = values.pop(key, None)
        kind = ""
        if value is None:
            if wanted not in UNSET and is_missing(one, wanted, rules):
                kind = "missing"
        elif wanted == "absent":
            kind = "forbidden"
        elif wanted != "any" and not fits(key, value, wanted, rules):
            kind = "value"
        if kind:
            found.append(
                Found(service, environment, key, value or "", wanted, kind, "-")
            )
    if "is `unknown`" in rules:
        found += [
            Found(service, environment, key, value, "absent", "unknown", "-")
            for key, value in values.items()
        ]
    return found


def is_missing(one: Row, wanted: str, rules: str) -> bool:
    """Return whether a key that is not set counts as drift."""
    if "has its default" not in rules:
        return True
    return one["default"] == "-" or not fits(one["key"], one["default"], wanted, rules)


def fits(key: str, value: str, wanted: str, rules: str) -> bool:
    """Return whether a value is what is wanted."""
    if "`yes` and `on` mean `true`" in rules:
        same = {"yes": "true", "on": "true", "no": "false", "off": "false"}
        value = same.get(value, value)
    limit = re.fullmatch(r"at (most|least) (\d+)", wanted)
    if not limit:
        return value in wanted.split(" or ")
    number = re.fullmatch(r"(\d+)(m?)", value)
    if not number:
        return False
    amount = int(number[1]) * (60 if number[2] and key.endswith("_s") else 1)
    bound = int(limit[2])
    return amount <= bound if limit[1] == "most" else amount >= bound


def excused(one: Found, register: list[Row], rules: str) -> Found:
    """Return the drift with the exception that excuses it."""
    for entry in register:
        if (entry["service"], entry["key"]) != (one.service, one.key):
            continue
        if entry["environment"] not in (one.environment, "all"):
            continue
        if entry["until"] < parameters()["day"]:
            continue
        if "exactly the value" in rules and entry["value"] != one.found:
            continue
        if "somebody has approved" in rules and entry["approved"] == "-":
            continue
        return one._replace(exception=entry["exception"])
    return one


def corrected(text: str, found: list[Found], settings: list[Row]) -> str:
    """Return a file with its open drift mended."""
    still = {one.key: one for one in found if one.exception == "-"}
    lines = []
    for line in text.splitlines():
        match = LINE.match(line)
        if match is None:
            lines.append(("", line))
            continue
        key = today(match[1], settings)
        drift = still.pop(key, None)
        if drift is not None and drift.kind != "value":
            continue
        lines.append((key, written(key, right(drift.wanted) if drift else match[2])))
    for one in settings:
        if one["key"] in still:
            wanted = right(still[one["key"]].wanted)
            lines.append((one["key"], written(one["key"], wanted)))
    if FACETS["fix"] == "sorted":
        lines = sorted(pair for pair in lines if pair[0])
    return "".join(f"{line}\n" for _, line in lines)


def right(wanted: str) -> str:
    """Return the value that is put in."""
    return re.sub(r"^at (most|least) ", "", wanted).split(" or ")[0]


def written(key: str, value: str) -> str:
    """Return a line in the form of the files."""
    if FACETS["form"] == "env":
        return f"{key.upper()}={value}"
    return f"{key} = {value}" if FACETS["form"] == "properties" else f"{key}: {value}"


def table(rows: list[Found]) -> list[str]:
    """Return the lines of the table."""
    columns = {
        "full": ["service", "environment", "key", "found", "wanted", "kind"],
        "brief": ["service", "environment", "key", "found", "kind"],
        "file": ["file", "key", "found", "wanted", "kind"],
    }[FACETS["columns"]]
    if FACETS["listed"] == "all":
        columns.append("exception")
    suffix = parameters()["file"].rpartition(".")[2]
    lines = [",".join(columns)]
    for row in rows:
        cells = row._asdict()
        cells["file"] = f"{row.service}.{row.environment}.{suffix}"
        lines.append(",".join(cells[name] for name in columns))
    return lines


def write(found: list[Found], register: list[Row]) -> None:
    """Write table, counts and what is wanted besides."""
    still = [one for one in found if one.exception == "-"]
    keys = {
        "service": ("service", "environment", "key"),
        "environment": ("environment", "service", "key"),
        "key": ("key", "service", "environment"),
    }[FACETS["order"]]
    rows = sorted(
        found if FACETS["listed"] == "all" else still,
        key=lambda one: [getattr(one, key) for key in keys],
    )
    lines = table(rows)
    deliver("drift.csv", "\n".join([*lines, ""]))
    what = FACETS["summary"].removeprefix("by_")
    counts: Counter[str] = Counter()
    if what != "kind":
        names = ws_json("list", FACETS["place"] + "/")["names"]
        parts = [one["name"].rpartition("/")[2].split(".") for one in names]
        place = 0 if what == "service" else 1
        counts.update(dict.fromkeys((part[place] for part in parts), 0))
        if FACETS["scope"] == "not_dev":
            counts.pop("dev", None)
    counts.update(getattr(one, what) for one in still)
    deliver("summary.json", json.dumps(counts, indent=1))
    if FACETS["extra"] == "expired":
        day = parameters()["day"]
        over = sorted(o["exception"] for o in register if o["until"] < day)
        deliver("expired.json", json.dumps(over))
    if FACETS["extra"] == "keys":
        who: dict[str, set[str]] = defaultdict(set)
        for one in still:
            who[one.key].add(one.service)
        listed = {key: sorted(names) for key, names in who.items()}
        deliver("keys.json", json.dumps(listed, indent=1))
