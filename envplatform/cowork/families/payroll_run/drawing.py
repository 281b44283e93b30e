"""How a payroll run is drawn, so that every rule decides something, and the change, too."""

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from envplatform.cowork.families.payroll_run.records import (
    Contract,
    Entry,
    Facets,
    Payroll,
    Rules,
)
from envplatform.cowork.words import Names

PEOPLE = 10
TRAITS = (
    *("long", "long", "long", "uneven", "saturday", "saturday", "sunday", "sunday"),
    *("late", "late", "late", "sick", "sick", "leave", "leave", "split"),
    *("unapproved", "unapproved", "unapproved", "double", "double"),
)
"""What people are drawn for; each gets two or so, none of them twice."""
GRADES = ("E1", "E2", "E3", "E4")


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        overtime=chance.choice(("daily", "weekly", "period")),
        premium=chance.choice(("saturday", "sunday_holiday", "late")),
        sick=chance.choice(("full", "waiting_day", "percent")),
        allowance=chance.choice(("meal", "travel", "grade")),
        rounding=chance.choice(("exact", "quarter", "five")),
        contracts_in=chance.choice(("csv", "letters", "scale")),
        sheets_in=chance.choice(("store", "csv", "folder")),
        columns=chance.choice(("elements", "hours", "short")),
        unit=chance.choice(("cents", "euros")),
        order_by=chance.choice(("number", "name", "gross")),
        record=chance.choice(("by_department", "by_element", "control")),
        extra=chance.choice(("unapproved", "overtime", "absences")),
        event=chance.choice(("sheet", "rate", "approval")),
        telling=chance.choice(("quiet", "loud", "named")),
    )


def draw_payroll(chance: random.Random, names: Names) -> Payroll:
    """Draw time sheets in which every rule decides something."""
    facets = draw_facets(chance)
    first = dt.date(2025, 1, 6) + dt.timedelta(weeks=chance.randrange(44))
    holiday = first + dt.timedelta(days=chance.choice((8, 10, 11)))
    contracts = _contracts(chance, names, facets)
    leads = names.people(2)
    entries = _entries(chance, contracts, first, holiday, leads)
    return Payroll(
        facets=facets,
        rules=_rules(chance),
        first=first,
        holiday=holiday,
        clerk=names.people(1)[0],
        contracts=contracts,
        contracts_after=_raised(chance, contracts, facets),
        entries=entries,
        entries_after=_mended(chance, entries, facets, leads),
    )


def _rules(chance: random.Random) -> Rules:
    low = chance.randrange(20, 60, 5)
    return Rules(
        overtime_percent=chance.choice((20, 25, 30, 50)),
        daily_limit_min=chance.choice((480, 510)),
        premium_percent=chance.choice((25, 30, 50, 60)),
        late_cents=chance.choice((120, 150, 185, 240)),
        sick_percent=chance.choice((70, 75, 80, 90)),
        meal_cents=chance.choice((450, 580, 650)),
        grade_cents={one: low + 15 * at for at, one in enumerate(GRADES)},
    )


def _contracts(
    chance: random.Random, names: Names, facets: Facets
) -> tuple[Contract, ...]:
    departments = names.some("department", 3)
    scale = {
        one: 1420 + at * 185 + chance.randrange(60) for at, one in enumerate(GRADES)
    }
    numbers = chance.sample(range(1001, 1099), PEOPLE)
    found = []
    for at, (number, name) in enumerate(
        zip(numbers, names.people(PEOPLE), strict=True)
    ):
        grade = GRADES[at % len(GRADES)]
        more = 0 if facets.contracts_in == "scale" else chance.randrange(0, 160, 5)
        found.append(
            Contract(
                number=str(number),
                name=name,
                department=departments[at % len(departments)],
                grade=grade,
                weekly_hours=chance.choice((40, 40, 35)),
                travel_cents=(0, 320, 475)[at % 3],
                rate_cents=scale[grade] + more,
            )
        )
    return tuple(sorted(found, key=lambda one: one.number))


def _entries(
    chance: random.Random,
    contracts: Sequence[Contract],
    first: dt.date,
    holiday: dt.date,
    leads: Sequence[str],
) -> tuple[Entry, ...]:
    traits = _traits(chance, contracts)
    found: list[Entry] = []
    for one in contracts:
        mine = traits[one.number]
        for offset in range(14):
            day = first + dt.timedelta(days=offset)
            found += _of_day(chance, one, day, mine, is_holiday=day == holiday)
    found = [replace(one, approved_by=chance.choice(leads)) for one in found]
    found = _unapproved(chance, found, traits)
    found += _doubles(chance, found, traits)
    found.sort(key=lambda one: (one.day, one.number, one.start))
    return tuple(
        replace(one, entry=f"T{30_100 + at * 3}") for at, one in enumerate(found)
    )


