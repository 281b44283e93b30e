"""Writes the outage up through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime, timedelta

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
SERVICE = parameters()["service"]
FORM = "%Y-%m-%dT%H:%MZ"
Row = dict[str, str]


def solve() -> None:
    """Read, tell, read again, work out, write."""
    ws_text("read", FACETS["alerts"])
    channel = read_channel()
    ws_json("say", "I have read the alerts and the channel.")
    alerts = rows_of(ws_text("read", FACETS["alerts"])) or []
    alerts.sort(key=lambda one: (one["opened"], one["alert"]))
    guide = " ".join(ws_text("read", guide_name()).split())
    critical = [one for one in alerts if one["level"] == "critical"]
    first = next(one["opened"] for one in critical if one["service"] == SERVICE)
    suspect = last_release(first)
    begins = beginning(guide, alerts, critical, suspect[1])
    detected, ends = detection(guide, channel), ending(guide, channel, critical)
    affected = sorted({one["service"] for one in critical})
    minutes = distance(begins, ends)
    customers = dict(re.findall(r"- (\w+): (\d+) customers", guide))
    reached = {
        "minutes": minutes,
        "services": len(affected),
        "customers": sum(int(customers[name]) for name in affected),
    }
    record = {
        "begins": shown(begins, guide),
        "detected": shown(detected, guide),
        "ends": shown(ends, guide),
        "minutes_to_detect": max(0, distance(begins, detected)),
        "minutes_to_resolve": minutes,
        "severity": severity(guide, reached),
        "suspect": suspect[0],
        "affected": affected,
    }
    deliver("postmortem.json", json.dumps(record, indent=1))
    deliver("timeline.csv", timeline(alerts, affected, begins, ends, guide))
    if FACETS["extra"] == "services":
        deliver("services.csv", services(critical, affected, customers))
    if FACETS["extra"] == "people":
        wrote = Counter(who for at, who, _ in channel if detected <= at <= ends)
        deliver("people.json", json.dumps(wrote, indent=1))


def guide_name() -> str:
    """Return the only name in docs."""
    return str(ws_json("list", "docs/")["names"][0]["name"])


def read_channel() -> list[tuple[str, str, str]]:
    """Return time, person and text of every message."""
    text = ws_text("read", FACETS["channel"])
    return re.findall(r"^\[(\S+)\] ([^:]+): (.+)$", text, re.MULTILINE)


def last_release(before: str) -> tuple[str, str]:
    """Return number and time of the service's last release before a time."""
    sql = 'SELECT release, "at", service FROM releases ORDER BY "at"'
    rows = ws_json("query", FACETS["store"], sql)["rows"]
    mine = [(n, at) for n, at, service in rows if service == SERVICE and at < before]
    return mine[-1]


def beginning(guide: str, alerts: list[Row], critical: list[Row], release: str) -> str:
    """Return when it began."""
    first = critical[0]["opened"]
    if "with the last release of the service" in guide:
        return release
    if "first alert, of whatever level" in guide:
        floor = (time(first) - timedelta(minutes=15)).strftime(FORM)
        near = [
            one["opened"]
            for one in alerts
            if one["service"] == SERVICE and floor <= one["opened"] <= first
        ]
        return min([*near, first])
    return first


def detection(guide: str, channel: list[tuple[str, str, str]]) -> str:
    """Return when it was detected."""
    if "first wrote `ack`" in guide:
        return next(at for at, _, text in channel if text.startswith("ack"))
    if "when it was declared" in guide:
        return next(at for at, _, text in channel if text.startswith("declared"))
    return channel[0][0]


def ending(guide: str, channel: list[tuple[str, str, str]], critical: list[Row]) -> str:
    """Return when it ended."""
    if "with the all clear" in guide:
        return next(at for at, _, text in channel if text.startswith("all clear"))
    if "was rolled back" in guide:
        return next(at for at, _, text in channel if text.startswith("rolled back"))
    return max(one["closed"] for one in critical)


def severity(guide: str, reached: dict[str, int]) -> int:
    """Return 1, 2 or 3."""
    what = re.search(r"By the number of (\w+)", guide)
    limits = re.search(r"severity 1 from (\d+) on, severity 2 from (\d+) on", guide)
    count = reached[what[1] if what else ""]
    first, second = (int(limits[1]), int(limits[2])) if limits else (0, 0)
    return 1 if count >= first else 2 if count >= second else 3


def timeline(
    alerts: list[Row], affected: list[str], begins: str, ends: str, guide: str
) -> str:
    """Return the table of alerts."""
    rows = [one for one in alerts if begins <= one["opened"] <= ends]
    if FACETS["listed"] == "critical":
        rows = [one for one in rows if one["level"] == "critical"]
    if FACETS["listed"] == "affected":
        rows = [one for one in rows if one["service"] in affected]
    if FACETS["order"] == "newest":
        rows.sort(key=lambda one: one["opened"], reverse=True)
    if FACETS["order"] == "service":
        rows.sort(key=lambda one: one["service"])
    lines = [
        f"{shown(o['opened'], guide)},{o['alert']},{o['service']},{o['level']}"
        for o in rows
    ]
    return "\n".join(["opened,alert,service,level", *lines, ""])


def services(critical: list[Row], affected: list[str], customers: Row) -> str:
    """Return the table of affected services."""
    lines = ["service,critical_minutes,customers"]
    for name in affected:
        mine = [one for one in critical if one["service"] == name]
        minutes = sum(distance(one["opened"], one["closed"]) for one in mine)
        lines.append(f"{name},{minutes},{customers[name]}")
    return "\n".join([*lines, ""])


def time(text: str) -> datetime:
    """Read a time."""
    return datetime.strptime(text, FORM)  # noqa: DTZ007  all in UTC


def distance(one: str, other: str) -> int:
    """Return minutes from one time to another."""
    return int((time(other) - time(one)).total_seconds() // 60)


def shown(at: str, guide: str) -> str:
    """Return a time as it is wanted."""
    if FACETS["clock"] == "utc":
        return at
    ahead = re.search(r"Local time is (\d+) hours ahead", guide)
    local = time(at) + timedelta(hours=int(ahead[1]) if ahead else 0)
    return local.strftime("%Y-%m-%d %H:%M")
