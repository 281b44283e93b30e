"""Reconciles March through `ws`."""

from __future__ import annotations

import json
from decimal import Decimal

from seedlib import deliver, rows_of, ws_text


def solve() -> None:
    """Read the four documents, follow the policy, write both files."""
    ws_text("read", "policies/reconciliation.md")
    orders = rows_of(ws_text("read", "purchasing/orders_2024_03.csv")) or []
    invoices = ws_text("read", "purchasing/invoices.csv").splitlines()[1:]
    bank = rows_of(ws_text("read", "bank/statement_2024_04.csv")) or []
    by_order = {}
    numbers = set()
    for line in invoices:
        number, order, _, amount = line.split(";")
        by_order[order] = (number, int(Decimal(amount) * 100))
        numbers.add(number)
    paid: dict[str, list[int]] = {}
    for row in bank:
        cents = int(Decimal(row["amount"]) * 100)
        paid.setdefault(row["text"].split()[-1], []).append(cents)
    lines = ["order_id,status,difference_cents"]
    for order in orders:
        status, difference = judge(order, by_order, paid)
        lines.append(f"{order['order_id']},{status},{difference}")
    deliver("reconciliation.csv", "\n".join(lines) + "\n")
    known = {order["order_id"] for order in orders}
    apart = {
        "invoices": sorted(n for o, (n, _) in by_order.items() if o not in known),
        "bank_lines": sorted(
            row["text"] for row in bank if row["text"].split()[-1] not in numbers
        ),
    }
    deliver("apart.json", json.dumps(apart, indent=1))


def judge(
    order: dict[str, str],
    by_order: dict[str, tuple[str, int]],
    paid: dict[str, list[int]],
) -> tuple[str, int]:
    """Return status and difference of one order."""
    if order["order_id"] not in by_order:
        return "missing_invoice", 0
    number, asked = by_order[order["order_id"]]
    ordered = int(order["amount_cents"])
    lines = paid.get(number, [])
    total = sum(lines)
    for status, holds, difference in (
        ("price_difference", asked != ordered, asked - ordered),
        ("missing_payment", not lines, 0),
        ("duplicate_payment", len(lines) > 1, total - asked),
        ("short_payment", total < asked, total - asked),
    ):
        if holds:
            return status, difference
    return "matched", 0
