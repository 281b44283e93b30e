"""Frees three calendars of their conflicts through `ws`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from seedlib import deliver, ws_json, ws_text

PEOPLE = ("amira", "bela", "chiara")
Event = dict[str, Any]
Conflict = tuple[str, str, str, str]


class Desk:
    """Everything that is known of the week."""

    def __init__(self) -> None:
        """Read it."""
        ws_text("read", "policies/calendars.md")
        self.events = read_events()
        self.hours = rows("SELECT person, day, start, end FROM hours")
        self.rooms = {
            room: (seats, set(has.split(",")))
            for room, seats, has in rows("SELECT room, seats, equipment FROM rooms")
        }
        self.limits = dict(rows("SELECT name, value FROM limits"))
        bookings = rows("SELECT booking, room, uid, start, end FROM bookings")
        for event in self.events.values():
            event["room"] = "-"
        for booking, room, uid, start, end in bookings:
            if uid is None:
                self.events[booking] = {
                    "who": set(),
                    "room": room,
                    "fixed": True,
                    "heads": 0,
                    "start": datetime.fromisoformat(start),
                    "needs": "",
                    "end": datetime.fromisoformat(end),
                }
            elif uid in self.events:
                self.events[uid]["room"] = room

    def conflicts(self) -> list[Conflict]:
        """Return all conflicts, sorted."""
        found: list[Conflict] = []
        for uid, event in self.events.items():
            found += [("hours", who, uid, "") for who in self.unwilling(event)]
            if event["room"] != "-" and not self.fits(event, event["room"]):
                found.append(("seats", event["room"], uid, ""))
        for one, other in combinations(sorted(self.events), 2):
            a, b = self.events[one], self.events[other]
            if a["start"] < b["end"] and b["start"] < a["end"]:
                both = a["who"] & b["who"]
                found += [("attendee", who, one, other) for who in both]
                if a["room"] == b["room"] != "-":
                    found.append(("room", a["room"], one, other))
        return sorted(found)

    def unwilling(self, event: Event) -> set[str]:
        """Return those who don't work at that time."""
        start, end = _at(event["start"]), _at(event["end"])
        free = {
            who
            for who, on, begin, close in self.hours
            if f"{on}T{begin}" <= start and end <= f"{on}T{close}"
        }
        return set(event["who"]) - free

    def fits(self, event: Event, room: str) -> bool:
        """Whether a room is large enough and has what is needed."""
        seats, has = self.rooms[room]
        return event["heads"] <= seats and (not event["needs"] or event["needs"] in has)

    def places(self, event: Event) -> Iterator[Event]:
        """Return where an event could be."""
        grid = timedelta(minutes=int(self.limits["grid_minutes"]))
        length = event["end"] - event["start"]
        rooms = ["-"] if event["room"] == "-" else [event["room"], *self.rooms]
        start = datetime.fromisoformat(self.limits["first_day"])
        stop = datetime.fromisoformat(self.limits["last_day"]) + timedelta(days=1)
        times = [event["start"]]
        while start < stop:
            times.append(start)
            start += grid
        for time in times:
            for room in rooms:
                if room == "-" or self.fits(event, room):
                    yield {**event, "start": time, "end": time + length, "room": room}


def solve() -> None:
    """Find the conflicts, move one meeting of each, write both files."""
    desk = Desk()
    conflicts = desk.conflicts()
    head = "kind,what,first,second"
    deliver("conflicts.csv", "\n".join([head, *map(",".join, conflicts), ""]))
    moved: dict[str, Event] = {}
    while left := desk.conflicts():
        named = [uid for one in left for uid in one[2:] if uid]
        free = [uid for uid in named if not desk.events[uid]["fixed"]]
        uid = max(sorted(set(free) - set(moved)), key=free.count)
        moved[uid] = place(desk, uid)
    lines = [
        f"{uid},{_at(event['start'])},{_at(event['end'])},{event['room']}"
        for uid, event in sorted(moved.items())
    ]
    deliver("moves.csv", "\n".join(["uid,start,end,room", *lines, ""]))


def place(desk: Desk, uid: str) -> Event:
    """Put an event where it is in nobody's way."""
    for event in desk.places(desk.events[uid]):
        desk.events[uid] = event
        if all(uid not in one for one in desk.conflicts()):
            return event
    msg = f"there is no place for {uid}"
    raise SystemExit(msg)


def read_events() -> dict[str, Event]:
    """Return what occupies somebody, the newest copy of each."""
    newest: dict[str, dict[str, str]] = {}
    who: dict[str, set[str]] = {}
    for person in PEOPLE:
        text = ws_text("read", f"calendars/{person}.ics")
        for block in text.split("BEGIN:VEVENT")[1:]:
            event = dict(
                line.split(":", 1) for line in block.splitlines() if ":" in line
            )
            event = {key.split(";")[0]: value for key, value in event.items()}
            uid = event["UID"]
            who.setdefault(uid, set()).add(person)
            if uid not in newest or int(event["SEQUENCE"]) > int(
                newest[uid]["SEQUENCE"]
            ):
                newest[uid] = event
    return {
        uid: {
            "who": who[uid],
            "start": _local(event["DTSTART"]),
            "end": _local(event["DTEND"]),
            "fixed": event.get("CATEGORIES") == "FIXED",
            "heads": int(event["X-HEADCOUNT"]),
            "needs": event.get("X-NEEDS", ""),
        }
        for uid, event in newest.items()
        if event["STATUS"] != "CANCELLED" and event["TRANSP"] == "OPAQUE"
    }


def rows(sql: str) -> list[list[Any]]:
    """Ask the room store."""
    found: list[list[Any]] = ws_json("query", "rooms", sql)["rows"]
    return found


def _local(stamp: str) -> datetime:
    time = datetime.strptime(stamp.rstrip("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
    return time + timedelta(hours=2 * stamp.endswith("Z"))


def _at(time: datetime) -> str:
    return time.isoformat(timespec="minutes")
