"""Works the proposal out through `ws`; rules and rates are read off the documents."""

from __future__ import annotations

import json
import math
import re
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
COLUMNS = {
    "units": ("sku", "supplier", "quantity", "cost_cents"),
    "packs": ("supplier", "sku", "packs", "quantity", "cost_cents"),
    "arrival": ("sku", "quantity", "cost_cents", "arrives"),
}[FACETS["columns"]]


def solve() -> None:
    """Look at everything, report, look again at what may have changed, decide."""
    policy = read_policy()
    articles = csv_rows("master/articles.csv")
    sales = {row.pop("sku"): row for row in csv_rows("sales/weekly.csv")}
    stock_of(), orders_of(), terms_of()
    ws_json("say", "I have gone through stock, open orders and terms.")
    stock, orders, terms = stock_of(), orders_of(), terms_of()
    chosen, left_out, urgent = [], [], []
    for one in articles:
        demand = demand_of(one["sku"], sales[one["sku"]], policy)
        lead, _ = terms[one["supplier"]]
        available = stock[one["sku"]] + coming(one["sku"], orders, lead, policy)
        quantity, reason = decide(one, demand, lead, available, policy)
        if reason:
            left_out.append((one["sku"], reason))
            continue
        chosen.append(line_of(one, quantity, today(policy) + timedelta(weeks=lead)))
        if available < demand * lead:
            urgent.append(chosen[-1])
    chosen.sort(key=place)
    deliver("reorder.csv", table(COLUMNS, [[x[c] for c in COLUMNS] for x in chosen]))
    if FACETS["extra"] == "not_ordered":
        deliver("not_ordered.csv", table(("sku", "reason"), sorted(left_out)))
    elif FACETS["extra"] == "urgent":
        cost = sum(line["cost_cents"] for line in urgent)
        skus = sorted(line["sku"] for line in urgent)
        found: dict[str, Any] = {"urgent": skus, "cost_cents": cost}
        deliver("urgent.json", json.dumps(found, indent=1))
    else:
        totals = by_supplier(chosen, terms)
        deliver("orders.json", json.dumps(totals, indent=1))


def read_policy() -> str:
    """Return the rules as one line of text."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    return " ".join(ws_text("read", name).split())


def csv_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV document."""
    return rows_of(ws_text("read", name)) or []


