"""What is drawn: register rules, contracts, amendments."""

import datetime as dt
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CASES = (
    *("renews", "renews", "renews", "renews", "twice", "draft"),
    *("ends", "ends", "later", "open", "open", "no_start", "no_notice"),
)
"""What each contract is drawn for; the middle ones have amendments."""
SUBJECTS = (
    "software licence",
    "maintenance of machinery",
    "lease of office space",
    "cleaning services",
    "supply of energy",
)
THRESHOLD = 5000
Unit = Literal["months", "weeks", "days"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    amendments: Literal["signed", "effective", "both"]
    """Which amendments count."""
    due: Literal["plain", "working_day", "margin"]
    columns: Literal["dates", "full", "action"]
    unknown: Literal["last", "first", "apart"]
    """Where contracts stand whose day is unknown; `apart`: not in the table."""
    which: Literal["all", "no_open", "fee"]
    record: Literal["by_month", "by_owner", "next"]
    unclear: Literal["csv", "json", "txt"]
    layout: Literal["clauses", "headed", "prose"]
    kept_in: Literal["folder", "beside", "list"]
    """Where amendments lie: a folder of their own, among contracts, one document."""
    owners_in: Literal["rules", "csv"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One contract as it was signed. The fee in euros a year."""

    number: str
    party: str
    subject: str
    kind: Literal["renews", "ends", "open"]
    start: dt.date
    term_months: int
    renewal_months: int
    notice: int
    unit: Unit
    fee: int
    missing: Literal["start", "notice", ""] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """One change of a contract."""

    number: str
    contract: str
    day: dt.date
    effective: dt.date
    changes: Literal["term", "notice"]
    months: int
    is_signed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """All that this one is about."""

    facets: Facets
    today: dt.date
    review_days: int
    margin_days: int
    owners: Mapping[str, str]
    """Department by subject."""
    signers: tuple[str, ...]
    contracts: tuple[Contract, ...]
    amendments: tuple[Amendment, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules, for the verifier."""
        return {
            "facets": dict(asdict(self.facets)),
            "today": self.today.isoformat(),
            "review_days": self.review_days,
            "margin_days": self.margin_days,
            "owners": dict(self.owners),
            "contracts": [one.number for one in self.contracts],
            "amendments": [one.number for one in self.amendments],
            "threshold": THRESHOLD,
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        amendments=chance.choice(("signed", "effective", "both")),
        due=chance.choice(("plain", "working_day", "margin")),
        columns=chance.choice(("dates", "full", "action")),
        unknown=chance.choice(("last", "first", "apart")),
        which=chance.choice(("all", "no_open", "fee")),
        record=chance.choice(("by_month", "by_owner", "next")),
        unclear=chance.choice(("csv", "json", "txt")),
        layout=chance.choice(("clauses", "headed", "prose")),
        kept_in=chance.choice(("folder", "beside", "list")),
        owners_in=chance.choice(("rules", "csv")),
    )


def draw_archive(chance: random.Random, names: Names) -> Archive:
    """Draw contracts in which every rule decides something."""
    today = dt.date(2025, 2, 3) + dt.timedelta(days=chance.randrange(250))
    departments = names.some("department", 3)
    cases = chance.sample(CASES, len(CASES))
    parties = names.companies(len(CASES))
    numbers = sorted(chance.sample(range(101, 180), len(CASES)))
    contracts = [
        _contract(chance, case, f"C-{number}", party, today)
        for case, number, party in zip(cases, numbers, parties, strict=True)
    ]
    return Archive(
        facets=draw_facets(chance),
        today=today,
        review_days=chance.choice((45, 60, 90)),
        margin_days=chance.choice((5, 10, 14)),
        owners={one: departments[at % 3] for at, one in enumerate(SUBJECTS)},
        signers=tuple(names.people(4)),
        contracts=tuple(contracts),
        amendments=_amendments(chance, cases, contracts, today),
    )


def _contract(
    chance: random.Random, case: str, number: str, party: str, today: dt.date
) -> Contract:
    kind: Literal["renews", "ends", "open"] = "renews"
    if case in {"ends", "later"}:
        kind = "ends"
    elif case == "open":
        kind = "open"
    years = chance.choice((2, 3, 4)) if kind != "ends" else 1
    start = dt.date(
        today.year - years, chance.randint(1, 12), chance.choice((1, 1, 15))
    )
    is_amended = case in {"twice", "draft", "later"}
    low, high = (60, 240) if is_amended or kind == "open" else (12, 200)
    units: tuple[Unit, ...] = ("months", "months", "weeks", "days")
    unit = chance.choice(units)
    notice = {"months": (2, 3, 4), "weeks": (4, 6, 8), "days": (30, 45, 60)}[unit]
    missing = {"no_start": "start", "no_notice": "notice"}.get(case, "")
    return Contract(
        number=number,
        party=party,
        subject=chance.choice(SUBJECTS),
        kind=kind,
        start=start,
        term_months=36 if kind == "ends" else chance.choice((12, 24)),
        renewal_months=12,
        notice=chance.choice(notice),
        unit="months" if is_amended else unit,
        fee=100 * chance.randint(low, high),
        missing="start" if missing == "start" else "notice" if missing else "",
    )


def _amendments(
    chance: random.Random, cases: list[str], contracts: list[Contract], today: dt.date
) -> tuple[Amendment, ...]:
    """Return two for one contract, a draft that is in effect, and a signed later one."""
    at = {case: one.number for case, one in zip(cases, contracts, strict=True)}
    past = [today - dt.timedelta(days=days) for days in (400, 220, 100)]
    soon = today + dt.timedelta(days=chance.randint(20, 60))
    drawn = [
        (at["twice"], past[0], past[0], "notice", 6, True),
        (at["twice"], past[1], past[1], "notice", 4, True),
        (at["draft"], past[2], past[2], "notice", 5, False),
        (at["later"], past[2], soon, "term", 48, True),
        (at["ends"], past[0], past[0], "term", 42, True),
    ]
    numbers = sorted(chance.sample(range(11, 60), len(drawn)))
    return tuple(
        Amendment(
            number=f"A-{number}",
            contract=contract,
            day=day,
            effective=effective,
            changes="term" if changes == "term" else "notice",
            months=months,
            is_signed=is_signed,
        )
        for number, (contract, day, effective, changes, months, is_signed) in zip(
            numbers, chance.sample(drawn, len(drawn)), strict=True
        )
    )
