"""Makes the timeline through `ws`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from seedlib import deliver, rows_of, ws_json, ws_text

INCIDENT = "INC-2287"
START = datetime(2024, 9, 17, 6, tzinfo=UTC)
Row = dict[str, Any]


def solve() -> None:
    """Read guide, clocks, hosts and logs; order the events; look at the tickets."""
    levels = serious_levels(ws_text("read", "ops/timeline_guide.md"))
    checks = rows_of(ws_text("read", "ops/clock_checks.csv")) or []
    hosts = {one["host"]: get(f"/hosts/{one['host']}") for one in get("/hosts")}
    rows = []
    for entry in ws_json("list", "logs/")["names"]:
        host = entry["name"].removeprefix("logs/").partition(".")[0]
        for line in ws_text("read", entry["name"]).splitlines():
            row = READERS[host](line, hosts[host])
            if row and is_serious(row, levels[host]):
                row["host"] = host
                row["at"] = corrected(row["at"], host, checks)
                rows.append(row)
    timeline = events(rows)
    for event in timeline:
        event["cause"] = cause(event, timeline, hosts[event["host"]]["depends_on"])
    told = [
        {
            "event": e["event"],
            "host": e["host"],
            "at": iso(e["at"]),
            "cause": e["cause"],
        }
        for e in timeline
    ]
    deliver("timeline.json", json.dumps(told, indent=1) + "\n")
    deliver("tickets.json", json.dumps(tickets(timeline), indent=1) + "\n")


def get(path: str) -> Any:  # noqa: ANN401  JSON
    """Ask the ticket system."""
    return ws_json("call", "tickets", "GET", path)["body"]


def serious_levels(guide: str) -> dict[str, set[str]]:
    """Read the table of levels."""
    cells = [line.strip("| ").split(" | ") for line in guide.splitlines()]
    return {c[0]: set(c[1].split()) for c in cells if len(c) == 2}


def is_serious(row: Row, levels: set[str]) -> bool:
    """Whether a line may be an event."""
    words = ("deployed", "failover", "restarted", "reloaded")
    return row["level"] in levels or any(word in row["text"] for word in words)


def stamp(text: str, pattern: str, host: Row) -> datetime:
    """Read a stamp in the zone of its host."""
    zone = datetime.strptime(host["utc_offset"], "%z").tzinfo
    return datetime.strptime(text, pattern).replace(tzinfo=zone)


def row_of(at: datetime, level: str, event: str, text: str) -> Row:
    """Return one line of a log."""
    return {"at": at, "level": level, "event": event, "text": text}


def edge(line: str, host: Row) -> Row | None:
    """`2024-09-17T05:59:28.512Z ERROR [HG584] text`."""
    at, level, event, text = line.split(None, 3)
    return row_of(stamp(at, "%Y-%m-%dT%H:%M:%S.%fZ", host), level, event[1:-1], text)


def api(line: str, host: Row) -> Row | None:
    """A JSON object, in milliseconds."""
    del host
    told = json.loads(line)
    seconds, part = divmod(told["ts"], 1000)
    at = datetime.fromtimestamp(seconds, UTC) + timedelta(milliseconds=part)
    return row_of(at, told["level"], told["event"], told["message"])


def db(line: str, host: Row) -> Row | None:
    """`17/09/2024 07:55:47,844 | I | RP332 | text`."""
    at, level, event, text = line.split(" | ")
    return row_of(stamp(at, "%d/%m/%Y %H:%M:%S,%f", host), level, event, text)


def queue(line: str, host: Row) -> Row | None:
    """`09/17/2024 01:02:02.196 AM;5;DQ499;text`, after a head line."""
    at, level, event, text = line.split(";")
    if at == "at":
        return None
    return row_of(stamp(at, "%m/%d/%Y %I:%M:%S.%f %p", host), level, event, text)


def cache(line: str, host: Row) -> Row | None:
    """`[  5282.979] crit RV423 text`, seconds since boot."""
    since, _, rest = line.strip("[ ").partition("] ")
    level, event, text = rest.split(" ", 2)
    whole, part = since.split(".")
    booted = stamp(host["booted_utc"], "%Y-%m-%dT%H:%M:%S.%fZ", host)
    at = booted + timedelta(seconds=int(whole), milliseconds=int(part))
    return row_of(at, level, event, text)


def batch(line: str, host: Row) -> Row | None:
    """`20240917 112534720 LK846 RUN: text`."""
    day, time, event, level, text = line.split(" ", 4)
    at = stamp(f"{day} {time}", "%Y%m%d %H%M%S%f", host)
    return row_of(at, level.rstrip(":"), event, text)


READERS = {
    "edge-1": edge,
    "api-1": api,
    "db-1": db,
    "queue-1": queue,
    "cache-1": cache,
    "batch-1": batch,
}


def corrected(at: datetime, host: str, checks: list[dict[str, str]]) -> datetime:
    """Take off what the host's clock was off by."""
    mine = sorted(
        (
            datetime.strptime(one["shown_utc"], "%Y-%m-%dT%H:%M:%S.%f%z"),
            one["offset_ms"],
        )
        for one in checks
        if one["host"] == host
    )
    offset = mine[0][1]
    for shown, later in mine:
        if shown <= at:
            offset = later
    return at - timedelta(milliseconds=int(offset))


def events(rows: list[Row]) -> list[Row]:
    """Return what lies in the window and repeats nothing, in order."""
    last: dict[tuple[str, str], datetime] = {}
    found = []
    for row in sorted(rows, key=lambda one: one["at"]):
        key = (row["host"], row["text"])
        repeats = key in last and row["at"] - last[key] < timedelta(seconds=60)
        if START <= row["at"] < START + timedelta(hours=1) and not repeats:
            last[key] = row["at"]
            found.append(row)
    return found


def cause(event: Row, timeline: list[Row], depends_on: list[str]) -> str | None:
    """Return the id of what caused an event."""
    for other in reversed(timeline[: timeline.index(event)]):
        if event["at"] - other["at"] > timedelta(seconds=180):
            break
        if other["host"] in (event["host"], *depends_on):
            return str(other["event"])
    return None


def tickets(timeline: list[Row]) -> dict[str, Row | None]:
    """Return what each ticket is about."""
    found: dict[str, Row | None] = {}
    path = f"/tickets?incident={INCIDENT}"
    while path:
        page = get(path)
        for name in page["tickets"]:
            found[name] = subject(get(f"/tickets/{name}"), timeline)
        path = page["next"]
    return found


def subject(ticket: Row, timeline: list[Row]) -> Row | None:
    """Return the event of a ticket and how long it took to open it."""
    opened = datetime.strptime(ticket["opened"], "%Y-%m-%dT%H:%M:%S%z")
    for event in reversed(timeline):
        passed = opened - event["at"]
        if event["host"] == ticket["host"] and passed >= timedelta(0):
            if passed > timedelta(minutes=15):
                return None
            return {"event": event["event"], "delay_s": passed // timedelta(seconds=1)}
    return None


def iso(at: datetime) -> str:
    """Return a time in UTC as the task wants it."""
    utc = at.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
