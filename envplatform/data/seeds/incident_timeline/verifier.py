"""Grades the timeline of incident INC-2287."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from seedlib import Final, overlap, rows_of, share

FROM = dt.datetime(2024, 9, 17, 6, tzinfo=dt.UTC)
WINDOW_MS = 3_600_000
REPEAT_MS = 60_000
CAUSE_MS = 180_000
TICKET_MS = 900_000
WORDS = ("deployed", "failover", "restarted", "reloaded")
LOGS = {
    "edge-1.log": r"(?P<at>\S+)Z (?P<level>\S+) +\[(?P<id>\w+)\] (?P<text>.*)",
    "db-1.log": r"(?P<at>[^|]+?) \| (?P<level>\w) \| (?P<id>\w+) \| (?P<text>.*)",
    "queue-1.csv": r"(?P<at>[^;]+M);(?P<level>\d);(?P<id>\w+);(?P<text>.*)",
    "cache-1.log": r"\[ *(?P<at>[\d.]+)\] (?P<level>\w+) (?P<id>\w+) (?P<text>.*)",
    "batch-1.log": r"(?P<at>\d+ \d+) (?P<id>\w+) (?P<level>\w+): (?P<text>.*)",
    "api-1.jsonl": r'\{"ts": (?P<at>\d+), "level": "(?P<level>\w+)", '
    r'"event": "(?P<id>\w+)", "message": "(?P<text>.*)"\}',
}
STAMPS = {
    "edge-1": "%Y-%m-%dT%H:%M:%S.%f",
    "db-1": "%d/%m/%Y %H:%M:%S,%f",
    "queue-1": "%m/%d/%Y %I:%M:%S.%f %p",
    "batch-1": "%Y%m%d %H%M%S%f",
}


class Event(NamedTuple):
    """One event, at its true time in milliseconds since 1970."""

    at: int
    host: str
    id: str
    text: str


class Incident:
    """The incident, worked out anew from what the broker holds."""

    def __init__(self, final: Final) -> None:
        self._final = final
        routes = json.loads(final.held("tickets.json") or "[]")
        self._bodies = {route["path"]: route["body"] for route in routes}
        checks = rows_of(final.held("clock_checks.csv")) or []
        self._checks = sorted(
            (one["host"], _ms(one["shown_utc"]), int(one["offset_ms"]))
            for one in checks
        )
        guide = final.held("guide.md") or ""
        self._levels = {
            host: levels.split()
            for host, levels in re.findall(
                r"^\| (\w+-1) \| (.*) \|$", guide, re.MULTILINE
            )
        }
        self.events = self._events()
        self.causes = {one.id: self._cause(one) for one in self.events}

    def tickets(self) -> dict[str, tuple[str, int] | None]:
        """Return what each ticket of the incident is about, and its delay."""
        found: dict[str, tuple[str, int] | None] = {}
        page = "/tickets?incident=INC-2287"
        while page:
            body = self._bodies[page]
            found.update({name: self._subject(name) for name in body["tickets"]})
            page = body["next"]
        return found

    def _subject(self, name: str) -> tuple[str, int] | None:
        ticket = self._bodies[f"/tickets/{name}"]
        opened = _ms(ticket["opened"])
        about = [
            one
            for one in self.events
            if one.host == ticket["host"] and 0 <= opened - one.at <= TICKET_MS
        ]
        return (about[-1].id, (opened - about[-1].at) // 1000) if about else None

    def _cause(self, event: Event) -> str | None:
        near = {event.host, *self._bodies[f"/hosts/{event.host}"]["depends_on"]}
        before = [
            one
            for one in self.events
            if one.host in near and 0 < event.at - one.at <= CAUSE_MS
        ]
        return before[-1].id if before else None

    def _events(self) -> list[Event]:
        start = int(FROM.timestamp()) * 1000
        kept: list[Event] = []
        for line in sorted(self._serious()):
            is_repeat = any(
                (one.host, one.text) == (line.host, line.text)
                and line.at - one.at < REPEAT_MS
                for one in kept
            )
            if start <= line.at < start + WINDOW_MS and not is_repeat:
                kept.append(line)
        return kept

    def _serious(self) -> Iterator[Event]:
        for name, pattern in LOGS.items():
            host = name.partition(".")[0]
            for line in (self._final.held(f"logs/{name}") or "").splitlines():
                found = re.fullmatch(pattern, line)
                if found is None:
                    continue
                is_marked = any(word in found["text"] for word in WORDS)
                if is_marked or found["level"] in self._levels[host]:
                    at = self._true(host, found["at"])
                    yield Event(at, host, found["id"], found["text"])

    def _true(self, host: str, stamp: str) -> int:
        shown = self._shown(host, stamp)
        mine = [check[1:] for check in self._checks if check[0] == host]
        before = [offset for when, offset in mine if when <= shown]
        return shown - (before[-1] if before else mine[0][1])

    def _shown(self, host: str, stamp: str) -> int:
        if host == "api-1":
            return int(stamp)
        body = self._bodies[f"/hosts/{host}"]
        if host == "cache-1":
            return _ms(body["booted_utc"]) + int(stamp.replace(".", ""))
        local = dt.datetime.strptime(stamp, STAMPS[host])  # noqa: DTZ007  zone is next
        return _ms(f"{local.isoformat(timespec='milliseconds')}{body['utc_offset']}")


def _ms(text: str) -> int:
    at = dt.datetime.fromisoformat(text)
    return int(at.timestamp()) * 1000 + at.microsecond // 1000


def _iso(at: int) -> str:
    when = dt.datetime.fromtimestamp(at // 1000, dt.UTC)
    return f"{when:%Y-%m-%dT%H:%M:%S}.{at % 1000:03d}Z"


def _given(final: Final) -> list[dict[str, Any]]:
    listed = final.json("timeline.json")
    return listed if isinstance(listed, list) else []


def events(final: Final) -> float:
    """How far the events agree; to list every serious line is worth little."""
    given = _given(final)
    ids = [one["event"] for one in given]
    wanted = {(one.id, one.host) for one in Incident(final).events}
    agrees = overlap({(one["event"], one["host"]) for one in given}, wanted)
    score = max(0.0, 2 * agrees - 1)
    return score if len(set(ids)) == len(ids) else 0.9 * score


def times(final: Final) -> float:
    """Share of events that have the right time, to the millisecond."""
    given = {one.get("event"): one.get("at") for one in _given(final)}
    right = [given.get(one.id) == _iso(one.at) for one in Incident(final).events]
    return share(sum(right), len(right))


def order(final: Final) -> float:
    """How far neighbours of the timeline stand one after the other, at once."""
    ids = [one.get("event") for one in _given(final)]
    wanted = [one.id for one in Incident(final).events]
    pairs = set(pairwise(ids))
    return overlap(pairs, set(pairwise(wanted)))


def causes(final: Final) -> float:
    """Share of right causes where there is one, times the share where there is none."""
    given = {one.get("event"): one.get("cause", "") for one in _given(final)}
    parts: dict[bool, list[bool]] = {True: [], False: []}
    for event, cause in Incident(final).causes.items():
        parts[cause is None].append(given.get(event, "") == cause)
    none, some = (share(sum(oks), len(oks)) for oks in parts.values())
    return none * some


def tickets(final: Final) -> float:
    """How far tickets, their events and delays agree."""
    given = final.json("tickets.json")
    if not isinstance(given, dict):
        return 0.0
    told = {
        (name, *((one["event"], one["delay_s"]) if one else (None, None)))
        for name, one in given.items()
    }
    wanted = {
        (name, *(one or (None, None)))
        for name, one in Incident(final).tickets().items()
    }
    return overlap(told, wanted) if any(one for one in given.values()) else 0.0


CRITERIA = {
    "events": events,
    "times": times,
    "order": order,
    "causes": causes,
    "tickets": tickets,
}
