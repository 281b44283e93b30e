"""What is drawn: series of daily figures, planned events, what is loaded again."""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from envplatform.cowork.words import Names, WordList

WEEKS, JUDGED = 6, 3
"""Of data, and the last of them that are judged."""
_SINCE = 7 * (WEEKS - JUDGED)
_UNITS = ("orders", "tickets", "visits", "signups", "parcels", "calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    dimension: Literal["city", "department", "service"]
    """What there is a series of."""
    data: Literal["by_name", "by_week", "store"]
    baseline: Literal["before", "last_three", "others"]
    """Which days of the same weekday the median is of."""
    limit: Literal["percent", "units", "two_sided"]
    repeats: Literal["report", "latest", "first"]
    """What becomes of a day that was loaded twice."""
    excuses: Literal["any", "direction", "drops"]
    """What a planned event excuses."""
    events_count: Literal["counted", "left_out"]
    """Whether days of events are used for medians."""
    listed: Literal["open", "all"]
    order: Literal["day", "name", "kind"]
    summary: Literal["by_name", "by_kind", "by_week"]
    extra: Literal["none", "totals", "excused"]
    events: Literal["csv", "markdown"]
    place: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One loaded figure."""

    day: int
    """After the first."""
    name: str
    value: int
    load: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something planned, first and last day included."""

    number: str
    first: int
    last: int
    name: str
    """`all` for every series."""
    expected: Literal["up", "down"]
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """All that this one is about."""

    facets: Facets
    first: date
    """A Monday."""
    names: tuple[str, ...]
    keeper: str
    """The user inside."""
    limits: tuple[int, int]
    """Below and above the median; percent or units."""
    points: tuple[Point, ...]
    reloaded: tuple[Point, ...]
    """What the user loads again, in the place of points of the same day and name."""
    events: tuple[Event, ...]

    def shown(self, day: int) -> str:
        """Return a day as it is written."""
        return (self.first + timedelta(days=day)).isoformat()

    def after(self) -> tuple[Point, ...]:
        """Return all points once the user has reloaded."""
        new = {(one.day, one.name): one for one in self.reloaded}
        return tuple(new.get((one.day, one.name), one) for one in self.points)


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        dimension=chance.choice(("city", "department", "service")),
        data=chance.choice(("by_name", "by_week", "store")),
        baseline=chance.choice(("before", "last_three", "others")),
        limit=chance.choice(("percent", "units", "two_sided")),
        repeats=chance.choice(("report", "latest", "first")),
        excuses=chance.choice(("any", "direction", "drops")),
        events_count=chance.choice(("counted", "left_out")),
        listed=chance.choice(("open", "all")),
        order=chance.choice(("day", "name", "kind")),
        summary=chance.choice(("by_name", "by_kind", "by_week")),
        extra=chance.choice(("none", "totals", "excused")),
        events=chance.choice(("csv", "markdown")),
        place=chance.choice(("daily", "metrics/daily", "loads", "warehouse/facts")),
        unit=chance.choice(_UNITS),
    )


def draw_metrics(chance: random.Random, names: Names) -> Metrics:
    """Draw series in which rules, events and the reload decide something."""
    facets = draw_facets(chance)
    kind: WordList = facets.dimension
    chosen = sorted(names.some(kind, 4))
    a, b, c, d = chance.sample(chosen, 4)
    limits = {
        "percent": (chance.choice((25, 30, 35)),) * 2,
        "units": (chance.choice((140, 150, 160)),) * 2,
        "two_sided": (chance.choice((25, 30)), chance.choice((35, 40))),
    }[facets.limit]
    cells = _ordinary(chance, chosen)
    start = _SINCE + 7 * chance.choice((0, 1))
    events = _events((a, b, c, d), start)
    _disturb(cells, (a, b, c, d), start)
    again = _part(chance, cells, b, start + 7)
    points = [
        Point(day=day, name=name, value=value, load=100 + day)
        for (day, name), value in sorted(cells.items())
    ]
    return Metrics(
        facets=facets,
        first=date(2025, 1, 6) + timedelta(days=7 * chance.randrange(40)),
        names=tuple(chosen),
        keeper=names.people(1)[0],
        limits=limits,
        points=(*points, *_second_loads(cells, (a, b, c, d), start)),
        reloaded=again,
        events=events,
    )


def _ordinary(chance: random.Random, names: list[str]) -> dict[tuple[int, str], int]:
    bases = {name: chance.randint(420, 640) for name in names}
    weekday = [100, 104, 98, 101, 110, 84, 76]
    return {
        (day, name): bases[name] * (weekday[day % 7] + chance.randint(-3, 3)) // 100
        for day in range(7 * WEEKS)
        for name in names
    }


def _events(names: tuple[str, str, str, str], start: int) -> tuple[Event, ...]:
    """Return events: fitting ones, one of the wrong direction, one long before."""
    a, b, c, d = names
    told: list[tuple[int, int, str, Literal["up", "down"], str]] = [
        (4, 9, d, "up", "open house"),
        (start, start + 1, a, "up", "campaign"),
        (start + 3, start + 3, c, "down", "maintenance"),
        (start + 5, start + 5, "all", "down", "public holiday"),
        (start + 8, start + 10, d, "up", "promotion"),
        (start + 13, start + 13, b, "down", "stocktaking"),
    ]
    return tuple(
        Event(number=f"E-{n}", first=f, last=t, name=name, expected=e, what=what)
        for n, (f, t, name, e, what) in enumerate(told, 1)
    )


def _disturb(
    cells: dict[tuple[int, str], int], names: tuple[str, str, str, str], start: int
) -> None:
    """Change figures: spikes, drops, days that are missing, some within the limits."""
    a, b, c, d = names
    percent = {
        (start + 1, a): 168,  # in the campaign
        (start + 2, a): 160,  # a day after it
        (start + 3, c): 45,  # in maintenance
        (start + 9, d): 44,  # in a promotion, which should have meant more
        (start + 8, d): 171,
        (start + 11, c): 40,
        (start + 12, d): 158,
        (start + 4, b): 117,  # within every limit
        (start + 6, c): 84,
        (start + 5, a): 52,  # the holiday
        (start + 12, c): 47,
        **{(day, d): 165 for day in range(4, 10)},
    }
    for cell, share in percent.items():
        cells[cell] = cells[cell] * share // 100
    for cell in ((start + 5, b), (start + 10, a), (start + 2, d), (1, c)):
        del cells[cell]


def _second_loads(
    cells: dict[tuple[int, str], int], names: tuple[str, str, str, str], start: int
) -> list[Point]:
    """Return second loads: alike, mending a figure, and spoiling one."""
    a, b, c, d = names
    told = [
        (start + 4, c, 100),
        (start + 11, a, 210),  # was right at first
        (start + 12, c, 213),  # was wrong at first
        (start + 6, d, 100),
        (start - 3, b, 100),
    ]
    return [
        Point(day=day, name=name, value=cells[day, name] * by // 100, load=500 + n)
        for n, (day, name, by) in enumerate(told)
    ]


def _part(
    chance: random.Random, cells: dict[tuple[int, str], int], name: str, monday: int
) -> tuple[Point, ...]:
    """Make a week of a series half loaded; return what it is when it is loaded again."""
    again = []
    for place in range(5):
        right = cells[monday + place, name]
        cells[monday + place, name] = right * chance.randint(40, 48) // 100
        if place == 4:  # no figure of half a day, but too many in truth
            cells[monday + place, name], right = right, right * 162 // 100
        again.append(
            Point(day=monday + place, name=name, value=right, load=900 + place)
        )
    return tuple(again)
