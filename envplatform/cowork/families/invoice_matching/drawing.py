"""What is drawn: rules, suppliers, orders, deliveries, invoices."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CASES = (
    *("fine",) * 8,
    *("short", "short", "late", "cancelled", "unknown", "again"),
    *("same_number", "same_amount"),
    *("dear 2", "dear 9", "dear 40", "freight 900", "freight 2200", "freight 5000"),
)
"""What each order is drawn for; `dear` in thousandths of the price, `freight` in cents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    tolerance: Literal["percent", "cents", "none"]
    freight: Literal["up_to_a_limit", "never", "listed_suppliers"]
    repeats: Literal["number", "number_and_supplier", "order_and_amount"]
    summary: Literal["by_supplier", "by_verdict", "by_reason"]
    layout: Literal["plain", "lined", "form"]
    order_by: Literal["invoice", "order"]
    listed: Literal["all", "not_rejected", "paid"]
    """Which invoices the table has."""
    unit: Literal["cents", "euros"]
    extra: Literal["none", "holds", "questions"]
    """What is delivered besides."""
    folder: str
    store: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One order of one item."""

    order_no: str
    supplier: str
    item: str
    quantity: int
    unit_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery slip."""

    slip: str
    order_no: str
    day: str
    quantity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """What one invoice says. Amounts in cents."""

    number: str
    supplier: str
    order_no: str
    quantity: int
    unit_cents: int
    freight_cents: int = 0
    day: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """All that this one is about."""

    facets: Facets
    clerk: str
    limit: int
    """Of the tolerance: thousandths of the price, or cents a unit."""
    freight_limit: int
    freight_suppliers: tuple[str, ...]
    orders: tuple[Order, ...]
    deliveries: tuple[Delivery, ...]
    invoices: tuple[Invoice, ...]
    """In the order in which their files are named."""
    late: Delivery
    """The one that the user books."""
    cancelled: str
    """The order that the user tells of."""

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules, and what the user does."""
        return {
            "facets": dict(asdict(self.facets)),
            "limit": self.limit,
            "freight_limit": self.freight_limit,
            "freight_suppliers": list(self.freight_suppliers),
            "cancelled": self.cancelled,
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        tolerance=chance.choice(("percent", "cents", "none")),
        freight=chance.choice(("up_to_a_limit", "never", "listed_suppliers")),
        repeats=chance.choice(("number", "number_and_supplier", "order_and_amount")),
        summary=chance.choice(("by_supplier", "by_verdict", "by_reason")),
        layout=chance.choice(("plain", "lined", "form")),
        order_by=chance.choice(("invoice", "order")),
        listed=chance.choice(("all", "not_rejected", "paid")),
        unit=chance.choice(("cents", "euros")),
        extra=chance.choice(("none", "holds", "questions")),
        folder=chance.choice(("invoices", "inbox/invoices", "payables/incoming")),
        store=chance.choice(("stores/purchasing", "erp/orders", "purchasing")),
    )


def draw_books(chance: random.Random, names: Names) -> Books:
    """Draw books in which every rule decides at least one invoice."""
    facets = draw_facets(chance)
    suppliers = names.suppliers(chance.randint(4, 6))
    cases = chance.sample(CASES, len(CASES))
    orders = _orders(chance, suppliers, names.products(len(cases)))
    deliveries: list[Delivery] = []
    invoices: list[Invoice] = []
    for case, order in zip(cases, orders, strict=True):
        deliveries += _deliveries(chance, case, order, len(deliveries))
        invoices += _invoices(case, order, suppliers)
    at = dict(zip(cases, orders, strict=True))
    return Books(
        facets=facets,
        clerk=names.people(1)[0],
        limit={
            "percent": chance.choice((5, 10, 20)),
            "cents": chance.choice((3, 15)),
        }.get(facets.tolerance, 0),
        freight_limit=chance.choice((1500, 2500, 4000)),
        freight_suppliers=tuple(sorted(chance.sample(suppliers, 2))),
        orders=orders,
        deliveries=tuple(chance.sample(deliveries, len(deliveries))),
        invoices=_numbered(chance, invoices),
        late=Delivery(
            slip=f"D{70_900 + chance.randrange(90)}",
            order_no=at["late"].order_no,
            day="2025-04-29",
            quantity=at["late"].quantity // 2,
        ),
        cancelled=at["cancelled"].order_no,
    )


def _orders(
    chance: random.Random, suppliers: Sequence[str], items: Sequence[str]
) -> tuple[Order, ...]:
    return tuple(
        Order(
            order_no=f"PO-{4100 + number * 3}",
            supplier=chance.choice(suppliers),
            item=item,
            quantity=chance.randrange(4, 40, 2),
            unit_cents=chance.randint(600, 9000),
        )
        for number, item in enumerate(items)
    )


def _deliveries(
    chance: random.Random, case: str, order: Order, before: int
) -> list[Delivery]:
    """Return two halves; one is missing of what is short, or comes late."""
    missing = case in {"short", "late"}
    return [
        Delivery(
            slip=f"D{70_100 + (before + part) * 7}",
            order_no=order.order_no,
            day=_day(chance),
            quantity=order.quantity // 2,
        )
        for part in range(1 if missing else 2)
    ]


def _invoices(case: str, order: Order, suppliers: Sequence[str]) -> list[Invoice]:
    """Return the invoices of an order, numbered by case where numbers must agree."""
    kind, _, amount = case.partition(" ")
    plain = Invoice(
        number="",
        supplier=order.supplier,
        order_no="PO-9001" if kind == "unknown" else order.order_no,
        quantity=order.quantity,
        unit_cents=order.unit_cents,
    )
    if kind == "dear":
        more = max(1, order.unit_cents * int(amount) // 1000)
        return [replace(plain, unit_cents=plain.unit_cents + more)]
    if kind == "freight":
        return [replace(plain, freight_cents=int(amount))]
    half = replace(plain, quantity=plain.quantity // 2)
    other = next(one for one in suppliers if one != order.supplier)
    return {
        "again": [replace(half, number="again"), replace(half, number="again")],
        "same_number": [
            replace(half, number="same"),
            replace(half, number="same", supplier=other, freight_cents=0),
        ],
        "same_amount": [half, half],
    }.get(kind, [plain])


def _numbered(
    chance: random.Random, invoices: Sequence[Invoice]
) -> tuple[Invoice, ...]:
    """Return them by date, with numbers; those told apart by a word share theirs."""
    numbers = [f"R{one}" for one in chance.sample(range(1000, 9999), len(invoices))]
    shared: dict[str, str] = {}
    found = []
    order = chance.sample(list(invoices), len(invoices))
    days = sorted(_day(chance) for _ in order)
    for one, day, number in zip(order, days, numbers, strict=True):
        chosen = shared.setdefault(one.number, number) if one.number else number
        found.append(replace(one, number=chosen, day=day))
    return tuple(found)


def _day(chance: random.Random) -> str:
    return f"2025-{chance.randint(3, 4):02}-{chance.randint(1, 28):02}"
