"""Grades conflicts and moves of the week; moves by the rules, whichever they are."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from seedlib import Final, overlap, share

OFFICE = timezone(timedelta(hours=2))
CALENDARS = ("amira", "bela", "chiara")
Line = tuple[str, str, str, str]


class Slot(NamedTuple):
    """Something that occupies people or a room."""

    start: datetime
    end: datetime
    room: str
    people: frozenset[str] = frozenset()
    may_move: bool = False
    heads: int = 0
    needs: str = ""

    def meets(self, other: Slot) -> bool:
        """Whether both share some time."""
        return max(self.start, other.start) < min(self.end, other.end)


class Rules(NamedTuple):
    """What the room store says."""

    hours: dict[str, list[tuple[str, str]]]
    """Person to first and last minute of each stretch of work."""
    rooms: dict[str, tuple[int, str]]
    limits: dict[str, str]


def week(final: Final) -> tuple[dict[str, Slot], Rules]:
    """Read everything that the broker holds."""
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("rooms.sql") or "")
    hours: dict[str, list[tuple[str, str]]] = {}
    for who, day, start, end in store.execute("SELECT * FROM hours"):
        hours.setdefault(who, []).append((f"{day}T{start}", f"{day}T{end}"))
    rooms = {row[0]: (row[1], row[2]) for row in store.execute("SELECT * FROM rooms")}
    limits = dict(store.execute("SELECT name, value FROM limits"))
    booked = store.execute("SELECT uid, room FROM bookings WHERE uid IS NOT NULL")
    slots = _meetings(final, dict(booked))
    for booking, room, _, start, end in store.execute(
        "SELECT * FROM bookings WHERE uid IS NULL"
    ):
        slots[booking] = Slot(_time(start), _time(end), room)
    return slots, Rules(hours, rooms, limits)


def _meetings(final: Final, booked: dict[str, str]) -> dict[str, Slot]:
    copies: dict[str, list[tuple[int, str, dict[str, str]]]] = {}
    for person in CALENDARS:
        event: dict[str, str] = {}
        for line in (final.held(f"calendars/{person}.ics") or "").splitlines():
            name, _, value = line.partition(":")
            event[name.partition(";")[0]] = value
            if line == "BEGIN:VEVENT":
                event = {}
            if line == "END:VEVENT":
                entry = (int(event["SEQUENCE"]), person, event)
                copies.setdefault(event["UID"], []).append(entry)
    slots = {}
    for uid, found in copies.items():
        event = max(found, key=lambda one: one[0])[2]
        if event["STATUS"] == "CANCELLED" or event["TRANSP"] == "TRANSPARENT":
            continue
        slots[uid] = Slot(
            start=_stamp(event["DTSTART"]),
            end=_stamp(event["DTEND"]),
            room=booked.get(uid, "-"),
            people=frozenset(person for _, person, _ in found),
            may_move=event.get("CATEGORIES", "") != "FIXED",
            heads=int(event["X-HEADCOUNT"]),
            needs=event.get("X-NEEDS", ""),
        )
    return slots


def _stamp(text: str) -> datetime:
    if not text.endswith("Z"):
        return datetime.strptime(text, "%Y%m%dT%H%M%S").replace(tzinfo=OFFICE)
    time = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=OFFICE)
    return time + timedelta(hours=2)


def _time(text: str) -> datetime:
    """Read one of our times, which has one spelling."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=OFFICE)


def conflicts_of(slots: dict[str, Slot], rules: Rules) -> set[Line]:
    """Return every conflict."""
    found: set[Line] = set()
    names = sorted(slots)
    for number, uid in enumerate(names):
        slot = slots[uid]
        found |= {("hours", who, uid, "") for who in _away(slot, rules)}
        if not _fits(slot, rules):
            found.add(("seats", slot.room, uid, ""))
        for second in names[number + 1 :]:
            other = slots[second]
            if not slot.meets(other):
                continue
            shared = slot.people & other.people
            found |= {("attendee", who, uid, second) for who in shared}
            if slot.room == other.room and slot.room != "-":
                found.add(("room", slot.room, uid, second))
    return found


def _away(slot: Slot, rules: Rules) -> set[str]:
    start, end = (time.strftime("%Y-%m-%dT%H:%M") for time in slot[:2])
    return {
        who
        for who in slot.people
        if not any(a <= start and end <= b for a, b in rules.hours[who])
    }


def _fits(slot: Slot, rules: Rules) -> bool:
    if slot.room == "-":
        return True
    seats, equipment = rules.rooms[slot.room]
    return slot.heads <= seats and (
        not slot.needs or slot.needs in equipment.split(",")
    )


def _moved(final: Final, slots: dict[str, Slot], rules: Rules) -> dict[str, Slot]:
    """Return the meetings that move and could be where they are put."""
    found = {}
    for row in final.rows("moves.csv") or []:
        slot = slots.get(row["uid"])
        try:
            start, end = _time(row["start"]), _time(row["end"])
        except ValueError:
            continue
        if slot and (row["room"] in rules.rooms or row["room"] == "-"):
            found[row["uid"]] = slot._replace(start=start, end=end, room=row["room"])
    return found


def conflicts(final: Final) -> float:
    """How far the list of conflicts agrees; all of it only if it is in order."""
    wanted = conflicts_of(*week(final))
    rows = final.rows("conflicts.csv") or []
    lines = [tuple(row.values()) for row in rows]
    agree = overlap(set(lines), wanted)
    is_neat = list(rows[0]) == ["kind", "what", "first", "second"]
    return agree if is_neat and lines == sorted(set(lines)) else 0.9 * agree


def resolved(final: Final) -> float:
    """Share of the conflicts that the moves end, less those that they make."""
    slots, rules = week(final)
    before = conflicts_of(slots, rules)
    after = conflicts_of({**slots, **_moved(final, slots, rules)}, rules)
    return share(len(before - after) - len(after - before), len(before))


def rules_kept(final: Final) -> float:
    """Share of the moves that break no rule; none of too many, nor of none."""
    slots, rules = week(final)
    moved = _moved(final, slots, rules)
    rows = final.rows("moves.csv") or []
    if len(rows) > int(rules.limits["most_moves"]):
        return 0.0
    named = {uid for line in conflicts_of(slots, rules) for uid in line[2:]}
    good = sum(
        uid in named and _is_allowed(slots[uid], slot, rules)
        for uid, slot in moved.items()
    )
    return share(good, len(rows))


def _is_allowed(old: Slot, new: Slot, rules: Rules) -> bool:
    limits = rules.limits
    day = new.start.date().isoformat()
    minutes = new.start.hour * 60 + new.start.minute
    return (
        old.may_move
        and new != old
        and new.end - new.start == old.end - old.start
        and minutes % int(limits["grid_minutes"]) == 0
        and limits["first_day"] <= day <= limits["last_day"]
        and (new.room == "-") == (old.room == "-")
        and _fits(new, rules)
        and not _away(new, rules)
    )


def form(final: Final) -> float:
    """Moves of known meetings, each once, in order, under the four columns."""
    slots, rules = week(final)
    rows = final.rows("moves.csv") or []
    if not rows or list(rows[0]) != ["uid", "start", "end", "room"]:
        return 0.0
    uids = [row["uid"] for row in rows]
    known = set(uids) == set(_moved(final, slots, rules))
    return float(known and uids == sorted(set(uids)))


CRITERIA = {
    "conflicts": conflicts,
    "resolved": resolved,
    "rules_kept": rules_kept,
    "form": form,
}
