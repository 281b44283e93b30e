"""Prices the quote through `ws`; rates and rules are read off the documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]


def solve() -> None:
    """Read mail, rules and prices, ask, and write both files."""
    mail = ws_text("read", "inbox/request.txt")
    policy, freight = prose("docs/pricing.md"), ws_text("read", "docs/freight.md")
    articles = price_list()
    said = ws_json("say", "I have read the mail and our rules. Anything to add?")
    news = said["user_message"]
    customer = customer_of(mail)
    wished, not_offered = wishes(mail, articles, policy)
    for number, sku in re.findall(r"(\d+) of (\d{3}-\d\d)", news):
        wished[sku] = int(number)
    lines = priced(wished, articles, customer, policy, news)
    moved = re.search(r"new site in ([A-Z]\w+)", news)
    place = moved[1] if moved else customer["city"]
    goods = sum(line["cents"] for line in lines)
    kilos = -(-sum(line["quantity"] * line["weight_g"] for line in lines) // 1000)
    zone, shipping = freight_to(place, goods, kilos, freight)
    rate = int(found(r"VAT is (\d+) %", policy)) if zone != "3" else 0
    vat = cents(Decimal((goods + shipping) * rate) / 100)
    day = date.fromisoformat(found(r"Date: (\S+)", mail))
    sums = {"goods": goods, "freight": shipping, "vat": vat}
    sums["total"] = goods + shipping + vat
    head = (
        f"# Quote for {customer['name']}\n\nDate: {day}\n"
        f"Valid until: {last_day(day, policy)}\nDelivery to: {place}\n\n"
    )
    names = {"goods": "Goods", "freight": "Freight", "vat": "VAT", "total": "Total"}
    foot = "".join(f"{names[key]}: {euros(sums[key])} EUR\n" for key in sums)
    deliver("quote.md", f"{head}{positions(lines)}\n{foot}")
    record = {"customer": customer["number"], **details(lines, sums)}
    record |= {"total_cents": sums["total"], "not_offered": not_offered}
    deliver("quote.json", json.dumps(record, indent=1))


def prose(name: str) -> str:
    """Return a document as one line of text."""
    return " ".join(ws_text("read", name).split())


def found(pattern: str, text: str) -> str:
    """Return the first group; empty where the text has no such thing."""
    match = re.search(pattern, text)
    return match[1] if match else ""


def price_list() -> dict[str, dict[str, Any]]:
    """Return articles by SKU."""
    if FACETS["prices_in"] == "csv":
        rows: list[Any] = rows_of(ws_text("read", "sales/price_list.csv")) or []
    elif FACETS["prices_in"] == "store":
        told = ws_json("query", "stores/catalogue", "SELECT * FROM articles")
        rows = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    else:
        rows = ws_json("call", "services/catalogue", "GET", "/articles")["body"]
    amounts = ("list_cents", "weight_g")
    return {row["sku"]: {**row, **{n: int(row[n]) for n in amounts}} for row in rows}


def customer_of(mail: str) -> dict[str, str]:
    """Return who has sent the mail."""
    rows = rows_of(ws_text("read", "sales/customers.csv")) or []
    return next(row for row in rows if f", {row['name']}\nDate:" in mail)


def wishes(
    mail: str, articles: dict[str, dict[str, Any]], policy: str
) -> tuple[dict[str, int], list[str]]:
    """Return quantities by SKU in their order, and what can't be quoted."""
    known = {sku: sku for sku in articles}
    known |= {one["name"]: sku for sku, one in articles.items()}
    if FACETS["named_by"] == "own_number":
        rows = rows_of(ws_text("read", "sales/customer_articles.csv")) or []
        known |= {row["their_number"]: row["our_sku"] for row in rows}
    wished: dict[str, int] = {}
    missing = []
    for number, called in re.findall(r"^  (\d+) x (.+)$", mail, re.MULTILINE):
        sku = known.get(called, "")
        after = articles[sku]["successor"] if sku else ""
        if not sku or (after and "quote the successor" not in policy):
            missing.append(called)
        else:
            wished[after or sku] = int(number)
    return wished, missing


