"""Matches the invoices through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import Any

from seedlib import deliver, parameters, ws_json, ws_text

FACETS = parameters()["facets"]
Line = tuple[str, str, str, dict[str, Any]]
"""File, verdict, reason, invoice."""
FIELDS = ("Invoice", "From", "Your order", "Quantity", "Unit price", "Freight", "Total")


def solve() -> None:
    """Read, tell, read again, decide, write both files."""
    invoices = read_invoices()
    delivered()
    said = ws_json("say", "I have read invoices, orders and deliveries.")
    cancelled = set(re.findall(r"PO-\d+", said["user_message"]))
    policy = read_policy()
    orders, arrived = ordered(), delivered()
    left: Counter[str] = Counter(arrived)
    seen: set[tuple[Any, ...]] = set()
    lines: list[Line] = []
    for file, one in invoices.items():
        verdict, reason = decide(one, orders, left, seen, cancelled, policy)
        seen.add(identity(one))
        if verdict == "pay":
            left[one["Your order"]] -= one["Quantity"]
        lines.append((file, verdict, reason, one))
    deliver("summary.json", json.dumps(summary(lines), indent=1))
    extra(lines)
    if FACETS["order_by"] == "order":
        lines.sort(key=lambda line: (int(line[3]["Your order"][3:]), line[0]))
    listed = {
        "all": ("pay", "hold", "reject"),
        "not_rejected": ("pay", "hold"),
        "paid": ("pay",),
    }[FACETS["listed"]]
    table = [
        f"{file},{verdict},{reason},{amount(one['Total'] if verdict == 'pay' else 0)}"
        for file, verdict, reason, one in lines
        if verdict in listed
    ]
    unit = "eur" if FACETS["unit"] == "euros" else "cents"
    head = f"file,verdict,reason,payable_{unit}"
    deliver("match.csv", "\n".join([head, *table, ""]))


def amount(cents: int) -> str:
    """Return an amount as it is wanted."""
    if FACETS["unit"] == "cents":
        return str(cents)
    return f"{cents // 100}.{cents % 100:02}"


def extra(lines: list[Line]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "holds":
        held = [
            f"{file} {one['From']}: {reason}\n"
            for file, verdict, reason, one in lines
            if verdict == "hold"
        ]
        deliver("holds.txt", "".join(held))
    if FACETS["extra"] == "questions":
        found: dict[str, list[str]] = defaultdict(list)
        for file, verdict, _, one in lines:
            if verdict != "pay":
                found[one["From"]].append(file)
        deliver("questions.json", json.dumps(found, indent=1))


def read_invoices() -> dict[str, dict[str, Any]]:
    """Return what each file says; amounts in cents."""
    found = {}
    for entry in ws_json("list", FACETS["folder"] + "/")["names"]:
        text = ws_text("read", entry["name"])
        one: dict[str, Any] = {}
        for field in FIELDS:
            match = re.search(rf"^\[?{field}\b[\]:]?\s+(.+?)\s*$", text, re.MULTILINE)
            one[field] = match[1] if match else ""
        for field in ("Unit price", "Freight", "Total"):
            one[field] = int(re.sub(r"\D", "", one[field]) or 0)
        one["Quantity"] = int(one["Quantity"])
        found[entry["name"].rpartition("/")[2].removesuffix(".txt")] = one
    return dict(sorted(found.items()))


def read_policy() -> str:
    """Return the rules as one line of text."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    return " ".join(ws_text("read", name).split())


def ordered() -> dict[str, int]:
    """Return prices by order."""
    sql = "SELECT order_no, unit_cents FROM orders"
    return dict(ws_json("query", FACETS["store"], sql)["rows"])


def delivered() -> dict[str, int]:
    """Return quantities by order."""
    sql = "SELECT order_no, SUM(quantity) FROM deliveries GROUP BY order_no"
    return dict(ws_json("query", FACETS["store"], sql)["rows"])


def identity(one: dict[str, Any]) -> tuple[Any, ...]:
    """Return by what an invoice is known again."""
    return {
        "number": (one["Invoice"],),
        "number_and_supplier": (one["Invoice"], one["From"]),
        "order_and_amount": (one["Your order"], one["Total"]),
    }[FACETS["repeats"]]


def decide(
    one: dict[str, Any],
    orders: dict[str, int],
    left: Counter[str],
    seen: set[tuple[Any, ...]],
    cancelled: set[str],
    policy: str,
) -> tuple[str, str]:
    """Return verdict and reason."""
    order = one["Your order"]
    if order not in orders:
        return "reject", "no_order"
    if order in cancelled or identity(one) in seen:
        return "reject", "cancelled" if order in cancelled else "repeated"
    dear = one["Unit price"] - orders[order]
    holds = {
        "quantity": one["Quantity"] > left[order],
        "price": dear * 1000 > allowed(orders[order], policy),
        "freight": one["Freight"] and not pays_freight(one, policy),
    }
    reason = next((name for name, is_so in holds.items() if is_so), "-")
    return "pay" if reason == "-" else "hold", reason


def allowed(unit_cents: int, policy: str) -> int:
    """Return by how many thousandths of a cent a price may be above the order's."""
    percent = re.search(r"more than ([\d.]+) % above", policy)
    if percent:
        return round(float(percent[1]) * 10) * unit_cents
    cents = re.search(r"more than (\d+) cents above", policy)
    return int(cents[1]) * 1000 if cents else 0


def pays_freight(one: dict[str, Any], policy: str) -> bool:
    """Return whether the freight of an invoice is paid."""
    limit = re.search(r"Freight is paid up to ([\d.]+) EUR", policy)
    if limit:
        return bool(one["Freight"] <= int(limit[1].replace(".", "")))
    names = re.search(r"Freight is paid to (.+?) only", policy)
    return names is not None and one["From"] in names[1].split(" and ")


def summary(lines: list[Line]) -> dict[str, int]:
    """Return what the request wants."""
    found: dict[str, int] = defaultdict(int)
    for _, verdict, reason, one in lines:
        if FACETS["summary"] == "by_verdict":
            found[verdict] += 1
        elif FACETS["summary"] == "by_reason":
            found[reason] += one["Total"]
        elif verdict == "pay":
            found[one["From"]] += one["Total"]
    return dict(found)
