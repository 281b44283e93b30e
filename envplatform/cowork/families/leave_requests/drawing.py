"""What is drawn: leave rules, staff, requests."""

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

TRAITS = (
    *("late", "late", "late", "blocked", "blocked", "blocked", "blocked"),
    *("long", "long", "long", *("plain",) * 16),
)
"""What requests are drawn for; the order is drawn."""
TEAM = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    turn: Literal["submitted", "seniority", "longest"]
    """Whose request is looked at first."""
    counted: Literal["workdays", "six_days", "calendar"]
    coverage: Literal["most_off", "least_present", "deputy"]
    conflict: Literal["rejected", "waitlist", "refer"]
    exempt: Literal["nobody", "parents", "seniors"]
    """For whom blocked weeks do not hold."""
    columns: Literal["short", "full", "person"]
    order_by: Literal["request", "person", "first"]
    balances: Literal["csv", "json", "changed"]
    extra: Literal["calendar", "letters", "teams"]
    requests_in: Literal["csv", "store", "mails"]
    blocked_in: Literal["policy", "csv"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One of the staff."""

    number: str
    name: str
    team: str
    since: str
    balance: int
    parent: Literal["yes", "no"]
    deputy: str
    """The number of whoever stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request; days are ISO, the first and last day of leave included."""

    request: str
    number: str
    submitted: str
    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """All that this one is about."""

    facets: Facets
    notice_days: int
    most_off: int
    senior_years: int
    monday: dt.date
    """The first one of the season."""
    holidays: tuple[str, ...]
    blocked: Mapping[str, tuple[str, ...]]
    """Mondays of the weeks in which a team takes no leave."""
    staff: tuple[Person, ...]
    requests: tuple[Request, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules, for the verifier."""
        return {
            "facets": dict(asdict(self.facets)),
            "notice_days": self.notice_days,
            "most_off": self.most_off,
            "team": TEAM,
            "senior_before": f"{self.monday.year - self.senior_years}-01-01",
            "holidays": list(self.holidays),
            "blocked": {team: list(days) for team, days in self.blocked.items()},
            "requests": [one.request for one in self.requests],
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        turn=chance.choice(("submitted", "seniority", "longest")),
        counted=chance.choice(("workdays", "six_days", "calendar")),
        coverage=chance.choice(("most_off", "least_present", "deputy")),
        conflict=chance.choice(("rejected", "waitlist", "refer")),
        exempt=chance.choice(("nobody", "parents", "seniors")),
        columns=chance.choice(("short", "full", "person")),
        order_by=chance.choice(("request", "person", "first")),
        balances=chance.choice(("csv", "json", "changed")),
        extra=chance.choice(("calendar", "letters", "teams")),
        requests_in=chance.choice(("csv", "store", "mails")),
        blocked_in=chance.choice(("policy", "csv")),
    )


def draw_office(chance: random.Random, names: Names) -> Office:
    """Draw an office; whether every rule decides something `deciding` tells."""
    monday = dt.date(2025, 4, 7) + dt.timedelta(weeks=chance.randrange(24))
    teams = names.some("department", 3)
    office = Office(
        facets=draw_facets(chance),
        notice_days=chance.choice((14, 21)),
        most_off=1,
        senior_years=chance.choice((8, 10)),
        monday=monday,
        holidays=tuple(
            (monday + dt.timedelta(days=days)).isoformat()
            for days in sorted(chance.sample((17, 30, 38, 52, 60), 3))
        ),
        blocked={},
        staff=_staff(chance, names, teams, monday.year),
        requests=(),
    )
    return with_requests(chance, office)


def with_requests(chance: random.Random, office: Office) -> Office:
    """Return the office with other requests and blocked weeks."""
    teams = list(dict.fromkeys(one.team for one in office.staff))
    weeks = {team: sorted(chance.sample(range(3, 10), 2)) for team in teams}
    return replace(
        office,
        blocked={
            team: tuple(
                (office.monday + dt.timedelta(weeks=at)).isoformat() for at in mine
            )
            for team, mine in weeks.items()
        },
        requests=_requests(chance, office.staff, weeks, office.monday),
    )


def _staff(
    chance: random.Random, names: Names, teams: Sequence[str], year: int
) -> tuple[Person, ...]:
    numbers = [str(one) for one in sorted(chance.sample(range(201, 299), TEAM * 3))]
    people = names.people(TEAM * 3)
    low = set(chance.sample(range(TEAM * 3), 4))
    sinces = chance.sample(range(365 * 18), TEAM * 3)
    found = []
    for at, (number, name) in enumerate(zip(numbers, people, strict=True)):
        since = dt.date(year - 19, 1, 1) + dt.timedelta(days=sinces[at])
        deputy = numbers[(at // TEAM) * TEAM + (at % TEAM ^ 1)]
        found.append(
            Person(
                number=number,
                name=name,
                team=teams[at // TEAM],
                since=since.isoformat(),
                balance=chance.randint(2, 4) if at in low else chance.randint(12, 28),
                parent="yes" if at % 5 == 0 else "no",
                deputy=deputy,
            )
        )
    return tuple(found)


def _requests(
    chance: random.Random,
    staff: Sequence[Person],
    weeks: Mapping[str, Sequence[int]],
    monday: dt.date,
) -> tuple[Request, ...]:
    """Return two or so for everybody, in weeks that do not overlap for one person."""
    traits = chance.sample(TRAITS, len(TRAITS))
    taken: dict[str, set[int]] = {one.number: set() for one in staff}
    drawn: list[tuple[dt.date, str, dt.date, dt.date]] = []
    for at, trait in enumerate(traits):
        one = staff[at % len(staff)]
        free = [week for week in range(2, 11) if week not in taken[one.number]]
        if trait == "blocked":
            free = [week for week in weeks[one.team] if week in free] or free
        week = chance.choice(free)
        theirs = [other for _, person, other, _ in drawn if person == one.deputy]
        mate = [(day - monday).days // 7 for day in theirs]
        if at >= len(staff) and trait == "plain" and set(mate) & set(free):
            week = next(week for week in mate if week in free)
        taken[one.number] |= {week - 1, week, week + 1}
        start = chance.choice((0, 0, 1, 2))
        length = 11 if trait == "long" else chance.randint(3, 5 - start)
        first = monday + dt.timedelta(weeks=week, days=start if length < 9 else 0)
        before = chance.randint(3, 11) if trait == "late" else chance.randint(25, 70)
        submitted = first - dt.timedelta(days=before)
        last = first + dt.timedelta(days=length - 1)
        drawn.append((submitted, one.number, first, last))
    drawn.sort()
    numbers = sorted(chance.sample(range(300, 600), len(drawn)))
    return tuple(
        Request(
            request=f"L-{number}",
            number=person,
            submitted=submitted.isoformat(),
            first=first.isoformat(),
            last=last.isoformat(),
        )
        for number, (submitted, person, first, last) in zip(numbers, drawn, strict=True)
    )
