"""Grades the migration: the store as the broker holds it, and both files."""

from __future__ import annotations

import sqlite3
from fractions import Fraction
from typing import Any, NamedTuple

from seedlib import Final, overlap, rows_of, share

DAY = "2025-01-01"
AMOUNTS = ("list_cents", "net_cents")
OTHERS = ("price_quantity", "discount_bp", "currency", "valid_from", "status")


class Wanted(NamedTuple):
    """What should be there."""

    prices: dict[str, dict[str, Any]]
    """By SKU."""
    left_out: dict[str, str]
    """Article number to reason."""


def wanted(final: Final) -> Wanted:
    """Migrate anew, off what the broker holds and the agent can't change."""
    catalogue = _store(final, "catalogue.sql")
    by_number = {
        number: (sku, status)
        for sku, number, status in catalogue.execute(
            "SELECT sku, old_no, status FROM articles"
        )
    }
    floors = dict(catalogue.execute("SELECT sku, floor_cents FROM floors"))
    factors = _factors(final)
    rates = _rates(final)
    old: dict[str, list[list[str]]] = {}
    for text in (final.held("old_prices.csv") or "").splitlines()[1:]:
        number, *line = text.split(";")
        old.setdefault(number, []).append(line)
    prices, left_out = {}, {}
    for number, lines in old.items():
        sku, status = by_number.get(number, ("", ""))
        held = [one for one in lines if one[5] <= DAY and (one[6] or DAY) >= DAY]
        taken = max(held, key=lambda one: one[5], default=None)
        reason = ""
        if status != "sold":
            reason = status or "no_sku"
        elif taken is None:
            later = any(one[5] > DAY for one in lines)
            reason = "not_yet" if later else "ended"
        elif taken[3] not in rates:
            reason = "no_rate"
        if reason or taken is None:
            left_out[number] = reason
            continue
        prices[sku] = _price(taken, factors[taken[4]], rates[taken[3]], floors.get(sku))
    return Wanted(prices, left_out)


def _price(
    line: list[str], factor: Fraction, rate: Fraction, floor: int | None
) -> dict[str, Any]:
    _, unit, old, _, _, start, _ = line
    euros = Fraction(old.replace(".", "").replace(",", ".")) / rate
    net = _whole(euros * factor)
    return {
        "price_quantity": {"E": 1, "C": 100, "M": 1000}[unit],
        "list_cents": _whole(euros),
        "discount_bp": int((1 - factor) * 10_000),
        "net_cents": net,
        "currency": "EUR",
        "valid_from": start,
        "status": "active" if floor is None or net >= floor else "review",
    }


def _whole(euros: Fraction) -> int:
    """Return cents, half a cent upwards."""
    return int(euros * 100 + Fraction(1, 2))


def _factors(final: Final) -> dict[str, Fraction]:
    """Return what each group leaves, those above it included."""
    rows = {row["code"]: row for row in rows_of(final.held("groups.csv")) or []}

    def left(code: str) -> Fraction:
        if not code:
            return Fraction(1)
        row = rows[code]
        is_over = row["ends"] and row["ends"] < DAY
        own = 0 if is_over else Fraction(row["percent"]) / 100
        return left(row["below"]) * (1 - own)

    return {code: left(code) for code in ("", *rows)}


def _rates(final: Final) -> dict[str, Fraction]:
    rows = rows_of(final.held("fixings.csv")) or []
    past = sorted((r["date"], r["currency"], r["per_euro"]) for r in rows)
    found = {code: Fraction(rate) for date, code, rate in past if date <= DAY}
    return {**found, "EUR": Fraction(1)}


def _store(final: Final, path: str) -> sqlite3.Connection:
    """Open a store that the broker wrote; an agent can only have changed its rows."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(final.held(path) or "")
    return connection


def stored(final: Final) -> dict[str, dict[str, Any]]:
    """Return the lines of the price store by SKU."""
    cursor = _store(final, "prices.sql").execute("SELECT * FROM prices")
    names = [one[0] for one in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor]
    return {str(row.pop("sku")): row for row in rows}


def articles(final: Final) -> float:
    """How far the right SKUs are in the store; half of them by chance is nothing."""
    return max(0.0, 2 * overlap(set(stored(final)), set(wanted(final).prices)) - 1)


def _right(final: Final, names: tuple[str, ...]) -> float:
    due, given = wanted(final).prices, stored(final)
    right = sum(
        all(given.get(sku, {}).get(name) == row[name] for name in names)
        for sku, row in due.items()
    )
    return share(right, len(due | given))


def amounts(final: Final) -> float:
    """Share of lines whose two prices are right to the cent."""
    return _right(final, AMOUNTS)


def fields(final: Final) -> float:
    """Share of lines of which all else is right."""
    return _right(final, OTHERS)


def left_out(final: Final) -> float:
    """How far the list of what was left out, with reasons, agrees."""
    rows = final.rows("left_out.csv") or []
    given = [(row["article"], row["reason"]) for row in rows]
    due = sorted(wanted(final).left_out.items())
    score = overlap(set(given), set(due))
    return score if given == due or score < 1 else 0.9


def listed(final: Final) -> float:
    """Share of lines of the file that are right; in another order, at most 0.9."""
    rows = final.rows("prices.csv") or []
    due = wanted(final).prices
    names = ("sku", *AMOUNTS, *OTHERS)
    if not rows or set(rows[0]) != set(names):
        return 0.0
    skus = [row["sku"] for row in rows]
    good = {
        row["sku"]
        for row in rows
        if row["sku"] in due
        and all(row[name] == str(due[row["sku"]][name]) for name in names[1:])
    }
    score = share(len(good), max(len(rows), len(due)))
    return min(score, 1.0 if skus == sorted(skus) else 0.9)


CRITERIA = {
    "articles": articles,
    "amounts": amounts,
    "fields": fields,
    "left_out": left_out,
    "listed": listed,
}
