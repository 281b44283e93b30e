"""Whether every rule of a week decides something; who draws wants to know.

Neither oracle nor verifier has a part in it: they give the rooms out anew, apart.
"""

import datetime as dt
from collections.abc import Mapping, Sequence

from envplatform.cowork.families.room_bookings.drawing import (
    Request,
    Room,
    Slot,
    Week,
)

RULES = ("rank", "calendar", "equipment")
LEAST = 4
"""Requests that come out otherwise where a rule is forgotten: where fewer do, files that
do not tell of rooms may stay right, and who forgot it reaches the pass mark."""
_REFUSALS = ("closed", "too_large", "no_equipment", "too_small", "taken")
_Taken = list[tuple[str, str, int, int]]
"""Room, day, start and end."""


def every_rule_decides(week: Week) -> bool:
    """Whether each rule, forgotten, would change what becomes of some requests."""
    right = _answers(week)
    return all(
        sum(right[one] != other[one] for one in right) >= LEAST
        for other in (_answers(week, rule) for rule in RULES)
    )


def _answers(week: Week, forgotten: str = "") -> Mapping[str, str]:
    """Return the room of each request by number, or why it has none."""
    taken: _Taken = []
    if forgotten != "calendar":
        taken = [(one.room, *_times(one.slot)) for one in week.bookings]
    found = {}
    for one in _in_turn(week, forgotten):
        room, why = _answer(week, one, taken, forgotten)
        found[one.number] = room.name if room else why
        if room:
            taken.append((room.name, *_times(one.slot)))
    return found


def _in_turn(week: Week, forgotten: str) -> Sequence[Request]:
    by_number = sorted(week.requests, key=lambda one: one.number)
    if forgotten == "rank":
        return by_number
    match week.facets.rank:
        case "class":
            place = {kind: at for at, kind in enumerate(week.classes)}
            return sorted(by_number, key=lambda o: (place[o.kind], o.submitted))
        case "size":
            return sorted(by_number, key=lambda o: (-o.people, o.submitted))
        case _:
            return sorted(by_number, key=lambda o: o.submitted)


def _answer(
    week: Week, one: Request, taken: _Taken, forgotten: str
) -> tuple[Room | None, str]:
    """Return the room, or None and why there is none."""
    day, start, end = _times(one.slot)
    if any(_is_repeat(one, other) for other in week.requests):
        return None, "repeated"
    is_long = end - start > week.most_minutes and one.kind != "training"
    if week.facets.limit == "longest" and is_long:
        return None, "too_long"
    whys = []
    fit = []
    for room in week.rooms:
        opens, closes = _hours(week, room, day)
        gap = _gap(week, room)
        rules = {
            "closed": start < opens or end > closes,
            "too_large": one.people > room.seats,
            "no_equipment": not set(one.equipment) <= set(room.equipment)
            and forgotten != "equipment",
            "too_small": week.facets.limit == "third" and one.people * 3 < room.seats,
            "taken": any(
                (name, on) == (room.name, day)
                and start < last + gap
                and first - gap < end
                for name, on, first, last in taken
            ),
        }
        against = [name for name in _REFUSALS if rules[name]]
        whys += against[:1]
        fit += [] if against else [room]
    if not fit:
        return None, max(whys, key=_REFUSALS.index)
    return min(fit, key=lambda room: _liking(week, room, one)), ""


def _is_repeat(one: Request, other: Request) -> bool:
    mine, theirs = (
        (each.department, each.slot.day, each.slot.start) for each in (one, other)
    )
    return mine == theirs and other.number < one.number


def _hours(week: Week, room: Room, day: str) -> tuple[int, int]:
    if week.facets.opening == "rooms":
        return _minute(room.opens), _minute(room.closes)
    friday = (week.monday + dt.timedelta(days=4)).isoformat()
    if week.facets.opening == "weekday" and day == friday:
        return 8 * 60, 14 * 60 + 30
    return 8 * 60, 18 * 60


def _gap(week: Week, room: Room) -> int:
    has_gap = week.facets.gap == "all" or (
        week.facets.gap == "kitchen" and "kitchen" in room.equipment
    )
    return week.gap_minutes if has_gap else 0


def _liking(week: Week, room: Room, one: Request) -> tuple[int, int]:
    match week.facets.choice:
        case "plainest":
            first = len(room.equipment)
        case "floor":
            first = int(room.floor != week.floors[one.department])
        case _:
            first = 0
    return first, room.seats


def _times(slot: Slot) -> tuple[str, int, int]:
    return slot.day, _minute(slot.start), _minute(slot.end)


def _minute(clock: str) -> int:
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)
