"""Migrates the price list through `ws`."""

from __future__ import annotations

import csv
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from seedlib import deliver, rows_of, ws_json, ws_text

CUT_OVER = "2025-01-01"
PIECES = {"E": 1, "C": 100, "M": 1000}
COLUMNS = (
    "sku",
    "price_quantity",
    "list_cents",
    "discount_bp",
    "net_cents",
    "currency",
    "valid_from",
    "status",
)


def solve() -> None:
    """Read everything, fill the store, write both files off what it then holds."""
    ws_text("read", "docs/price_store.md")
    old = ws_text("read", "sales/old_prices.csv").splitlines()
    lines = list(csv.DictReader(old, delimiter=";"))
    groups = table("read", "sales/discount_groups.csv")
    rates = newest(table("read", "finance/fixings.csv"))
    sku_of = asked("SELECT old_no, sku, status FROM articles")
    floors = dict(asked("SELECT * FROM floors"))
    articles = {number: (sku, status) for number, sku, status in sku_of}
    above = {one["code"]: one for one in groups}
    left_out, rows = [], []
    for number in sorted({line["article"] for line in lines}):
        mine = [line for line in lines if line["article"] == number]
        reason = unfit(number, mine, articles, rates)
        if reason:
            left_out.append((number, reason))
            continue
        line = max((one for one in mine if holds(one)), key=lambda one: one["from"])
        sku = articles[number][0]
        left = remaining(above, line["group"])
        rows.append((sku, *price(line, left, rates, floors.get(sku, 0))))
    columns = ", ".join(COLUMNS)
    values = ", ".join(f"({', '.join(map(repr, row))})" for row in rows)
    ws_json("query", "stores/prices", f"INSERT INTO prices ({columns}) VALUES {values}")  # noqa: S608  our own values
    told = f"SELECT {columns} FROM prices ORDER BY sku"  # noqa: S608  constants
    kept = ws_json("query", "stores/prices", told)["rows"]
    deliver("prices.csv", written(COLUMNS, kept))
    deliver("left_out.csv", written(("article", "reason"), left_out))


def price(
    line: dict[str, str], left: Decimal, rates: dict[str, Decimal], floor: int
) -> tuple[object, ...]:
    """Return what goes into the store beside the SKU."""
    exact = amount(line["price"]) / rates[line["currency"]]
    net = cents(exact * left)
    return (
        PIECES[line["unit"]],
        cents(exact),
        int((1 - left) * 10_000),
        net,
        "EUR",
        line["from"],
        "review" if net < floor else "active",
    )


def table(operation: str, name: str) -> list[dict[str, str]]:
    """Return a CSV resource."""
    return rows_of(ws_text(operation, name)) or []


def asked(sql: str) -> list[Any]:
    """Return rows of the catalogue."""
    found: list[Any] = ws_json("query", "stores/catalogue", sql)["rows"]
    return found


def newest(fixings: list[dict[str, str]]) -> dict[str, Decimal]:
    """Return the last fixing of each currency that counts."""
    found = {"EUR": Decimal(1)}
    for line in sorted(fixings, key=lambda one: one["date"]):
        if line["date"] <= CUT_OVER:
            found[line["currency"]] = Decimal(line["per_euro"])
    return found


def holds(line: dict[str, str]) -> bool:
    """Whether a line of the old list holds on the day."""
    return line["from"] <= CUT_OVER <= (line["to"] or "9999")


def unfit(
    number: str,
    mine: list[dict[str, str]],
    articles: dict[str, tuple[str, str]],
    rates: dict[str, Decimal],
) -> str:
    """Return why an article is left out; empty if it is not."""
    if number not in articles:
        return "no_sku"
    if articles[number][1] == "discontinued":
        return "discontinued"
    if all(line["to"] and line["to"] < CUT_OVER for line in mine):
        return "ended"
    held = [line for line in mine if holds(line)]
    if not held:
        return "not_yet"
    last = max(held, key=lambda line: line["from"])
    return "" if last["currency"] in rates else "no_rate"


def remaining(groups: dict[str, dict[str, str]], code: str) -> Decimal:
    """Return what a group and those above it leave of a price."""
    left = Decimal(1)
    while code:
        group = groups[code]
        if not group["ends"] or group["ends"] >= CUT_OVER:
            left *= 1 - Decimal(group["percent"]) / 100
        code = group["below"]
    return left


def amount(text: str) -> Decimal:
    """Read an amount of the old list."""
    return Decimal(text.replace(".", "").replace(",", "."))


def cents(exact: Decimal) -> int:
    """Round once."""
    return int((exact * 100).quantize(Decimal(1), ROUND_HALF_UP))


def written(columns: tuple[str, ...], rows: list[Any]) -> str:
    """Return CSV."""
    lines = [columns, *rows]
    return "".join(",".join(map(str, line)) + "\n" for line in lines)
