"""What is drawn: people in several places, their calendars, rooms, meetings to place."""

import random
from dataclasses import replace
from datetime import date, timedelta

from envplatform.cowork.families.meeting_slots.records import (
    Busy,
    Facets,
    Meeting,
    Person,
    Room,
    Round,
)
from envplatform.cowork.words import Names

_STARTS = ("2025-01-13", "2025-02-10", "2025-03-03", "2025-11-03", "2025-12-01")
_TITLES = (
    *("Budget round", "Supplier review", "Release check", "Hiring panel"),
    *("Contract talk", "Site planning", "Price review", "Support handover"),
    *("Audit preparation", "Roadmap", "Training plan", "Incident review"),
)
_BUSY = (
    *("weekly", "call with a customer", "focus time", "interview", "dentist"),
    *("workshop", "one to one", "driving", "review", "training"),
)
_ONCE = ("dentist", "driving")
"""What nobody has twice in these days."""
_BOOKED = ("customer visit", "interviews", "training", "board", "first aid course")
_CITIES = (
    *(
        ("Cork", "Leeds", "Lisbon"),
        ("Lyon", "Graz", "Turin"),
        ("Riga", "Tartu", "Athens"),
    ),
    *(("Istanbul", "Ankara", "Izmir"), ("Dubai", "Tbilisi", "Yerevan")),
)
"""By hours ahead of UTC in winter, when all these rounds are."""
_ROOMS = ("Alcove", "Bridge", "Court", "Dock", "Elm", "Forum")
_COUNT = 7


def draw_round(chance: random.Random, names: Names) -> Round:
    """Draw a round; whether every rule decides something `deciding` tells."""
    facets = draw_facets(chance)
    office = chance.choice((1, 2))
    monday = date.fromisoformat(chance.choice(_STARTS))
    skip = chance.randrange(5)
    dates = [monday + timedelta(days=day) for day in range(skip, skip + 7)]
    days = tuple(one.isoformat() for one in dates if one.isoweekday() <= 5)
    people = _people(chance, names, office)
    rooms = tuple(
        Room(name=name, seats=seats)
        for name, seats in zip(
            chance.sample(_ROOMS, 4), chance.sample((5, 6, 8, 12), 4), strict=True
        )
    )
    empty = Round(
        facets=facets,
        host=names.people(1)[0],
        office=office,
        days=days,
        people=people,
        rooms=rooms,
        meetings=(),
        calendar=(),
        bookings=(),
        settled="",
        added=("", ""),
        longer=("", 0),
    )
    return drawn_again(chance, empty)


def drawn_again(chance: random.Random, round_: Round) -> Round:
    """Return the round with other meetings, calendars and bookings."""
    people, days = round_.people, round_.days
    settled, other, crowd = chance.sample(range(_COUNT), 3)
    meetings = _meetings(chance, people, days, sure=(settled, other), crowd=crowd)
    chosen = meetings[other]
    absent = [one.name for one in people if one.name not in chosen.people]
    return replace(
        round_,
        meetings=meetings,
        calendar=tuple(
            one
            for one in _calendar(chance, people, days, round_.office)
            if (one.who, one.day)
            not in {(n, days[0]) for n in meetings[settled].people}
        ),
        bookings=tuple(
            _taken(chance, room.name, day, 8 + part * 4, _BOOKED)
            for room in round_.rooms
            for day in days
            for part in range(2)
            # Where the zones decide, no room is to decide in their stead.
            if (day, part) != (days[0], 0) or room in round_.rooms[2:]
        ),
        settled=meetings[settled].number,
        added=(chosen.number, chance.choice(absent)),
        longer=(chosen.number, chosen.minutes + chance.choice((15, 30, 45))),
    )


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        turns=chance.choice(("listed", "longest", "people")),
        grid=chance.choice(("quarter", "half", "hour")),
        lunch=chance.choice(("none", "office", "own")),
        gap=chance.choice(("none", "15", "30")),
        tentative=chance.choice(("busy", "free")),
        rooms=chance.choice(("smallest", "listed", "fewest")),
        calendars=chance.choice(("files", "service")),
        clock=chance.choice(("office", "own")),
        shown=chance.choice(("office", "utc")),
        rows=chance.choice(("start", "meeting", "room")),
        invites=chance.choice(("files", "one", "json")),
        says=chance.choice(("none", "local", "minutes")),
        unplaced=chance.choice(("txt", "json")),
        extra=chance.choice(("none", "people")),
        untold=chance.choice(("person", "day", "length")),
        trigger=chance.choice(("calendars", "rooms")),
    )


def _people(chance: random.Random, names: Names, office: int) -> tuple[Person, ...]:
    """Return seven, at least three of them away from the office's time."""
    offsets = [office, office, office, office - 1, office + 1, office + 2, office - 1]
    chance.shuffle(offsets)
    cities = {offset: chance.choice(_CITIES[offset]) for offset in sorted(set(offsets))}
    return tuple(
        Person(
            name=name,
            city=cities[offset],
            offset=offset,
            begins=chance.choice((8, 9)) if offset == office else 9,
        )
        for name, offset in zip(names.people(_COUNT), offsets, strict=True)
    )


def _meetings(
    chance: random.Random,
    people: tuple[Person, ...],
    days: tuple[str, ...],
    *,
    sure: tuple[int, int],
    crowd: int,
) -> tuple[Meeting, ...]:
    """Return seven; for the `crowd` no room is big enough, two are `sure` to fit."""
    titles = chance.sample(_TITLES, _COUNT)
    numbers = [f"M-{place}" for place in range(1, _COUNT + 1)]
    found = []
    for at, (number, title) in enumerate(zip(numbers, titles, strict=True)):
        small = at in sure
        several = chance.sample(people, 2 if small else chance.choice((2, 3, 3, 4)))
        if at == sure[0]:  # who sit farthest apart: their zones decide
            several = [min(people, key=_offset), max(people, key=_offset)]
        first = 0 if small else chance.choice((0, 0, 1, 2))
        guests = chance.choice((11, 14)) if at == crowd else chance.choice((0, 0, 1, 2))
        found.append(
            Meeting(
                number=number,
                title=title,
                minutes=30 if small else chance.choice((30, 45, 60, 90)),
                people=tuple(one.name for one in several),
                guests=guests,
                first=days[first],
                last=days[4 if small else chance.choice((first + 2, 4))],
            )
        )
    return tuple(found)


def _offset(one: Person) -> int:
    return one.offset


def _calendar(
    chance: random.Random,
    people: tuple[Person, ...],
    days: tuple[str, ...],
    office: int,
) -> tuple[Busy, ...]:
    found: list[Busy] = []
    for one in people:
        for day in days:
            begins = one.begins + office - one.offset
            hours = [begins, begins + 4] if chance.random() < 0.6 else [begins]
            for hour in hours:
                what = [e.what for e in found if e.who == one.name and e.what in _ONCE]
                kinds = tuple(kind for kind in _BUSY if kind not in what)
                found.append(_taken(chance, one.name, day, hour, kinds))
    return tuple(found)


def _taken(
    chance: random.Random, who: str, day: str, hour: int, what: tuple[str, ...]
) -> Busy:
    """Return an entry that begins within two hours of `hour` and ends before 4 h more."""
    start = hour * 60 + chance.randrange(0, 120, 15)
    return Busy(
        who=who,
        day=day,
        start=start,
        end=start + chance.choice((30, 45, 60, 75, 90, 120)),
        what=chance.choice(what),
        is_tentative=chance.random() < 0.2,
    )
