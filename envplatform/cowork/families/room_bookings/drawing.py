"""What is drawn: rooms, what is booked already, requests, and rules of who goes first."""

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CLASSES = ("client", "board", "team", "training")
CASES = (
    *("rush",) * 20,
    *("early", "evening"),
    *("crowd",) * 2,
    *("loop",) * 2,
    *("few",) * 2,
    *("long", "course"),
    *("again",) * 2,
)
"""What requests are drawn for; `rush` comes in four groups of five at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    rank: Literal["class", "submitted", "size"]
    choice: Literal["smallest", "plainest", "floor"]
    opening: Literal["house", "weekday", "rooms"]
    gap: Literal["none", "all", "kitchen"]
    limit: Literal["none", "third", "longest"]
    when: Literal["span", "ends", "minutes"]
    order: Literal["start", "room", "request"]
    refusals: Literal["table", "reasons", "lines"]
    utilisation: Literal["minutes", "percent", "days"]
    extra: Literal["none", "answers", "shortage"]
    rooms: Literal["csv", "store"]
    requests: Literal["csv", "store", "folder"]
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One room; hours count only where rooms have hours of their own."""

    name: str
    floor: int
    seats: int
    equipment: tuple[str, ...]
    opens: str
    closes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Part of a day, times as `09:15`."""

    day: str
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """What the calendar has already."""

    room: str
    slot: Slot
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request for a room."""

    number: str
    department: str
    kind: str
    people: int
    equipment: tuple[str, ...]
    slot: Slot
    submitted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """All that this one is about."""

    facets: Facets
    monday: dt.date
    classes: tuple[str, ...]
    """In the order of precedence."""
    floors: Mapping[str, int]
    """Where departments sit."""
    most_minutes: int
    gap_minutes: int
    rooms: tuple[Room, ...]
    bookings: tuple[Booking, ...]
    requests: tuple[Request, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules."""
        return {
            "facets": dict(asdict(self.facets)),
            "classes": list(self.classes),
            "floors": dict(self.floors),
            "most_minutes": self.most_minutes,
            "gap_minutes": self.gap_minutes,
            "monday": self.monday.isoformat(),
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        rank=chance.choice(("class", "submitted", "size")),
        choice=chance.choice(("smallest", "plainest", "floor")),
        opening=chance.choice(("house", "weekday", "rooms")),
        gap=chance.choice(("none", "all", "kitchen")),
        limit=chance.choice(("none", "third", "longest")),
        when=chance.choice(("span", "ends", "minutes")),
        order=chance.choice(("start", "room", "request")),
        refusals=chance.choice(("table", "reasons", "lines")),
        utilisation=chance.choice(("minutes", "percent", "days")),
        extra=chance.choice(("none", "answers", "shortage")),
        rooms=chance.choice(("csv", "store")),
        requests=chance.choice(("csv", "store", "folder")),
        at=chance.choice(("facilities", "rooms", "house/booking")),
    )


def draw_week(chance: random.Random, names: Names) -> Week:
    """Draw a week; whether every rule decides something `deciding` tells."""
    departments = names.some("department", 8)
    rooms = _rooms(chance, names.some("city", 6))
    monday = dt.date(2025, 3, 3) + dt.timedelta(weeks=chance.randint(0, 20))
    week = Week(
        facets=draw_facets(chance),
        monday=monday,
        classes=tuple(chance.sample(CLASSES, len(CLASSES))),
        floors={name: chance.randint(1, 3) for name in sorted(departments)},
        most_minutes=chance.choice((150, 180, 210)),
        gap_minutes=chance.choice((15, 20, 30)),
        rooms=rooms,
        bookings=(),
        requests=(),
    )
    return with_requests(chance, week)


def with_requests(chance: random.Random, week: Week) -> Week:
    """Return the week with other bookings and requests."""
    days = [(week.monday + dt.timedelta(days=one)).isoformat() for one in range(5)]
    hours = [(day, chance.randint(9, 12)) for day in chance.sample(days, 4)]
    departments = list(week.floors)
    return replace(
        week,
        bookings=_bookings(chance, week.rooms, hours, departments),
        requests=_requests(chance, week.rooms, hours, days, departments),
    )


def slot(day: str, start: int, minutes: int) -> Slot:
    """Return a slot from a minute of the day on."""
    end = start + minutes
    return Slot(
        day=day,
        start=f"{start // 60:02}:{start % 60:02}",
        end=f"{end // 60:02}:{end % 60:02}",
    )


def _rooms(chance: random.Random, names: Sequence[str]) -> tuple[Room, ...]:
    """Return rooms of different sizes, each with a screen."""
    sizes = (4, chance.choice((6, 7)), 9, 12, 16, chance.choice((28, 32, 40)))
    found = []
    for place, (name, seats) in enumerate(zip(names, sizes, strict=True)):
        has = ["screen"]
        has += ["whiteboard"] if place in {1, 2, 4} else []
        has += ["camera"] if place in {0, 2, 3} else []
        has += ["kitchen"] if place in {3, 4} else []
        has += ["hearing loop"] if place == 0 else []
        has += ["stage lights"] if place == len(sizes) - 1 else []
        early = chance.choice((7, 8))
        found.append(
            Room(
                name=name,
                floor=place % 3 + 1,
                seats=seats,
                equipment=tuple(sorted(has)),
                opens=f"{early:02}:00",
                closes=f"{early + 10 - (place == 1)}:30",
            )
        )
    return tuple(chance.sample(found, len(found)))


def _bookings(
    chance: random.Random,
    rooms: Sequence[Room],
    hours: Sequence[tuple[str, int]],
    departments: Sequence[str],
) -> tuple[Booking, ...]:
    """Return bookings that leave half of the rooms at each hour, one just left."""
    found = []
    for day, hour in hours:
        order = chance.sample(list(rooms), len(rooms))
        for room in order[:3]:
            begin = hour * 60 + chance.choice((0, 15, 30))
            found.append((room.name, slot(day, begin, chance.choice((60, 90, 120)))))
        for room in order[3:4]:
            begin = hour * 60 - chance.choice((75, 90))
            length = hour * 60 - begin
            found.append((room.name, slot(day, begin, length)))
    found.sort(key=lambda one: (one[1].day, one[1].start, one[0]))
    return tuple(
        Booking(room=room, slot=when, by=chance.choice(departments))
        for room, when in found
    )


def _requests(
    chance: random.Random,
    rooms: Sequence[Room],
    hours: Sequence[tuple[str, int]],
    days: Sequence[str],
    departments: Sequence[str],
) -> tuple[Request, ...]:
    """Return requests by number, handed in in another order."""
    largest = max(one.seats for one in rooms)
    drawn = []
    for place, case in enumerate(CASES):
        day, hour = hours[place % 4]
        begin = hour * 60 + chance.choice((0, 15, 30))
        minutes, people = chance.choice((60, 75, 90)), chance.randint(2, 9)
        wants: tuple[str, ...] = chance.choice(
            ((), (), ("screen",), ("camera",), ("whiteboard",))
        )
        kind = chance.choice(CLASSES)
        match case:
            case "early":
                begin = 5 * 60 + 30
            case "evening":
                day, begin = days[4], 19 * 60
            case "crowd":
                people = largest + chance.randint(3, 20)
            case "loop":
                people, wants = chance.randint(5, 8), ("hearing loop",)
            case "few":
                day, begin = days[place % 5], 15 * 60
                people, wants = chance.randint(2, 5), ("stage lights",)
            case "long" | "course":
                day, begin, minutes = days[place % 4], 13 * 60, 240
                kind = "training" if case == "course" else "team"
        department = chance.choice(departments)
        drawn.append((case, department, kind, people, wants, slot(day, begin, minutes)))
    chance.shuffle(drawn)
    drawn = _repeated(drawn)
    times = chance.sample(range(3000), len(drawn))
    return tuple(
        Request(
            number=f"R-{201 + 3 * place}",
            department=department,
            kind=kind,
            people=people,
            equipment=wants,
            slot=when,
            submitted=_submitted(days[0], at),
        )
        for place, ((_, department, kind, people, wants, when), at) in enumerate(
            zip(drawn, times, strict=True)
        )
    )


def _submitted(monday: str, at: int) -> str:
    """Return a minute at work, in the week before the last one; `at` from 0 to 2999."""
    day = dt.date.fromisoformat(monday) + dt.timedelta(days=at // 600 - 14)
    return f"{day.isoformat()} {7 + at % 600 // 60:02}:{at % 60:02}"


_Drawn = tuple[str, str, str, int, tuple[str, ...], Slot]


def _repeated(drawn: list[_Drawn]) -> list[_Drawn]:
    """Put those drawn for `again` last, as what departments asked for before."""
    first = [one for one in drawn if one[0] != "again"]
    rush = [one for one in first if one[0] == "rush"]
    last = [
        (case, old[1], kind, people, wants, old[5])
        for (case, _, kind, people, wants, _), old in zip(
            [one for one in drawn if one[0] == "again"], rush, strict=False
        )
    ]
    return [*first, *last]
