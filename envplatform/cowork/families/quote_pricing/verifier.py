"""Grades quote and record, priced anew from what is held and from what was agreed."""

from __future__ import annotations

import calendar
import json
import re
import sqlite3
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from seedlib import Final, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
HEADS = {
    "short": ("article", "quantity", "amount"),
    "full": (
        "pos",
        "article",
        "name",
        "quantity",
        "list price",
        "discount %",
        "amount",
    ),
    "list": ("pos", "article", "quantity", "list price", "discount %", "amount"),
}
HEAD = HEADS[FACETS["positions"]]
LISTED = re.compile(r"(\d+)\. (\S+) x (\d+) at (\S+) EUR less (\S+) %: (\S+) EUR")


class Position(NamedTuple):
    """One position that is right; amounts in cents."""

    sku: str
    group: str
    cents: int
    quantity: int
    cells: dict[str, str]


class Quote(NamedTuple):
    """The right work."""

    positions: list[Position]
    terms: list[str]
    """Lines before and after the positions."""
    record: dict[str, Any]


def wanted(final: Final, misread: str = "") -> Quote:
    """Price the request; `misread` names what is missed."""
    articles = {row["sku"]: row for row in _articles(final)}
    people = rows_of(final.held("sales/customers.csv")) or []
    customer = next(one for one in people if one["number"] == DRAWN["customer"])
    knows = misread != "agreement"
    changed = DRAWN["changed"] if knows else {}
    chosen, gone = [], []
    for sku, called, number in DRAWN["wishes"]:
        after = articles[sku]["successor"] if sku else ""
        swaps = (FACETS["gone"] == "successor") != (misread == "successor")
        if not sku or (after and not swaps):
            gone.append(called)
        else:
            chosen.append((articles[after or sku], changed.get(sku, number)))
    lines = [_position(row, n, chosen, customer["grade"], misread) for row, n in chosen]
    if FACETS["order_by"] == "article":
        lines.sort(key=lambda one: one.sku)
    if FACETS["order_by"] == "amount":
        lines.sort(key=lambda one: (-one.cents, one.sku))
    for at, one in enumerate(lines, 1):
        one.cells["pos"] = str(at)
    place = DRAWN["place"] if knows else customer["city"]
    grams = sum(int(row["weight_g"]) * number for row, number in chosen)
    goods = sum(one.cents for one in lines)
    zone, freight = _freight(place, goods, grams)
    percent = 0 if zone == 3 else DRAWN["vat_percent"]
    vat = _whole(Fraction((goods + freight) * percent, 100))
    today = date.fromisoformat(DRAWN["today"])
    sums = {"Goods": goods, "Freight": freight, "VAT": vat}
    sums["Total"] = sum(sums.values())
    terms = [
        f"# Quote for {customer['name']}",
        f"Date: {today}",
        f"Valid until: {_until(today)}",
        f"Delivery to: {place}",
        *(f"{name}: {_euros(value)} EUR" for name, value in sums.items()),
    ]
    return Quote(lines, terms, _record(lines, sums, gone))


def _articles(final: Final) -> list[dict[str, Any]]:
    if FACETS["prices_in"] == "csv":
        return list(rows_of(final.held("sales/price_list.csv")) or [])
    if FACETS["prices_in"] == "service":
        routes = json.loads(final.held("services/catalogue.json") or "[]")
        return next(one["body"] for one in routes if one["path"] == "/articles")
    store = sqlite3.connect(":memory:")
    store.row_factory = sqlite3.Row
    store.executescript(final.held("stores/catalogue.sql") or "")
    return [dict(row) for row in store.execute("SELECT * FROM articles")]


def _position(
    row: dict[str, Any],
    number: int,
    chosen: list[tuple[dict[str, Any], int]],
    grade: str,
    misread: str,
) -> Position:
    percent = _percent(row, number, chosen, grade, misread)
    price = int(row["list_cents"]) * (1 - percent / 100)
    by_unit = (FACETS["rounding"] == "unit") != (misread == "rounding")
    cents = _whole(price) * number if by_unit else _whole(price * number)
    cells = {
        "article": row["sku"],
        "name": row["name"],
        "quantity": str(number),
        "list price": _euros(int(row["list_cents"])),
        "discount %": _euros(_whole(percent * 100)),
        "amount": _euros(cents),
    }
    return Position(row["sku"], row["price_group"], cents, number, cells)


def _percent(
    row: dict[str, Any],
    number: int,
    chosen: list[tuple[dict[str, Any], int]],
    grade: str,
    misread: str,
) -> Fraction:
    if row["terms"] == "net" and misread != "net":
        return Fraction(0)
    group, agreed = DRAWN["special"]
    if row["price_group"] == group and misread != "agreement":
        return Fraction(agreed)
    reached = {
        "position": number,
        "group": sum(
            n for one, n in chosen if one["price_group"] == row["price_group"]
        ),
        "order": sum(int(one["list_cents"]) * n for one, n in chosen) // 100,
    }[FACETS["volume"]]
    more = 0
    for least, percent in DRAWN["steps"]:
        if reached >= least and misread != "volume":
            more = percent
    base = Fraction(DRAWN["grades"][grade])
    return {
        "add": base + more,
        "chain": base + more - base * more / 100,
        "best": max(base, Fraction(more)),
    }[FACETS["combining"]]