def live(table_name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the warehouse as they are now."""
    if FACETS["stock_in"] == "csv":
        return list(csv_rows(f"exports/{table_name}.csv"))
    sql = f"SELECT * FROM {table_name}"  # noqa: S608  our two names
    found = ws_json("query", "erp/warehouse", sql)
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def stock_of() -> dict[str, int]:
    """Return units on hand that nobody has reserved."""
    return {
        row["sku"]: int(row["on_hand"]) - int(row["reserved"]) for row in live("stock")
    }


def orders_of() -> list[dict[str, Any]]:
    """Return the open orders that are not cancelled."""
    return [row for row in live("open_orders") if row["status"] != "cancelled"]


def terms_of() -> dict[str, tuple[int, int]]:
    """Return lead weeks and lowest order value in cents by supplier."""
    if FACETS["terms_in"] == "table":
        return {
            row["supplier"]: (int(row["lead_weeks"]), int(row["lowest_order_cents"]))
            for row in csv_rows("master/terms.csv")
        }
    if FACETS["terms_in"] == "sheet":
        text = ws_text("read", "purchasing/terms.md")
        lines = re.findall(r"\| (.+?) \| (\d+) weeks? \| ([\d.]+) EUR \|", text)
    else:
        lines = []
        for entry in ws_json("list", "suppliers/")["names"]:
            text = " ".join(ws_text("read", entry["name"]).split())
            pattern = (
                r"^(.+?) Sales office.+time is (\d+) week.+Orders from ([\d.]+) EUR"
            )
            lines += re.findall(pattern, text)
    return {name: (int(weeks), int(e.replace(".", ""))) for name, weeks, e in lines}


def today(policy: str) -> date:
    """Return the day of the proposal."""
    return date.fromisoformat(number_in(r"Today is \w+, ([\d-]{10})", policy))


def number_in(pattern: str, policy: str) -> str:
    """Return the first group; empty where there is no such rule."""
    match = re.search(pattern, policy)
    return match[1] if match else ""


def demand_of(sku: str, weeks: dict[str, str], policy: str) -> Fraction:
    """Return units a week."""
    units = [int(weeks[week]) for week in sorted(weeks)]
    if "weighted average" in policy:
        demand = Fraction(3 * units[-1] + 2 * units[-2] + units[-3], 6)
    elif "the best of the last 4" in policy:
        demand = Fraction(max(units[-4:]))
    else:
        last = 4 if "average of the last 4 weeks" in policy else len(units)
        demand = Fraction(sum(units[-last:]), last)
    campaign = re.search(r"take demand of (.+?) (\d+) % higher", policy)
    if campaign and sku in campaign[1].split(", "):
        demand *= 1 + Fraction(int(campaign[2]), 100)
    return demand


def coming(sku: str, orders: list[dict[str, Any]], lead: int, policy: str) -> int:
    """Return units on their way that count."""
    mine = [one for one in orders if one["sku"] == sku]
    if "if the supplier has confirmed them" in policy:
        mine = [one for one in mine if one["status"] == "confirmed"]
    elif "within the lead time" in policy:
        last = str(today(policy) + timedelta(weeks=lead))
        mine = [one for one in mine if one["expected"] <= last]
    return sum(int(one["quantity"]) for one in mine)


def decide(
    one: dict[str, str], demand: Fraction, lead: int, available: int, policy: str
) -> tuple[int, str]:
    """Return how much is ordered, or why nothing is."""
    if one["status"] == "phase_out":
        return 0, "phase_out"
    if one["supplier"] == number_in(r"Nothing is ordered from (.+?) for now", policy):
        return 0, "frozen"
    point = demand * lead + safety(one, demand, lead, policy)
    if available >= point:
        return 0, "enough"
    cover = int(number_in(r"plus (\d+) weeks of demand", policy))
    wanted = math.ceil(point + demand * cover - available)
    least, pack = int(one["minimum"]), int(one["pack_size"])
    if wanted < least:
        waits = "nothing is ordered this time" in policy
        if waits or ("half of the minimum" in policy and 2 * wanted < least):
            return 0, "minimum"
        wanted = least
    return -(-wanted // pack) * pack, ""


def safety(one: dict[str, str], demand: Fraction, lead: int, policy: str) -> Fraction:
    """Return the safety stock in units."""
    percent = number_in(r"\*\* is (\d+) % of the demand during the lead time", policy)
    if percent:
        return demand * lead * int(percent) / 100
    weeks = number_in(r"Safety stock\*\* is (\d+) weeks of demand\.", policy)
    pattern = rf"(\d+)(?: weeks of demand)? for (?:class )?{one['class']}\b"
    return demand * int(weeks or number_in(pattern, policy))


def line_of(one: dict[str, str], quantity: int, arrives: date) -> dict[str, Any]:
    """Return a line with all columns that can be wanted."""
    return {
        "sku": one["sku"],
        "supplier": one["supplier"],
        "packs": quantity // int(one["pack_size"]),
        "quantity": quantity,
        "cost_cents": quantity * int(one["unit_cents"]),
        "arrives": arrives.isoformat(),
    }


def place(line: dict[str, Any]) -> tuple[Any, ...]:
    """Return by what lines are sorted."""
    first = {"sku": "", "supplier": line["supplier"], "cost": -line["cost_cents"]}
    return first[FACETS["order_by"]], line["sku"]


def by_supplier(
    chosen: list[dict[str, Any]], terms: dict[str, tuple[int, int]]
) -> dict[str, dict[str, Any]]:
    """Return what each supplier gets."""
    found = {}
    for name in sorted({line["supplier"] for line in chosen}):
        costs = [line["cost_cents"] for line in chosen if line["supplier"] == name]
        total = sum(costs)
        is_small = total < terms[name][1]
        found[name] = {"lines": len(costs), "cost_cents": total, "is_small": is_small}
    return found


def table(columns: tuple[str, ...], rows: list[Any]) -> str:
    """Return CSV."""
    return "".join(",".join(map(str, row)) + "\n" for row in [columns, *rows])
