"""What one payroll run is about: rules, contracts, time entries, and what changes."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    overtime: Literal["daily", "weekly", "period"]
    premium: Literal["saturday", "sunday_holiday", "late"]
    sick: Literal["full", "waiting_day", "percent"]
    allowance: Literal["meal", "travel", "grade"]
    rounding: Literal["exact", "quarter", "five"]
    contracts_in: Literal["csv", "letters", "scale"]
    sheets_in: Literal["store", "csv", "folder"]
    columns: Literal["elements", "hours", "short"]
    unit: Literal["cents", "euros"]
    order_by: Literal["number", "name", "gross"]
    record: Literal["by_department", "by_element", "control"]
    extra: Literal["unapproved", "overtime", "absences"]
    event: Literal["sheet", "rate", "approval"]
    telling: Literal["quiet", "loud", "named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What was agreed with one person."""

    number: str
    name: str
    department: str
    grade: str
    weekly_hours: int
    travel_cents: int
    """For each day worked; 0: none."""
    rate_cents: int
    """For an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a time sheet."""

    entry: str
    number: str
    day: str
    kind: Literal["work", "sick", "leave"]
    start: str
    """As `07:30`; empty for absences, as `end` is."""
    end: str
    break_min: int
    shift: Literal["D", "L", ""]
    """Day or late."""
    approved_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The figures of the policy."""

    overtime_percent: int
    daily_limit_min: int
    premium_percent: int
    late_cents: int
    """For an hour of a late shift."""
    sick_percent: int
    meal_cents: int
    grade_cents: Mapping[str, int]
    """For an hour, by grade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payroll:
    """All that this one is about."""

    facets: Facets
    rules: Rules
    first: dt.date
    """A Monday; two weeks from here are paid."""
    holiday: dt.date
    clerk: str
    contracts: tuple[Contract, ...]
    contracts_after: tuple[Contract, ...]
    entries: tuple[Entry, ...]
    entries_after: tuple[Entry, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules, for the verifier."""
        rules = asdict(self.rules)
        return {
            "facets": dict(asdict(self.facets)),
            "rules": {**rules, "grade_cents": dict(self.rules.grade_cents)},
            "holiday": self.holiday.isoformat(),
            "numbers": [one.number for one in self.contracts],
        }
