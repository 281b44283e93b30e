"""What one of this family is about: rules, suppliers, articles, stock, orders, sales."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json

WEEKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    demand: Literal["last_4", "last_8", "weighted", "peak"]
    safety: Literal["weeks", "percent", "by_class"]
    inbound: Literal["confirmed", "in_time", "all"]
    minimum: Literal["raise", "wait", "half"]
    exception: Literal["phase_out", "frozen", "promotion"]
    columns: Literal["units", "packs", "arrival"]
    order_by: Literal["sku", "supplier", "cost"]
    extra: Literal["by_supplier", "not_ordered", "urgent"]
    stock_in: Literal["store", "csv"]
    terms_in: Literal["table", "letters", "sheet"]
    event: Literal["count", "terms", "cancelled"]
    telling: Literal["quiet", "loud", "named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplier:
    """Terms of one supplier."""

    name: str
    lead_weeks: int
    least_cents: int
    """An order below is not accepted without a surcharge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article; quantities in units, the price per unit."""

    sku: str
    name: str
    supplier: str
    grade: str
    """A, B or C."""
    status: str
    pack: int
    minimum: int
    unit_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """What lies in the warehouse of one article."""

    sku: str
    on_hand: int
    reserved: int
    counted_on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOrder:
    """Something that was ordered and has not come."""

    order_no: str
    sku: str
    quantity: int
    expected: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Depot:
    """All that this one is about."""

    facets: Facets
    today: dt.date
    """A Monday."""
    clerk: str
    cover_weeks: int
    safety_weeks: int
    safety_percent: int
    promotion_percent: int
    excepted: tuple[str, ...]
    """SKUs on promotion, or the supplier that is frozen."""
    suppliers: tuple[Supplier, ...]
    articles: tuple[Article, ...]
    stocks: tuple[Stock, ...]
    orders: tuple[OpenOrder, ...]
    sales: tuple[tuple[int, ...], ...]
    """Units a week of each article, oldest first."""
    stocks_after: tuple[Stock, ...]
    orders_after: tuple[OpenOrder, ...]
    suppliers_after: tuple[Supplier, ...]

    @property
    def weeks(self) -> list[str]:
        """Return the names of the weeks of `sales`."""
        days = (self.today - dt.timedelta(weeks=n) for n in range(WEEKS, 0, -1))
        return ["{}-W{:02}".format(*day.isocalendar()[:2]) for day in days]

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: rules, and what was before the change."""
        return {
            "facets": dict(asdict(self.facets)),
            "today": self.today.isoformat(),
            "cover_weeks": self.cover_weeks,
            "safety_weeks": self.safety_weeks,
            "safety_percent": self.safety_percent,
            "promotion_percent": self.promotion_percent,
            "excepted": list(self.excepted),
            "before": {
                "stock": {one.sku: one.on_hand for one in self.stocks},
                "orders": {one.order_no: one.status for one in self.orders},
                "lead": {one.name: one.lead_weeks for one in self.suppliers},
            },
        }
