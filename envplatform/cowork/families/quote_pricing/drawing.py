"""How a deal is drawn, so that every rule decides something, and what the user knows."""

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import replace

from envplatform.cowork.families.quote_pricing.records import (
    Article,
    Customer,
    Deal,
    Facets,
    Wish,
    Zone,
)
from envplatform.cowork.words import Names

GROUPS = ("PG10", "PG20", "PG30", "PG45", "PG60")
ARTICLES = 36


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        prices_in=chance.choice(("csv", "store", "service")),
        named_by=chance.choice(("sku", "name", "own_number")),
        volume=chance.choice(("position", "group", "order")),
        combining=chance.choice(("add", "chain", "best")),
        rounding=chance.choice(("unit", "line")),
        freight=chance.choice(("weight", "flat", "percent")),
        gone=chance.choice(("omit", "successor")),
        untold=chance.choice(("discount", "place", "quantity")),
        positions=chance.choice(("short", "full", "list")),
        order_by=chance.choice(("request", "article", "amount")),
        record=chance.choice(("totals", "lines", "by_group")),
        validity=chance.choice(("days_14", "days_30", "month_end")),
    )


def draw_deal(chance: random.Random, names: Names) -> Deal:
    """Draw one."""
    facets = draw_facets(chance)
    articles = _articles(chance, names.products(ARTICLES))
    cities = names.some("city", 12)
    customers = _customers(chance, names.companies(9), cities)
    customer = customers[0]
    wishes = _wishes(chance, articles)
    order = chance.sample(wishes, len(wishes))
    clerk, contact = names.people(2)
    numbers = chance.sample(range(100_000, 999_999), len(wishes))
    own = {one.sku: f"M{new}" for one, new in zip(wishes, numbers, strict=True)}
    own = {sku: number for sku, number in own.items() if sku}
    return Deal(
        facets=facets,
        today=dt.date(2025, 2, 3) + dt.timedelta(days=chance.choice(_WORKDAYS)),
        clerk=clerk,
        contact=contact,
        customer=customer,
        customers=tuple(sorted(customers, key=lambda one: one.number)),
        articles=tuple(sorted(articles, key=lambda one: one.sku)),
        own_numbers=own,
        wishes=tuple(_called(one, articles, own, facets) for one in order),
        zones=_zones(chance, cities),
        grades={"A": chance.choice((10, 12)), "B": chance.choice((6, 8)), "C": 3},
        steps=_steps(chance, facets),
        vat_percent=chance.choice((19, 20, 21)),
        place=cities[9] if facets.untold == "place" else customer.city,
        special=_special(chance, facets),
        changed={
            one.sku: one.quantity * chance.choice((2, 3))
            for one in wishes[:3]
            if facets.untold == "quantity"
        },
    )


_WORKDAYS = tuple(week * 7 + day for week in range(40) for day in range(5))


def _articles(chance: random.Random, names: Sequence[str]) -> list[Article]:
    """Return articles of all groups; numbers 5 and 11 are net, the last two are gone."""
    numbers = chance.sample(range(10_000, 99_999), len(names))
    found = [
        Article(
            sku=f"{number // 100}-{number % 100:02}",
            name=name,
            group=GROUPS[at % len(GROUPS)],
            list_cents=chance.randint(180, 9_900),
            weight_g=chance.randint(40, 6_000),
            terms="net" if at in {5, 11, 17} else "standard",
            successor="",
        )
        for at, (name, number) in enumerate(zip(names, numbers, strict=True))
    ]
    for at in (ARTICLES - 2, ARTICLES - 1):
        found[at] = replace(found[at], successor=found[at - 15].sku)
    return found


def _wishes(chance: random.Random, articles: Sequence[Article]) -> list[Wish]:
    """Return wishes of which some are large enough for the second step of any kind."""
    while True:
        found = _some_wishes(chance, articles)
        if _are_large(found, articles):
            return found


def _are_large(wishes: Sequence[Wish], articles: Sequence[Article]) -> bool:
    """Whether a group without a special discount gets there, and a position of it."""
    groups: dict[str, list[int]] = {name: [] for name in GROUPS[2:]}
    known = {one.sku: one for one in articles}
    for wish in wishes:
        one = known.get(wish.sku)
        if one and one.group in groups and one.terms == "standard":
            groups[one.group] += [] if one.successor else [wish.quantity]
    return any(sum(one) >= 90 and max(one) >= 40 for one in groups.values() if one)


def _some_wishes(chance: random.Random, articles: Sequence[Article]) -> list[Wish]:
    """Return wishes of two or three articles a group, one of them gone, one unknown."""
    chosen = [0, 1, 5, 6, 7, 10, 11, *chance.sample((2, 3, 4, 8, 9, 12, 13), 4)]
    chosen.append(ARTICLES - chance.choice((1, 2)))
    found = [
        Wish(sku=articles[at].sku, called="", quantity=chance.randrange(6, 70, 2))
        for at in chosen
    ]
    found.append(Wish(sku="", called="", quantity=chance.randrange(6, 40, 2)))
    return found


def _called(
    one: Wish, articles: Sequence[Article], own: dict[str, str], facets: Facets
) -> Wish:
    if not one.sku:
        called = {"sku": "001-99", "name": "brass anvil", "own_number": "M000001"}
        return replace(one, called=called[facets.named_by])
    name = next(article.name for article in articles if article.sku == one.sku)
    called = {"sku": one.sku, "name": name, "own_number": own[one.sku]}
    return replace(one, called=called[facets.named_by])


def _customers(
    chance: random.Random, companies: Sequence[str], cities: Sequence[str]
) -> list[Customer]:
    """Return customers; the first one asks, is of grade A or B and sits in zone 1."""
    numbers = chance.sample(range(2000, 2999), len(companies))
    return [
        Customer(
            number=f"K{number}",
            name=name,
            grade=chance.choice("AB") if at == 0 else chance.choice("ABC"),
            city=cities[0] if at == 0 else chance.choice(cities),
        )
        for at, (name, number) in enumerate(zip(companies, numbers, strict=True))
    ]


def _zones(chance: random.Random, cities: Sequence[str]) -> tuple[Zone, ...]:
    """Return three zones of four cities each; the third is abroad and dear."""
    return tuple(
        Zone(
            number=at + 1,
            cities=tuple(sorted(cities[at * 4 : at * 4 + 4])),
            base_cents=(900, 1900, 5400)[at] + chance.randrange(0, 600, 50),
            per_kg_cents=(14, 22, 65)[at] + chance.randrange(6),
            percent=(3, 5, 9)[at] + chance.randrange(2),
            free_from_cents=0 if at == 2 else chance.choice((2_000, 3_000)) * 1000,
        )
        for at in range(3)
    )


def _steps(chance: random.Random, facets: Facets) -> tuple[tuple[int, int], ...]:
    """Return two steps that some of what is drawn reaches, and that matter."""
    first, second = chance.choice(((2, 5), (3, 6), (4, 9)))
    if facets.combining == "best":
        second += 9
    low, high = {
        "position": (20, 40),
        "group": (50, 90),
        "order": (4_000, 8_000),
    }[facets.volume]
    return ((low, first), (high, second))


def _special(chance: random.Random, facets: Facets) -> tuple[str, int]:
    if facets.untold != "discount":
        return ("", 0)
    return (chance.choice(GROUPS[:2]), chance.choice((22, 24, 26, 28)))