def _traits(
    chance: random.Random, contracts: Sequence[Contract]
) -> dict[str, frozenset[str]]:
    people = chance.sample([one.number for one in contracts], len(contracts))
    given: dict[str, set[str]] = {one: set() for one in people}
    for trait in TRAITS:
        free = [one for one in people if trait not in given[one]]
        chosen = min(free, key=lambda one: (len(given[one]), people.index(one)))
        given[chosen].add(trait)
    return {one: frozenset(given[one]) for one in sorted(given)}


def _of_day(
    chance: random.Random,
    one: Contract,
    day: dt.date,
    traits: frozenset[str],
    *,
    is_holiday: bool,
) -> list[Entry]:
    """Return the lines of one person and day; most have one, weekends none."""
    weekday, is_second = day.weekday(), day.isocalendar().week % 2 == 0
    weekend = {5: "saturday", 6: "sunday"}.get(weekday)
    if weekend is not None or (is_holiday and "sunday" not in traits):
        minutes = 240 + chance.randrange(60)
        return [_work(one, day, 8 * 60, minutes, 0)] if weekend in traits else []
    if "sick" in traits and weekday in {1, 2}:
        return [] if is_second else [_absent(one, day, "sick")]
    if "leave" in traits and weekday == 4:
        return [_absent(one, day, "leave")]
    return _of_workday(chance, one, day, traits)


def _of_workday(
    chance: random.Random, one: Contract, day: dt.date, traits: frozenset[str]
) -> list[Entry]:
    weekday, is_second = day.weekday(), day.isocalendar().week % 2 == 0
    minutes = one.weekly_hours * 12 + chance.randint(-12, 6)
    if "long" in traits and weekday < 3:
        minutes += 120 + chance.randrange(25)
    if "uneven" in traits:
        minutes += -80 if is_second else 95
    if "split" in traits and weekday == 3:
        half = minutes // 2
        return [
            _work(one, day, 6 * 60 + 30, half, 0),
            _work(one, day, 14 * 60, minutes - half + 40, 0),
        ]
    if "late" in traits and (weekday + is_second) % 2:
        return [replace(_work(one, day, 12 * 60, minutes, 30), shift="L")]
    return [_work(one, day, 7 * 60 + chance.randrange(50), minutes, 30)]


def _work(
    one: Contract, day: dt.date, start_min: int, minutes: int, break_min: int
) -> Entry:
    return Entry(
        entry="",
        number=one.number,
        day=day.isoformat(),
        kind="work",
        start=_clock(start_min),
        end=_clock(start_min + minutes + break_min),
        break_min=break_min,
        shift="D",
        approved_by="",
    )


def _absent(one: Contract, day: dt.date, kind: Literal["sick", "leave"]) -> Entry:
    return replace(
        _work(one, day, 0, 0, 0), kind=kind, start="", end="", break_min=0, shift=""
    )


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _unapproved(
    chance: random.Random, entries: Sequence[Entry], traits: dict[str, frozenset[str]]
) -> list[Entry]:
    chosen: set[int] = set()
    for number, mine in traits.items():
        if "unapproved" in mine:
            own = [
                at
                for at, one in enumerate(entries)
                if one.number == number and one.kind == "work"
            ]
            chosen.update(chance.sample(own, 2))
    return [
        replace(one, approved_by="") if at in chosen else one
        for at, one in enumerate(entries)
    ]


def _doubles(
    chance: random.Random, entries: Sequence[Entry], traits: dict[str, frozenset[str]]
) -> list[Entry]:
    return [
        chance.choice(
            [
                one
                for one in entries
                if one.number == number and one.approved_by and one.kind == "work"
            ]
        )
        for number, mine in traits.items()
        if "double" in mine
    ]


def _raised(
    chance: random.Random, contracts: Sequence[Contract], facets: Facets
) -> tuple[Contract, ...]:
    """Return the contracts after a pay rise: of a grade, or of three people."""
    if facets.event != "rate":
        return tuple(contracts)
    more, grade = chance.randrange(35, 95, 5), contracts[2].grade
    people = {one.number for one in contracts[2:8:2]}
    return tuple(
        replace(one, rate_cents=one.rate_cents + more)
        if (
            one.grade == grade
            if facets.contracts_in == "scale"
            else one.number in people
        )
        else one
        for one in contracts
    )


def _mended(
    chance: random.Random,
    entries: Sequence[Entry],
    facets: Facets,
    leads: Sequence[str],
) -> tuple[Entry, ...]:
    """Return the entries after corrections, or after some were approved."""
    alike = [(one.number, one.day) for one in entries]
    free = [
        at
        for at, one in enumerate(entries)
        if one.kind == "work" and alike.count((one.number, one.day)) == 1
    ]
    found = list(entries)
    if facets.event == "approval":
        open_ones = [at for at in free if not entries[at].approved_by]
        for at in open_ones[: max(1, len(open_ones) - 1)]:
            found[at] = replace(entries[at], approved_by=leads[0])
    if facets.event == "sheet":
        for at in chance.sample([at for at in free if entries[at].approved_by], 4):
            hour, minute = map(int, entries[at].end.split(":"))
            end = hour * 60 + minute + chance.choice((-150, -120, 75, 90))
            found[at] = replace(entries[at], end=_clock(end))
    return tuple(found)
