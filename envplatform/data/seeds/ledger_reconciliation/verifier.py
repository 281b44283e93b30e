"""Grades the reconciliation of March."""

from __future__ import annotations

from decimal import Decimal

from seedlib import Final, overlap, rows_of, share

STATUSES = (
    "missing_invoice",
    "price_difference",
    "missing_payment",
    "duplicate_payment",
    "short_payment",
    "matched",
)


def expected(final: Final) -> dict[str, tuple[str, int]]:
    """Work the reconciliation out anew, from what the broker holds."""
    orders = rows_of(final.held("orders.csv")) or []
    invoices = _invoices(final)
    paid = _paid(final)
    found = {}
    for order in orders:
        cents = int(order["amount_cents"])
        mine = [one for one in invoices.items() if one[1][0] == order["order_id"]]
        found[order["order_id"]] = _judged(cents, mine, paid)
    return found


def _judged(
    cents: int, mine: list[tuple[str, tuple[str, int]]], paid: dict[str, list[int]]
) -> tuple[str, int]:
    if not mine:
        return "missing_invoice", 0
    number, (_, asked) = mine[0]
    lines = paid.get(number, [])
    if asked != cents:
        return "price_difference", asked - cents
    if not lines:
        return "missing_payment", 0
    if len(lines) > 1:
        return "duplicate_payment", sum(lines) - asked
    if lines[0] < asked:
        return "short_payment", lines[0] - asked
    return "matched", 0


def _invoices(final: Final) -> dict[str, tuple[str, int]]:
    lines = (final.held("invoices.csv") or "").splitlines()[1:]
    rows = (line.split(";") for line in lines)
    return {row[0]: (row[1], int(Decimal(row[3]) * 100)) for row in rows}


def _paid(final: Final) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in rows_of(final.held("bank.csv")) or []:
        number = row["text"].split()[-1]
        found.setdefault(number, []).append(int(Decimal(row["amount"]) * 100))
    return found


def _lines(final: Final) -> list[dict[str, str]]:
    return final.rows("reconciliation.csv") or []


def statuses(final: Final) -> float:
    """Share of orders with the right status; a file of one status is none."""
    wanted = {order: status for order, (status, _) in expected(final).items()}
    given = {row["order_id"]: row["status"] for row in _lines(final)}
    if len(set(given.values())) < 3:
        return 0.0
    return share(sum(given.get(o) == s for o, s in wanted.items()), len(wanted))


def differences(final: Final) -> float:
    """Share of orders that have a difference and got the right one."""
    wanted = {order: cents for order, (_, cents) in expected(final).items()}
    given = {row["order_id"]: row["difference_cents"] for row in _lines(final)}
    if not given:
        return 0.0
    right = [given.get(o) == str(cents) for o, cents in wanted.items()]
    odd = [ok for ok, cents in zip(right, wanted.values(), strict=True) if cents]
    return share(sum(odd), len(odd)) if all(right) or not all(odd) else 0.9


def apart(final: Final) -> float:
    """How far both lists of what has no order agree with ours."""
    given = final.json("apart.json")
    orders = set(expected(final))
    invoices = _invoices(final)
    lost = {number for number, (order, _) in invoices.items() if order not in orders}
    texts = {row["text"] for row in rows_of(final.held("bank.csv")) or []}
    unknown = {text for text in texts if text.split()[-1] not in invoices}
    if not isinstance(given, dict):
        return 0.0
    both = [
        overlap(set(given.get("invoices") or []), lost),
        overlap(set(given.get("bank_lines") or []), unknown),
    ]
    return sum(both) / 2


def form(final: Final) -> float:
    """One line an order, in their order, with known statuses and nothing else."""
    rows = _lines(final)
    if not rows or set(rows[0]) != {"order_id", "status", "difference_cents"}:
        return 0.0
    in_order = [row["order_id"] for row in rows] == list(expected(final))
    known = all(row["status"] in STATUSES for row in rows)
    return 1.0 if in_order and known else 0.0


CRITERIA = {
    "statuses": statuses,
    "differences": differences,
    "apart": apart,
    "form": form,
}
