"""What one of this family is about: articles, a customer, a request, terms."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    prices_in: Literal["csv", "store", "service"]
    named_by: Literal["sku", "name", "own_number"]
    volume: Literal["position", "group", "order"]
    combining: Literal["add", "chain", "best"]
    rounding: Literal["unit", "line"]
    freight: Literal["weight", "flat", "percent"]
    gone: Literal["omit", "successor"]
    untold: Literal["discount", "place", "quantity"]
    positions: Literal["short", "full", "list"]
    order_by: Literal["request", "article", "amount"]
    record: Literal["totals", "lines", "by_group"]
    validity: Literal["days_14", "days_30", "month_end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One line of the price list."""

    sku: str
    name: str
    group: str
    list_cents: int
    weight_g: int
    terms: str
    """`standard`, or `net`: no discount of any kind."""
    successor: str
    """Empty: it is sold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One line of the customer list."""

    number: str
    name: str
    grade: str
    city: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One position of the request."""

    sku: str
    """Empty: we don't have it."""
    called: str
    """What the customer calls it."""
    quantity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """Freight to one zone."""

    number: int
    cities: tuple[str, ...]
    base_cents: int
    """Flat rate, base rate or least amount, as the rule has it."""
    per_kg_cents: int
    percent: int
    free_from_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """All that this one is about."""

    facets: Facets
    today: dt.date
    clerk: str
    contact: str
    customer: Customer
    customers: tuple[Customer, ...]
    articles: tuple[Article, ...]
    own_numbers: Mapping[str, str]
    """The customer's number of an article, by SKU."""
    wishes: tuple[Wish, ...]
    zones: tuple[Zone, ...]
    grades: Mapping[str, int]
    """Percent by grade of customer."""
    steps: tuple[tuple[int, int], ...]
    """From how many units (or euros) on how many percent, lowest first."""
    vat_percent: int
    place: str
    """Where the goods go."""
    special: tuple[str, int]
    """Group and percent that were agreed; empty and 0: nothing was."""
    changed: Mapping[str, int]
    """Quantities that were changed by phone, by SKU."""

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: rules, and what the user tells."""
        return {
            "facets": dict(asdict(self.facets)),
            "today": self.today.isoformat(),
            "customer": self.customer.number,
            "wishes": [[one.sku, one.called, one.quantity] for one in self.wishes],
            "zones": [
                [
                    list(one.cities),
                    one.base_cents,
                    one.per_kg_cents,
                    one.percent,
                    one.free_from_cents,
                ]
                for one in self.zones
            ],
            "grades": dict(self.grades),
            "steps": [list(one) for one in self.steps],
            "vat_percent": self.vat_percent,
            "place": self.place,
            "special": list(self.special),
            "changed": dict(self.changed),
        }
