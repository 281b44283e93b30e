"""What one planning is made of: facets, items, people, absences, the change."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    trade: Literal["software", "maintenance", "marketing"]
    weeks: Literal["one", "two", "three"]
    order: Literal["smaller", "older", "value"]
    """Which item's turn comes first."""
    depends: Literal["taken_before", "done_only", "first_ready"]
    skills: Literal["any", "main_first", "main_only"]
    chooses: Literal["most_free", "roster", "fewest_items"]
    """Who of several gets an item."""
    away: Literal["all", "approved", "training_half"]
    """Which absences count."""
    items_in: Literal["csv", "store", "tickets"]
    absences_in: Literal["csv", "calendar"]
    root: str
    """Folder of what is served."""
    listed: Literal["taken", "all"]
    rows: Literal["turn", "person", "item"]
    """How the table is sorted."""
    load: Literal["csv", "json", "percent"]
    left: Literal["csv", "json", "txt"]
    extra: Literal["none", "skills", "note"]
    event: Literal["absence", "estimate", "part_time"]
    telling: Literal["quiet", "at_once"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of work."""

    number: str
    title: str
    skill: str
    priority: int
    """1 is first."""
    hours: int
    value: int
    created: str
    depends_on: tuple[str, ...]
    status: Literal["open", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One member of the team."""

    name: str
    hours_a_day: int
    skills: tuple[str, ...]
    """The main one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Whole days, both ends included."""

    name: str
    first: str
    last: str
    kind: Literal["leave", "training"]
    status: Literal["approved", "requested"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the user changes: an absence, an estimate, or hours a day."""

    name: str
    """Of a person or an item."""
    before: int
    after: int
    absence: Absence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """All that this one is about."""

    facets: Facets
    lead: str
    """The user inside."""
    start: str
    end: str
    closed: tuple[str, ...]
    """Days on which nobody works."""
    reserve: int
    """Percent of the hours that are held back."""
    items: tuple[Item, ...]
    people: tuple[Person, ...]
    absences: tuple[Absence, ...]
    change: Change

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules, and what the user does."""
        change = self.change
        return {
            "facets": dict(asdict(self.facets)),
            "start": self.start,
            "end": self.end,
            "closed": list(self.closed),
            "reserve": self.reserve,
            "changed": change.name,
            "before": change.before,
        }
