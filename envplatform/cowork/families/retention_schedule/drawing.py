"""What is drawn: retention rules, records, legal holds, and the hold that changes."""

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CLASSES = {
    "invoices": 8,
    "contracts": 10,
    "applications": 1,
    "travel expenses": 6,
    "quality reports": 5,
    "correspondence": 3,
}
"""Years by class."""
UNRULED = "audio recordings"
"""A class that the rules do not name."""
RECORDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    begins: Literal["closed", "year_end", "month_end"]
    in_use: Literal["keep", "review", "created"]
    special: Literal["personal", "historic", "site"]
    scope: Literal["class_department", "department", "project"]
    columns: Literal["short", "full", "plan"]
    order_by: Literal["record", "date", "department"]
    listed: Literal["all", "no_keep", "dated"]
    overview: Literal["by_department", "by_year", "boxes"]
    extra: Literal["held", "orders", "gone"]
    records_in: Literal["store", "csv"]
    holds_in: Literal["folder", "list"]
    event: Literal["new", "wider", "released"]
    telling: Literal["quiet", "loud", "named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One file of records, in boxes. Days are ISO; `closed` is empty while in use."""

    record: str
    title: str
    kind: str
    department: str
    project: str
    site: str
    created: str
    closed: str
    personal: Literal["yes", "no"]
    historic: Literal["yes", "no"]
    boxes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One legal hold; covers records of its scope created from `first` to `last`."""

    number: str
    matter: str
    kind: str
    department: str
    project: str
    first: str
    last: str
    released: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """All that this one is about."""

    facets: Facets
    today: dt.date
    clerk: str
    years: Mapping[str, int]
    special_years: int
    special_site: str
    review_years: int
    records: tuple[Record, ...]
    holds: tuple[Hold, ...]
    holds_after: tuple[Hold, ...]
    """The same, and perhaps one more at the end."""

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules, for the verifier."""
        return {
            "facets": dict(asdict(self.facets)),
            "today": self.today.isoformat(),
            "years": dict(self.years),
            "special_years": self.special_years,
            "special_site": self.special_site,
            "review_years": self.review_years,
            "holds": [one.number for one in self.holds_after],
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        begins=chance.choice(("closed", "year_end", "month_end")),
        in_use=chance.choice(("keep", "review", "created")),
        special=chance.choice(("personal", "historic", "site")),
        scope=chance.choice(("class_department", "department", "project")),
        columns=chance.choice(("short", "full", "plan")),
        order_by=chance.choice(("record", "date", "department")),
        listed=chance.choice(("all", "no_keep", "dated")),
        overview=chance.choice(("by_department", "by_year", "boxes")),
        extra=chance.choice(("held", "orders", "gone")),
        records_in=chance.choice(("store", "csv")),
        holds_in=chance.choice(("folder", "list")),
        event=chance.choice(("new", "wider", "released")),
        telling=chance.choice(("quiet", "loud", "named")),
    )


def draw_archive(chance: random.Random, names: Names) -> Archive:
    """Draw records and holds in which every rule decides something."""
    facets = draw_facets(chance)
    today = dt.date(2025, 3, 3) + dt.timedelta(days=chance.randrange(250))
    sites = names.some("city", 3)
    departments, projects = names.some("department", 3), names.some("project", 4)
    parties, clerk = names.companies(4), names.people(1)[0]
    years = {one: years + chance.choice((0, 0, 1)) for one, years in CLASSES.items()}
    special_years, review_years = chance.choice((2, 3)), chance.choice((4, 5))
    while True:
        records = _records(chance, departments, projects, sites, today)
        holds, after = _holds(chance, facets, records, parties, today)
        archive = Archive(
            facets=facets,
            today=today,
            clerk=clerk,
            years=years,
            special_years=special_years,
            special_site=sites[0],
            review_years=review_years,
            records=records,
            holds=holds,
            holds_after=after,
        )
        if _matters(archive) and is_special(archive):
            return archive


def covers(hold: Hold, record: Record, facets: Facets) -> bool:
    """Whether a hold in force covers a record."""
    is_meant = {
        "class_department": (hold.kind, hold.department)
        == (record.kind, record.department),
        "department": hold.department == record.department,
        "project": hold.project == record.project,
    }[facets.scope]
    in_time = hold.first <= record.created <= hold.last
    return is_meant and in_time and not hold.released


def _records(
    chance: random.Random,
    departments: Sequence[str],
    projects: Sequence[str],
    sites: Sequence[str],
    today: dt.date,
) -> tuple[Record, ...]:
    kinds = [*CLASSES, *CLASSES, "correspondence", "invoices", "contracts", UNRULED]
    numbers = sorted(chance.sample(range(2010, 2400), RECORDS))
    found = []
    for at, number in enumerate(numbers):
        kind = UNRULED if at in {4, 19} else chance.choice(kinds[:-1])
        created = today - dt.timedelta(days=chance.randint(700, 4600))
        closed = created + dt.timedelta(days=chance.randint(30, 640))
        department = departments[at % 3]
        found.append(
            Record(
                record=f"R-{number}",
                title=f"{kind[:1].upper()}{kind[1:]} {department} {created.year}",
                kind=kind,
                department=department,
                project=chance.choice(projects),
                site=sites[at % 3 if at % 2 else chance.randrange(3)],
                created=_safe(created).isoformat(),
                closed="" if at % 6 == 2 else _safe(closed).isoformat(),
                personal=chance.choice(("yes", "no")),
                historic=chance.choice(("yes", "no")),
                boxes=chance.randint(1, 14),
            )
        )
    return tuple(found)


def _safe(day: dt.date) -> dt.date:
    return day.replace(day=min(day.day, 28))


def _holds(
    chance: random.Random,
    facets: Facets,
    records: Sequence[Record],
    parties: Sequence[str],
    today: dt.date,
) -> tuple[tuple[Hold, ...], tuple[Hold, ...]]:
    anchors = chance.sample(list(records), 4)
    drawn = []
    for at, (one, party) in enumerate(zip(anchors, parties, strict=True)):
        year = int(one.created[:4])
        drawn.append(
            Hold(
                number=f"H-{chance.randint(1, 8) + at * 9:02}",
                matter=f"{party} against us",
                kind=one.kind,
                department=one.department,
                project=one.project,
                first=f"{year - chance.randint(1, 3)}-01-01",
                last=f"{year + chance.randint(0, 2)}-12-31",
            )
        )
    before = today - dt.timedelta(days=chance.randint(30, 500))
    drawn[1] = replace(drawn[1], released=before.isoformat())
    first, gone, third, new = drawn
    holds = (first, gone, third)
    match facets.event:
        case "new":
            return holds, (*holds, new)
        case "wider":
            wide = replace(first, first="2010-01-01", last=f"{today.year}-12-31")
            return holds, (wide, gone, third)
        case _:
            lifted = replace(first, released=today.isoformat())
            return holds, (lifted, gone, third)


def _matters(archive: Archive) -> bool:
    """Whether the change moves two records, and the released hold would cover one more."""
    after, records = archive.holds_after, archive.records
    was, now = (_held(some, records, archive.facets) for some in (archive.holds, after))
    revived = [replace(one, released="") for one in after]
    more = _held(revived, records, archive.facets) - now
    return len(was ^ now) > 1 and bool(more) and bool(now)


def is_special(archive: Archive) -> bool:
    """Whether the special rule decides on two records that no hold covers."""
    held = _held(archive.holds_after, archive.records, archive.facets)
    free = [
        one
        for one in archive.records
        if one.closed and one.kind in archive.years and one.record not in held
    ]
    return sum(_is_decided(one, archive) for one in free) > 1


def _is_decided(record: Record, archive: Archive) -> bool:
    years, special = archive.years[record.kind], archive.special_years
    is_over = _is_over(record, years, archive)
    match archive.facets.special:
        case "historic":
            return is_over and record.historic == "yes"
        case "personal":
            shorter = min(years, special)
            is_meant = record.personal == "yes"
            return is_meant and is_over != _is_over(record, shorter, archive)
    is_meant = record.site == archive.special_site
    return is_meant and is_over != _is_over(record, years + special, archive)


def _is_over(record: Record, years: int, archive: Archive) -> bool:
    """Whether the period of a closed record has ended before today."""
    end = dt.date.fromisoformat(record.closed)
    end = end.replace(year=end.year + years)
    if archive.facets.begins == "year_end":
        end = dt.date(end.year, 12, 31)
    elif archive.facets.begins == "month_end":
        end = (end.replace(day=1) + dt.timedelta(days=31)).replace(day=1)
        end -= dt.timedelta(days=1)
    return end < archive.today


def _held(
    holds: Sequence[Hold], records: Sequence[Record], facets: Facets
) -> frozenset[str]:
    closed = [one for one in records if one.closed and one.kind != UNRULED]
    return frozenset(
        one.record for one in closed for hold in holds if covers(hold, one, facets)
    )