def _freight(place: str, goods: int, grams: int) -> tuple[int, int]:
    zones = enumerate(DRAWN["zones"], 1)
    number, zone = next((at, one) for at, one in zones if place in one[0])
    _, base, per_kg, percent, free_from = zone
    if FACETS["freight"] == "weight":
        return number, base + per_kg * ((grams + 999) // 1000)
    if FACETS["freight"] == "flat":
        return number, 0 if free_from and goods >= free_from else base
    return number, max(base, _whole(Fraction(goods * percent, 100)))


def _until(day: date) -> date:
    if FACETS["validity"] != "month_end":
        return day + timedelta(days=int(FACETS["validity"][5:]))
    year, month = day.year + day.month // 12, day.month % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def _record(
    lines: list[Position], sums: dict[str, int], gone: list[str]
) -> dict[str, Any]:
    found: dict[str, Any] = {"customer": DRAWN["customer"], "not_offered": gone}
    found["total_cents"] = sums["Total"]
    if FACETS["record"] == "totals":
        found |= {f"{name.lower()}_cents": value for name, value in sums.items()}
    elif FACETS["record"] == "lines":
        found["lines"] = [
            {"article": one.sku, "quantity": one.quantity, "amount_cents": one.cents}
            for one in lines
        ]
    else:
        groups: dict[str, int] = {}
        for one in lines:
            groups[one.group] = groups.get(one.group, 0) + one.cents
        found["groups"] = groups
    return found


def _whole(exact: Fraction) -> int:
    return int(exact + Fraction(1, 2))


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _given(final: Final) -> tuple[list[dict[str, str]], list[str]]:
    """Return the positions of the delivered document, and all its other lines."""
    text = final.text("quote.md") or ""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    rows: list[dict[str, str]] = []
    rest = []
    for line in lines:
        match = LISTED.fullmatch(line)
        is_row = line.startswith("|") and line.endswith("|") and len(line) > 1
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        if FACETS["positions"] == "list" and match:
            rows.append(dict(zip(HEAD, match.groups(), strict=True)))
        elif FACETS["positions"] != "list" and is_row and len(cells) == len(HEAD):
            rows.append(dict(zip(HEAD, cells, strict=True)))
        else:
            rest.append(line)
    if FACETS["positions"] == "list":
        return rows, rest
    has_head = rows and list(rows[0].values()) == list(HEAD)
    ruled = len(rows) > 1 and all(set(one) <= set("-: ") for one in rows[1].values())
    return (rows[2:], rest) if has_head and ruled else ([], rest)


def positions(final: Final) -> float:
    """How far the right articles stand there in the right quantity and order, squared."""
    given = [(row["article"], row["quantity"]) for row in _given(final)[0]]
    due = [(one.sku, str(one.quantity)) for one in wanted(final).positions]
    score = share(len(set(given) & set(due)), len(set(given) | set(due))) ** 2
    return score if given == due else min(score, 0.8)


def amounts(final: Final) -> float:
    """Share of positions of which everything is right, squared."""
    due = [{name: one.cells[name] for name in HEAD} for one in wanted(final).positions]
    given, _ = _given(final)
    right = sum(row in given for row in due)
    return share(right, max(len(due), len(given))) ** 2


def terms(final: Final) -> float:
    """Share of the lines about the positions that are right, squared; more is too much."""
    (_, given), due = _given(final), wanted(final).terms
    score = share(sum(line in given for line in due), len(due)) ** 2
    return score if given == due else min(score, 0.8)


def record(final: Final) -> float:
    """Share of the keys of the record whose value is right, squared."""
    given, due = final.json("quote.json"), wanted(final).record
    if not isinstance(given, dict):
        return 0.0
    right = sum(_same(given.get(name), value) for name, value in due.items())
    return share(right, len(due.keys() | given.keys())) ** 2


def _same(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


CRITERIA = spelt(
    {
        "positions": positions,
        "amounts": amounts,
        "terms": terms,
        "record": record,
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(right: Quote) -> dict[str, str]:
    rows = [[one.cells[name] for name in HEAD] for one in right.positions]
    if FACETS["positions"] == "list":
        listed = "{}. {} x {} at {} EUR less {} %: {} EUR"
        lines = [listed.format(*row) for row in rows]
    else:
        lines = [" | ".join(row) for row in (HEAD, ["---"] * len(HEAD), *rows)]
        lines = [f"| {line} |" for line in lines]
    text = "\n".join([*right.terms[:4], "", *lines, "", *right.terms[4:], ""])
    return {"quote.md": text, "quote.json": json.dumps(right.record)}


MISREADINGS = {
    "nobody was asked": lambda final: _as_delivered(wanted(final, "agreement")),
    "net articles get a discount": lambda final: _as_delivered(wanted(final, "net")),
    "no volume discount": lambda final: _as_delivered(wanted(final, "volume")),
    "rounded at the wrong place": lambda final: _as_delivered(
        wanted(final, "rounding")
    ),
    "successors the wrong way": lambda final: _as_delivered(wanted(final, "successor")),
}