def priced(
    wished: dict[str, int],
    articles: dict[str, dict[str, Any]],
    customer: dict[str, str],
    policy: str,
    news: str,
) -> list[dict[str, Any]]:
    """Return positions with discount and amount, in the order that is wanted."""
    base = Decimal(found(rf"\b{customer['grade']}: (\d+) %", policy))
    agreed = re.search(r"(\d+) % were agreed on everything in price group (\w+)", news)
    per_group: Counter[str] = Counter()
    for sku, number in wished.items():
        per_group[articles[sku]["price_group"]] += number
    value = sum(number * articles[sku]["list_cents"] for sku, number in wished.items())
    lines = []
    for sku, number in wished.items():
        one = articles[sku]
        group = one["price_group"]
        more = volume(number, per_group[group], value // 100, policy)
        discount = combined(base, more, policy)
        if agreed and agreed[2] == group:
            discount = Decimal(agreed[1])
        if one["terms"] == "net":
            discount = Decimal(0)
        price = one["list_cents"] * (1 - discount / 100)
        amount = cents(price * number)
        if "price of a unit after discount is rounded" in policy:
            amount = cents(price) * number
        lines.append({**one, "quantity": number, "discount": discount, "cents": amount})
    if FACETS["order_by"] != "request":
        by_amount = FACETS["order_by"] == "amount"
        lines.sort(key=lambda one: (-one["cents"] if by_amount else 0, one["sku"]))
    return lines


def volume(number: int, of_group: int, in_euros: int, policy: str) -> Decimal:
    """Return the volume discount."""
    reached = number
    if "units of a price group" in policy:
        reached = of_group
    elif "from a list value" in policy:
        reached = in_euros
    rule = found(r"Volume discount: (.+?) 3\. ", policy)
    steps = re.findall(r"from (?:a list value of )?(\d+)\D.*?on (\d+) %", rule)
    percents = [int(percent) for least, percent in steps if reached >= int(least)]
    return Decimal(max(percents, default=0))


def combined(base: Decimal, more: Decimal, policy: str) -> Decimal:
    """Return the discount that both make."""
    if "Both percentages are added" in policy:
        return base + more
    if "the higher one applies" in policy:
        return max(base, more)
    return 100 - (100 - base) * (100 - more) / 100


def freight_to(place: str, goods: int, kilos: int, terms: str) -> tuple[str, int]:
    """Return zone and freight in cents."""
    rows = [line.strip("|").split("|") for line in terms.splitlines() if "EUR" in line]
    row = next(row for row in rows if place in row[1])
    base, last = int(re.sub(r"\D", "", row[2])), re.sub(r"\D", "", row[3])
    amount = base + kilos * int(last or 0)
    if "flat rate for each quote" in terms:
        amount = 0 if last and goods >= int(last) else base
    elif "share of the net value" in terms:
        amount = max(base, cents(Decimal(goods * int(last)) / 100))
    return row[0].strip(), amount


def last_day(day: date, policy: str) -> date:
    """Return until when the quote is valid."""
    days = found(r"valid (\d+) days", policy)
    if days:
        return day + timedelta(days=int(days))
    after = (day.replace(day=1) + timedelta(days=70)).replace(day=1)
    return after - timedelta(days=1)


def positions(lines: list[dict[str, Any]]) -> str:
    """Return the middle of the document."""
    rows = []
    for at, one in enumerate(lines, 1):
        sku, number, amount = one["sku"], one["quantity"], euros(one["cents"])
        price, less = euros(one["list_cents"]), f"{one['discount']:.2f}"
        rows.append(
            {
                "short": f"| {sku} | {number} | {amount} |",
                "full": f"| {at} | {sku} | {one['name']} | {number} | {price} | {less} "
                f"| {amount} |",
                "list": f"{at}. {sku} x {number} at {price} EUR less {less} %: {amount} "
                "EUR",
            }[FACETS["positions"]]
        )
    head = {
        "short": ["| article | quantity | amount |", "|---|---|---|"],
        "full": [
            "| pos | article | name | quantity | list price | discount % | amount |",
            "|---|---|---|---|---|---|---|",
        ],
        "list": [],
    }[FACETS["positions"]]
    return "\n".join([*head, *rows, ""])


def details(lines: list[dict[str, Any]], sums: dict[str, int]) -> dict[str, Any]:
    """Return what the record has beside customer and total."""
    if FACETS["record"] == "totals":
        return {f"{key}_cents": value for key, value in sums.items()}
    if FACETS["record"] == "lines":
        names = {"sku": "article", "quantity": "quantity", "cents": "amount_cents"}
        return {
            "lines": [{new: one[old] for old, new in names.items()} for one in lines]
        }
    groups: Counter[str] = Counter()
    for one in lines:
        groups[one["price_group"]] += one["cents"]
    return {"groups": dict(groups)}


def cents(exact: Decimal) -> int:
    """Round half a cent up."""
    return int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def euros(amount: int) -> str:
    """Return an amount as documents have it."""
    return f"{Decimal(amount) / 100:.2f}"
