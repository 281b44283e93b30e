"""Repairs the code as its own oracle does, then writes the note through `ws`."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import subprocess
from pathlib import Path

from seedlib import WORKSPACE, deliver, parameters, ws_json, ws_text

CODE = Path(__file__).resolve().parent / "code" / "solve.sh"
NAMES = parameters()["names"]
Row = dict[str, str]


def solve() -> None:
    """Repair, read, tell, read again, write."""
    before = state()
    subprocess.run(["bash", str(CODE)], check=True)
    after = state()
    changed = sorted(path for path in before if after.get(path) != before[path])
    title = ws_text("read", NAMES["report"]).partition("\n")[0].lstrip("# ").strip()
    for name in ("policy", "calendar"):
        ws_text("read", NAMES[name])
    tickets()
    said = ws_json("say", "It is repaired, and I have read the papers.")
    approval = re.search(r"\b[A-Z]{3}-\d{4}\b", said["user_message"])
    policy = " ".join(ws_text("read", NAMES["policy"]).split())
    ticket = named(title)
    line = due_line(policy, int(ticket["severity"]))
    note = {
        "ticket": ticket["key"],
        "severity": words(policy)[ticket["severity"]],
        "line": line["line"],
        "build": line["next_build"],
        "files": changed,
        "owners": owners(policy, changed),
        "approval": approval[0] if approval else "",
    }
    deliver(parameters()["note"], json.dumps(note))


def state() -> dict[str, str]:
    """Return the digest of each file of the working tree."""
    return {
        path.relative_to(WORKSPACE).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in WORKSPACE.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(WORKSPACE).parts
    }


def tickets() -> list[Row]:
    """Return the tracker."""
    sql = "SELECT key, title, severity, merged_into FROM tickets"
    rows = ws_json("query", NAMES["tracker"], sql)["rows"]
    names = ("key", "title", "severity", "into")
    return [dict(zip(names, map(_text, row), strict=True)) for row in rows]


def named(title: str) -> Row:
    """Return the ticket of the report, or what it was merged into."""
    by_key = {one["key"]: one for one in tickets()}
    found = next(one for one in by_key.values() if one["title"] == title)
    while found["into"]:
        found = by_key[found["into"]]
    return found


def due_line(policy: str, severity: int) -> Row:
    """Return the line that the policy means."""
    rows = table(ws_text("read", NAMES["calendar"]))
    lines = [one for one in rows if one["state"] == "open"]
    if "open line that freezes first" in policy:
        lines.sort(key=lambda one: one["freeze"])
    limit = re.search(r"Severities up to (\d) go to", policy)
    return lines[0 if limit and severity <= int(limit[1]) else -1]


def words(policy: str) -> Row:
    """Return severities by number."""
    return dict(re.findall(r"(\d) is `(\w+)`", policy))


def owners(policy: str, paths: list[str]) -> list[str]:
    """Return who owns some files."""
    rows = table(ws_text("read", NAMES["owners"]))
    rows.sort(key=lambda one: len(one["prefix"]), reverse=True)
    column = "team" if "names the teams" in policy else "contact"
    found = set()
    for path in paths:
        fits = [r for r in rows if r["prefix"] == "*" or path.startswith(r["prefix"])]
        found.add(fits[0][column])
    return sorted(found)


def table(text: str) -> list[Row]:
    """Read CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
