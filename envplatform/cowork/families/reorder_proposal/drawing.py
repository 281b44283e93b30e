"""How a depot is drawn, so that every rule decides something, and the change, too."""

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import replace

from envplatform.cowork.families.reorder_proposal.records import (
    WEEKS,
    Article,
    Depot,
    Facets,
    OpenOrder,
    Stock,
    Supplier,
)
from envplatform.cowork.words import Names

ARTICLES = 26


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        demand=chance.choice(("last_4", "last_8", "weighted", "peak")),
        safety=chance.choice(("weeks", "percent", "by_class")),
        inbound=chance.choice(("confirmed", "in_time", "all")),
        minimum=chance.choice(("raise", "wait", "half")),
        exception=chance.choice(("phase_out", "frozen", "promotion")),
        columns=chance.choice(("units", "packs", "arrival")),
        order_by=chance.choice(("sku", "supplier", "cost")),
        extra=chance.choice(("by_supplier", "not_ordered", "urgent")),
        stock_in=chance.choice(("store", "csv")),
        terms_in=chance.choice(("table", "letters", "sheet")),
        event=chance.choice(("count", "terms", "cancelled")),
        telling=chance.choice(("quiet", "loud", "named")),
    )


def draw_depot(chance: random.Random, names: Names) -> Depot:
    """Draw a depot in which every rule decides something, and so does the change."""
    facets = draw_facets(chance)
    today = dt.date(2025, 3, 3) + dt.timedelta(weeks=chance.randrange(30))
    suppliers = _suppliers(chance, names.suppliers(4))
    weekly = [chance.randint(6, 60) for _ in range(ARTICLES)]
    articles = _articles(chance, suppliers, names.products(ARTICLES), weekly)
    stocks = _stocks(chance, articles, weekly, today)
    orders = _orders(chance, articles, weekly, today)
    moved = suppliers[0].name
    excepted = [suppliers[-1].name]
    if facets.exception == "promotion":
        excepted = sorted(one.sku for one in articles[4:9])
    return Depot(
        facets=facets,
        today=today,
        clerk=names.people(1)[0],
        cover_weeks=chance.randint(3, 6),
        safety_weeks=chance.randint(1, 3),
        safety_percent=chance.choice((20, 30, 40, 50)),
        promotion_percent=chance.choice((30, 50, 80)),
        excepted=tuple(excepted),
        suppliers=tuple(suppliers),
        articles=tuple(sorted(articles, key=lambda one: one.sku)),
        stocks=tuple(sorted(stocks, key=lambda one: one.sku)),
        orders=tuple(orders),
        sales=_sales(chance, articles, weekly),
        stocks_after=_counted(facets, stocks, weekly, today),
        orders_after=_cancelled(facets, orders),
        suppliers_after=tuple(
            replace(one, lead_weeks=one.lead_weeks + 3)
            if one.name == moved and facets.event == "terms"
            else one
            for one in suppliers
        ),
    )


def _suppliers(chance: random.Random, companies: Sequence[str]) -> list[Supplier]:
    leads = chance.sample((1, 2, 3, 4, 5), len(companies))
    return [
        Supplier(
            name=name, lead_weeks=lead, least_cents=chance.choice((25, 50, 90)) * 10_000
        )
        for name, lead in zip(companies, leads, strict=True)
    ]


