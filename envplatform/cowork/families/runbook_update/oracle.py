"""Works the requests into the runbooks through `ws`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from datetime import date, timedelta

from seedlib import deliver, parameters, rows_of, ws, ws_json, ws_text

FACETS = parameters()["facets"]
Row = dict[str, str]
KEYS = {
    "request": "Request",
    "service": "Service",
    "fact": "Fact",
    "value": "New value",
    "status": "Status",
    "approver": "Approved by",
    "approved": "Approved on",
    "effective": "Effective",
}
ORDERS = {
    "number": ("request",),
    "runbook": ("service", "request"),
    "decision": ("decision", "request"),
}


def solve() -> None:
    """Read, tell, read again, decide, edit, write the log."""
    read_requests()
    books = read_runbooks()
    ws_json("say", "I have been through requests and runbooks.")
    requests = read_requests()
    rules = " ".join(
        ws_text("read", ws_json("list", "docs/")["names"][0]["name"]).split()
    )
    decide(requests, books, rules)
    day = re.search(r"The day of this review is ([\d-]+)\.", rules)
    edit_runbooks(requests, books, shown(date.fromisoformat(day[1] if day else "")))
    for key in reversed(ORDERS[FACETS["order"]]):
        requests.sort(key=lambda one: one[key])
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["request", "decision", "service", "fact", "before", "after"])
    for one in requests:
        made = one["decision"] == "applied"
        values = (one["before"], one["value"]) if made else ("", "")
        writer.writerow(
            [one["request"], one["decision"], one["service"], one["fact"], *values]
        )
    deliver("changelog.csv", lines.getvalue())
    extra(requests, books)


def read_requests() -> list[Row]:
    """Return all requests by number."""
    at = FACETS["at"]
    if FACETS["requests"] == "csv":
        rows = rows_of(ws_text("read", f"{at}.csv")) or []
    elif FACETS["requests"] == "store":
        sql = f"SELECT {', '.join(KEYS)} FROM requests"  # noqa: S608  our names
        found = ws_json("query", at, sql)["rows"]
        rows = [dict(zip(KEYS, one)) for one in found]  # noqa: B905  as many
    else:
        rows = []
        for entry in ws_json("list", f"{at}/")["names"]:
            text = ws_text("read", entry["name"])
            told = dict(line.split(": ", 1) for line in text.splitlines())
            rows.append({key: told[name] for key, name in KEYS.items()})
    return sorted(rows, key=lambda one: one["request"])


def read_runbooks() -> dict[str, str]:
    """Return texts by service."""
    found = {}
    for entry in ws_json("list", f"{FACETS['runbooks']}/")["names"]:
        service = entry["name"].rpartition("/")[2].removesuffix(".md")
        found[service] = ws_text("read", entry["name"])
    return found


def facts_of(text: str) -> Row:
    """Return what stands in the list of facts."""
    part = text.partition("## Facts\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^- ([^:]+): (.+)$", part, re.MULTILINE))


def decide(requests: list[Row], books: dict[str, str], rules: str) -> None:
    """Put `decision` and `before` into each request."""
    left: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for one in requests:
        text = books.get(one["service"], "")
        one["before"] = facts_of(text).get(one["fact"], "")
        one["decision"] = refusal(one, text, rules)
        if not one["decision"]:
            left[one["service"], one["fact"]].append(one)
    by = {
        "latest effective date": "effective",
        "highest number": "request",
        "approved last": "approved",
    }
    key = next(name for words, name in by.items() if words in rules)
    for rivals in left.values():
        last = max(rivals, key=lambda one: one[key])
        for one in rivals:
            is_same = one["value"] == one["before"]
            one["decision"] = "no_change" if is_same else "applied"
            if one is not last:
                one["decision"] = "superseded"


def refusal(one: Row, text: str, rules: str) -> str:
    """Return why a request is not taken over, empty if it may be."""
    if not one["before"]:
        return "unknown"
    if one["status"] != "approved":
        return "not_approved"
    board = re.search(r"change board, which is (.+?)\. ", rules)
    owner = re.search(r"^Owner: (.+)$", text, re.MULTILINE)
    may = board[1].split(" and ") if board else [one["approver"]]
    if "approved by the owner" in rules:
        may = [owner[1] if owner else ""]
    if one["approver"] not in may:
        return "wrong_approver"
    day = re.search(r"The day of this review is ([\d-]+)\.", rules)
    last = date.fromisoformat(day[1] if day else "")
    more = re.search(r"more than (\d+) days after the day", rules)
    if more:
        last += timedelta(days=int(more[1]))
    if "the day itself is too late" in rules:
        last -= timedelta(days=1)
    return "" if date.fromisoformat(one["effective"]) <= last else "not_yet"


def shown(day: date) -> str:
    """Return a day as runbooks have it."""
    return {
        "iso": day.isoformat(),
        "long": f"{day.day} {day:%B %Y}",
        "dotted": f"{day:%d.%m.%Y}",
    }[FACETS["day"]]


def edit_runbooks(requests: list[Row], books: dict[str, str], day: str) -> None:
    """Edit each runbook that has to be."""
    for service, text in books.items():
        made = [
            one
            for one in requests
            if one["service"] == service and one["decision"] == "applied"
        ]
        if not made and FACETS["reviewed"] != "all":
            continue
        live, mark, history = text.partition("## History")
        for one in made:
            live = changed(live, one)
        note = f" ({', '.join(one['request'] for one in made)})"
        line = day + (note if FACETS["reviewed"] == "numbered" else "")
        live = re.sub(r"(?m)^Last reviewed: .*$", f"Last reviewed: {line}", live)
        ws("write", f"{FACETS['runbooks']}/{service}.md", live + mark + history)


def changed(text: str, one: Row) -> str:
    """Return the text without the history, with one change made."""
    if FACETS["reach"] == "everywhere":
        return text.replace(one["before"], one["value"])
    was = f" (was {one['before']})" if FACETS["reach"] == "facts_was" else ""
    line = f"- {one['fact']}: "
    return text.replace(f"{line}{one['before']}\n", f"{line}{one['value']}{was}\n")


def extra(requests: list[Row], books: dict[str, str]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "owners":
        found: dict[str, list[str]] = defaultdict(list)
        for one in sorted(requests, key=lambda one: one["request"]):
            if one["decision"] == "applied":
                owner = re.search(r"(?m)^Owner: (.+)$", books[one["service"]])
                found[owner[1] if owner else ""].append(one["request"])
        deliver("owners.json", json.dumps(found, indent=1))
    if FACETS["extra"] == "pending":
        lines = sorted(
            f"{one['effective']} {one['request']} {one['service']}\n"
            for one in requests
            if one["decision"] == "not_yet"
        )
        deliver("pending.txt", "".join(lines))
