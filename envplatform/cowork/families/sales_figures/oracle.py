"""Works the figures out through `ws`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import date
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
Row = dict[str, Any]
MONTHS = ("January", "February", "March", "April", "May", "June", "July")
SCALE = 100
"""Sales are kept in hundredths of cents until they are rounded."""


def solve() -> None:
    """Read, decide what counts, sum, write."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    rules = " ".join(ws_text("read", name).split())
    tables = {one: read(one) for one in ("orders", "companies", "products", "people")}
    months = quarter(rules)
    back: dict[str, list[Row]] = defaultdict(list)
    for one in read("returns"):
        back[one["order_id"]].append(one)
    counted, left_out = [], []
    for order in joined(tables):
        if (order[FACETS["counts_by"]] or "")[:7] not in months:
            continue
        if is_left_out(order, rules):
            left_out.append(order)
            continue
        order["units"] = int(order["quantity"]) - deducted(order, back, rules)
        order["sales"] = worth(order, rules)
        if order["units"] > 0:
            counted.append(order)
    pivot(counted, months)
    top(counted)
    statement(counted)
    extra(joined(tables), left_out)


def read(table: str) -> list[Row]:
    """Return a table."""
    if FACETS["data"] == "csv":
        return list(rows_of(ws_text("read", f"{FACETS['place']}/{table}.csv")) or [])
    found = ws_json("query", FACETS["place"], f"SELECT * FROM {table}")  # noqa: S608  ours
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def joined(tables: dict[str, list[Row]]) -> list[Row]:
    """Return orders with company, city, product, category, name and department."""
    by = {
        "company_id": {one["company_id"]: one for one in tables["companies"]},
        "product_id": {one["product_id"]: one for one in tables["products"]},
        "person_id": {one["person_id"]: one for one in tables["people"]},
    }
    found = []
    for order in tables["orders"]:
        person = by["person_id"][order["person_id"]]
        found.append(
            {
                **by["product_id"][order["product_id"]],
                "name": person["name"],
                "department": person["department"],
                **by["company_id"][order["company_id"]],
                **order,
            }
        )
    return sorted(found, key=lambda one: one["order_id"])


def quarter(rules: str) -> list[str]:
    """Return the months of the quarter that is asked for."""
    begins = re.search(r"financial year begins in (\w+)", rules)
    first = MONTHS.index(begins[1] if begins else "") + 1
    first += 3 * (parameters()["quarter"] - 1)
    return [f"2025-{first + n:02}" for n in range(3)]


def is_left_out(order: Row, rules: str) -> bool:
    """Return whether an order does not count whatever became of it."""
    companies = re.search(r"Orders of (\w.+?) do not count: these companies", rules)
    if companies:
        return order["company"] in re.split(r", | and ", companies[1])
    small = re.search(r"Orders of fewer than (\d+) units", rules)
    if small:
        return int(order["quantity"]) < int(small[1])
    category = re.search(r"Products of the category (\w+) do not count", rules)
    return category is not None and order["category"] == category[1]


def deducted(order: Row, back: dict[str, list[Row]], rules: str) -> int:
    """Return how many units are taken off."""
    mine = back[order["order_id"]]
    if mine and "does not count at all" in rules:
        return int(order["quantity"])
    within = re.search(r"came back within (\d+) days", rules)
    if within:
        start = date.fromisoformat(order["ordered"])
        limit = int(within[1])
        mine = [
            one
            for one in mine
            if (date.fromisoformat(one["returned"]) - start).days <= limit
        ]
    return sum(int(one["quantity"]) for one in mine)


def worth(order: Row, rules: str) -> int:
    """Return the sales of an order in hundredths of cents."""
    off = int(order["discount"].replace(".", ""))
    if "at list price" in rules:
        off = 0
    if "of which 0.05 at most" in rules:
        off = min(off, 5)
    exact = order["units"] * int(order["unit_price"].replace(".", "")) * (100 - off)
    if "rounded to whole cents, half a cent up; all sums" in rules:
        return (exact + 50) // SCALE * SCALE
    return exact // SCALE * SCALE if "rounded down" in rules else exact


def money(exact: int) -> str:
    """Return an amount as it is wanted."""
    cents = (exact + 50) // SCALE
    if FACETS["unit"] == "cents":
        return str(cents)
    return f"{cents // 100}.{cents % 100:02}"


def pivot(counted: list[Row], months: list[str]) -> None:
    """Write the table."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for one in counted:
        groups[one[FACETS["rows"]]].append(one)
    names = sorted(groups)
    if FACETS["sort"] == "size":
        names.sort(key=lambda name: -int(money(total(groups[name])).replace(".", "")))
    lines = [[name, *cells(groups[name], months)] for name in names]
    if FACETS["footer"] == "total":
        lines.append(["Total", *cells(counted, months)])
    heads = [*months, "total"]
    if FACETS["columns"] == "measures":
        heads = ["orders", "units", "sales"]
    write("pivot.csv", [FACETS["rows"], *heads], lines)


def cells(group: list[Row], months: list[str]) -> list[str]:
    """Return the figures of one line."""
    if FACETS["columns"] == "measures":
        units = sum(one["units"] for one in group)
        return [str(len(group)), str(units), money(total(group))]
    by = FACETS["counts_by"]
    parts = [[o for o in group if o[by].startswith(month)] for month in months]
    return [money(total(part)) for part in [*parts, group]]


def total(group: list[Row]) -> int:
    """Return the sales of orders."""
    return sum(one["sales"] for one in group)


def top(counted: list[Row]) -> None:
    """Write the best."""
    sums: dict[str, int] = defaultdict(int)
    for one in counted:
        sums[one[FACETS["top"]]] += one[FACETS["top_by"]]
    best = sorted(sums, key=lambda name: (-sums[name], name))
    shown = money if FACETS["top_by"] == "sales" else str
    lines = [
        [str(rank), name, shown(sums[name])]
        for rank, name in enumerate(best[: parameters()["length"]], 1)
    ]
    write("top.csv", ["rank", FACETS["top"], FACETS["top_by"]], lines)


def statement(counted: list[Row]) -> None:
    """Write what goes on the slide."""
    by_month: dict[str, int] = defaultdict(int)
    for one in counted:
        by_month[one[FACETS["counts_by"]][:7]] += one["sales"]
    best = max(by_month, key=lambda month: by_month[month])
    units, sales = sum(one["units"] for one in counted), money(total(counted))
    if FACETS["statement"] == "text":
        lines = f"Sales: {sales}\nOrders: {len(counted)}\nUnits: {units}\n"
        deliver("statement.txt", f"{lines}Best month: {best}\n")
        return
    record = {
        "sales": int(sales) if FACETS["unit"] == "cents" else sales,
        "orders": len(counted),
        "units": units,
        "best_month": best,
    }
    deliver("statement.json", json.dumps(record, indent=1))


def extra(orders: list[Row], left_out: list[Row]) -> None:
    """Write what is wanted besides."""
    by = FACETS["counts_by"]
    if FACETS["extra"] == "left_out":
        lines = [[one["order_id"], one[by]] for one in left_out]
        write("left_out.csv", ["order_id", by], lines)
    if FACETS["extra"] == "unpaid":
        lines = [[o["order_id"], o["company"]] for o in orders if not o["paid"]]
        write("unpaid.csv", ["order_id", "company"], lines)


def write(path: str, head: list[str], lines: list[list[str]]) -> None:
    """Write a table."""
    deliver(path, "\n".join([*(",".join(line) for line in [head, *lines]), ""]))
