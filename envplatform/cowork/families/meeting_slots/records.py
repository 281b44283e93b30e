"""What one round of meetings is made of: facets, people, rooms, requests, calendars."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    turns: Literal["listed", "longest", "people"]
    """Which meeting is placed first."""
    grid: Literal["quarter", "half", "hour"]
    """When meetings may begin."""
    lunch: Literal["none", "office", "own"]
    gap: Literal["none", "15", "30"]
    """Minutes between two things of one person."""
    tentative: Literal["busy", "free"]
    rooms: Literal["smallest", "listed", "fewest"]
    calendars: Literal["files", "service"]
    clock: Literal["office", "own"]
    """In which time a calendar is kept."""
    shown: Literal["office", "utc"]
    rows: Literal["start", "meeting", "room"]
    invites: Literal["files", "one", "json"]
    says: Literal["none", "local", "minutes"]
    """What an invitation says besides."""
    unplaced: Literal["txt", "json"]
    extra: Literal["none", "people"]
    untold: Literal["person", "day", "length"]
    trigger: Literal["calendars", "rooms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody of the house."""

    name: str
    city: str
    offset: int
    """Hours ahead of UTC."""
    begins: int
    """Hour of local time at which work begins; it lasts for eight hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One room."""

    name: str
    seats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """When somebody or a room is taken; minutes of the day, in the time of the office."""

    who: str
    day: str
    start: int
    end: int
    what: str
    is_tentative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """What is to be placed."""

    number: str
    title: str
    minutes: int
    people: tuple[str, ...]
    guests: int
    """From outside; they need a seat and no calendar."""
    first: str
    """Earliest day."""
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """All that this one is about."""

    facets: Facets
    host: str
    """The user inside."""
    office: int
    """Hours of the office's time ahead of UTC."""
    days: tuple[str, ...]
    people: tuple[Person, ...]
    rooms: tuple[Room, ...]
    meetings: tuple[Meeting, ...]
    calendar: tuple[Busy, ...]
    bookings: tuple[Busy, ...]
    settled: str
    """A meeting for which there is a place, whatever else is drawn."""
    added: tuple[str, str]
    """Meeting and person who must be there, if that is untold."""
    longer: tuple[str, int]
    """Meeting and its real minutes, if that is untold."""

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules, and what only the user knows."""
        untold: dict[str, Json] = {
            "person": {"meeting": self.added[0], "person": self.added[1]},
            "day": {"day": self.days[0]},
            "length": {"meeting": self.longer[0], "minutes": self.longer[1]},
        }
        return {
            "facets": dict(asdict(self.facets)),
            "office": self.office,
            "days": list(self.days),
            "settled": self.settled,
            "untold": untold[self.facets.untold],
        }
