"""What is drawn: a tender with its rules, and the bids that came in."""

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CASES = (
    *("fine",) * 8,
    *("late", "uncertified", "dear", "uncertified", "third", "third"),
)
"""What bids are drawn for; `third` falls under the exclusion that is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    price: Literal["ratio", "range", "steps"]
    time: Literal["per_week", "ratio", "limits"]
    quality: Literal["references", "ratings", "warranty"]
    cost: Literal["discount", "upkeep", "plain"]
    third: Literal["warranty", "references", "validity"]
    rounding: Literal["each", "total"]
    bids_in: Literal["letters", "forms", "table"]
    order_by: Literal["rank", "bid", "company"]
    award: Literal["one", "two", "shortlist"]
    excluded_in: Literal["file", "memo"]
    gist: Literal["lead", "cheapest", "spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """One bid. Amounts in cents."""

    number: str
    company: str
    received: dt.date
    unit_cents: int
    setup_cents: int
    freight_cents: int
    discount_percent: int
    upkeep_cents: int
    """A year."""
    weeks: int
    warranty_months: int
    references: int
    certificate: str
    """Number; empty: none is enclosed."""
    valid_days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tender:
    """All that this one is about."""

    facets: Facets
    item: str
    quantity: int
    deadline: dt.date
    budget_cents: int
    weights: tuple[int, int, int]
    """Percent of price, time and quality."""
    least: int
    """Of the third exclusion: months, references or days."""
    years: int
    ratings: Mapping[str, str]
    """Grade of earlier work by company; new ones have none."""
    bids: tuple[Bid, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules."""
        return {
            "facets": dict(asdict(self.facets)),
            "quantity": self.quantity,
            "deadline": self.deadline.isoformat(),
            "budget_cents": self.budget_cents,
            "weights": list(self.weights),
            "least": self.least,
            "years": self.years,
            "ratings": dict(self.ratings),
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant; nothing is both scored and a reason to exclude."""
    scored: tuple[Literal["references", "ratings", "warranty"], ...]
    scored = ("references", "ratings", "warranty")
    thirds: tuple[Literal["references", "validity", "warranty"], ...]
    thirds = ("references", "validity", "warranty")
    quality = chance.choice(scored)
    return Facets(
        price=chance.choice(("ratio", "range", "steps")),
        time=chance.choice(("per_week", "ratio", "limits")),
        quality=quality,
        cost=chance.choice(("discount", "upkeep", "plain")),
        third=chance.choice([one for one in thirds if one != quality]),
        rounding=chance.choice(("each", "total")),
        bids_in=chance.choice(("letters", "forms", "table")),
        order_by=chance.choice(("rank", "bid", "company")),
        award=chance.choice(("one", "two", "shortlist")),
        excluded_in=chance.choice(("file", "memo")),
        gist=chance.choice(("lead", "cheapest", "spread")),
    )


def draw_tender(chance: random.Random, names: Names) -> Tender:
    """Draw a tender in which every rule decides something."""
    facets = draw_facets(chance)
    deadline = dt.date(2025, 3, 7) + dt.timedelta(weeks=chance.randrange(30))
    quantity = chance.randrange(80, 300, 10)
    base = chance.randint(6_000, 24_000)
    years = chance.randint(2, 5)
    least = {"warranty": 24, "references": 3, "validity": 60}[facets.third]
    companies = names.suppliers(len(CASES))
    bids = [
        _bid(chance, case, company, base, deadline, facets)
        for case, company in zip(CASES, companies, strict=True)
    ]
    # A cent or two of freight: no two prices are the same, so the lowest is one bid's.
    bids = [
        replace(one, freight_cents=one.freight_cents + at)
        for at, one in enumerate(bids)
    ]
    bids = chance.sample(bids, len(bids))
    budget = base * quantity * 13 // 10 + (years + 1) * 100_000
    price = chance.choice((40, 45, 50, 55))
    time = chance.choice((15, 20, 25))
    return Tender(
        facets=facets,
        item=names.products(1)[0],
        quantity=quantity,
        deadline=deadline,
        budget_cents=budget - budget % 100_000,
        weights=(price, time, 100 - price - time),
        least=least,
        years=years,
        ratings={one: chance.choice("ABC") for one in chance.sample(companies, 9)},
        bids=_numbered(bids),
    )


def _bid(
    chance: random.Random,
    case: str,
    company: str,
    base: int,
    deadline: dt.date,
    facets: Facets,
) -> Bid:
    day = deadline - dt.timedelta(days=chance.randint(1, 18))
    one = Bid(
        number="",
        company=company,
        received=day,
        unit_cents=base * chance.randint(780, 1080) // 1000,
        setup_cents=chance.choice((0, 15_000, 40_000, 65_000)),
        freight_cents=chance.choice((4_520, 9_540, 18_060, 31_980)),
        discount_percent=chance.choice((1, 2, 3, 4)),
        upkeep_cents=chance.randrange(12_000, 90_000, 500),
        weeks=chance.randint(2, 14),
        warranty_months=chance.choice((24, 30, 36, 48, 60)),
        references=chance.randint(3, 9),
        certificate=f"QM-{chance.randint(10_000, 99_999)}",
        valid_days=chance.choice((60, 90, 120)),
    )
    match case:
        case "late":
            return replace(one, received=deadline + dt.timedelta(days=3))
        case "uncertified":
            return replace(one, certificate="", unit_cents=base * 74 // 100)
        case "dear":
            return replace(one, unit_cents=base * 3)
        case "third":
            cheap = replace(
                one,
                unit_cents=base * 62 // 100,
                setup_cents=0,
                freight_cents=0,
                upkeep_cents=11_000,
                weeks=2,
            )
            return {
                "warranty": replace(cheap, warranty_months=12),
                "references": replace(cheap, references=2),
                "validity": replace(cheap, valid_days=30),
            }[facets.third]
        case _:
            return one


def _numbered(bids: Sequence[Bid]) -> tuple[Bid, ...]:
    """Return bids by the day on which they came, numbered."""
    days = sorted(bids, key=lambda one: one.received)
    return tuple(replace(one, number=f"B{at:02}") for at, one in enumerate(days, 1))