def _articles(
    chance: random.Random,
    suppliers: Sequence[Supplier],
    names: Sequence[str],
    weekly: Sequence[int],
) -> list[Article]:
    """Return articles in a drawn order of their numbers; the last ones run out."""
    numbers = chance.sample(range(1000, 9999), len(names))
    found = []
    drawn = zip(names, numbers, weekly, strict=True)
    for at, (name, number, units) in enumerate(drawn):
        pack = chance.choice((5, 6, 10, 12, 20, 25))
        minimum = pack * chance.choice((1, 2, 3))
        found.append(
            Article(
                sku=f"{name[0].upper()}{name.split()[-1][0].upper()}-{number}",
                name=name,
                supplier=suppliers[at % len(suppliers)].name,
                grade=chance.choice("ABC"),
                status="phase_out" if at >= ARTICLES - 4 else "active",
                pack=pack,
                minimum=pack * (units * chance.randint(14, 24) // pack)
                if at % 4 == 2
                else minimum,
                unit_cents=chance.randint(85, 3900),
            )
        )
    return found


def _stocks(
    chance: random.Random,
    articles: Sequence[Article],
    weekly: Sequence[int],
    today: dt.date,
) -> list[Stock]:
    """Return little of most articles, plenty of every fifth, next to nothing of some."""
    found = []
    for at, (one, units) in enumerate(zip(articles, weekly, strict=True)):
        weeks = chance.uniform(12, 16) if at % 5 == 3 else chance.uniform(0.6, 3)
        if one.status == "phase_out" or at % 4 == 2:
            weeks = chance.uniform(0.1, 0.8)
        found.append(
            Stock(
                sku=one.sku,
                on_hand=round(units * weeks) + units // 2,
                reserved=units // 2 - chance.randrange(units // 3),
                counted_on=str(today - dt.timedelta(days=chance.randint(9, 60))),
            )
        )
    return found


def _orders(
    chance: random.Random,
    articles: Sequence[Article],
    weekly: Sequence[int],
    today: dt.date,
) -> list[OpenOrder]:
    """Return orders of every kind that a rule tells from the others."""
    found = []
    kinds = ("confirmed", "confirmed", "requested", "confirmed late", "cancelled")
    for at, (one, units) in enumerate(zip(articles, weekly, strict=True)):
        if at % 5 == 3 or at % 4 == 2 or one.status == "phase_out":
            continue
        status, _, late = kinds[at % 5 if at % 5 < 3 else at % 2 + 3].partition(" ")
        days = chance.randint(1, 4) + (7 * chance.randint(7, 11) if late else 0)
        found.append(
            OpenOrder(
                order_no="",
                sku=one.sku,
                quantity=one.pack * max(1, units * chance.randint(2, 4) // one.pack),
                expected=str(today + dt.timedelta(days=days)),
                status=status,
            )
        )
    drawn = enumerate(chance.sample(found, len(found)))
    return [replace(one, order_no=f"B-{3100 + at * 7}") for at, one in drawn]


def _sales(
    chance: random.Random, articles: Sequence[Article], weekly: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return weeks in the order of the SKUs, with a trend, so that the basis matters."""
    found = {}
    for one, units in zip(articles, weekly, strict=True):
        trend = chance.choice((-0.05, 0.0, 0.06, 0.09))
        found[one.sku] = tuple(
            max(1, round(units * (1 + trend * week) * chance.uniform(0.8, 1.25)))
            for week in range(WEEKS)
        )
    return tuple(found[sku] for sku in sorted(found))


def _counted(
    facets: Facets,
    stocks: Sequence[Stock],
    weekly: Sequence[int],
    today: dt.date,
) -> tuple[Stock, ...]:
    """Return the stock after a count of every third article: far less, or far more."""
    found = []
    for at, (one, units) in enumerate(zip(stocks, weekly, strict=True)):
        if facets.event == "count" and at % 3 == 1:
            counted = units // 2 if one.on_hand > units * 6 else units * 14
            found.append(replace(one, on_hand=counted, counted_on=str(today)))
        else:
            found.append(one)
    return tuple(found)


def _cancelled(facets: Facets, orders: Sequence[OpenOrder]) -> tuple[OpenOrder, ...]:
    """Return the open orders after all confirmed ones but one were cancelled."""
    firm = [one.order_no for one in orders if one.status == "confirmed"]
    gone = set(firm[:-1]) if facets.event == "cancelled" else set()
    return tuple(
        replace(one, status="cancelled") if one.order_no in gone else one
        for one in orders
    )
