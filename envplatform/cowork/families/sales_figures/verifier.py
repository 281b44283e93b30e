"""Grades the figures, worked out anew in SQL and fractions from what is held."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from marks import csv_text, table_mark
from seedlib import Final, parameters, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
_JOIN = """
SELECT o.order_id, o.ordered, o.paid, CAST(o.quantity AS INTEGER), o.unit_price,
 o.discount, c.company, c.city, p.product, p.category, w.name, w.department
FROM orders o JOIN companies c USING (company_id) JOIN products p USING (product_id)
JOIN people w USING (person_id) ORDER BY o.order_id
"""


class Order(NamedTuple):
    """An order with all it refers to."""

    order_id: str
    ordered: str
    paid: str | None
    quantity: int
    unit_price: str
    discount: str
    company: str
    city: str
    product: str
    category: str
    name: str
    department: str

    @property
    def month(self) -> str:
        """In which it counts; empty if in none."""
        return (getattr(self, FACETS["counts_by"]) or "")[:7]

    @property
    def is_left_out(self) -> bool:
        """Whether it never counts."""
        match FACETS["left_out"]:
            case "companies":
                return self.company in DRAWN["internal"]
            case "small":
                return self.quantity < int(DRAWN["least"])
            case _:
                return bool(self.category == DRAWN["category"])


class Counted(NamedTuple):
    """An order that counts."""

    order: Order
    units: int
    cents: Fraction


class Figures:
    """All that is wanted; `misread` names a definition that is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        store = _store(final)
        self.orders = [Order(*row) for row in store.execute(_JOIN)]
        sql = "SELECT order_id, returned, CAST(quantity AS INTEGER) FROM returns"
        self.back = [] if misread == "returns" else store.execute(sql).fetchall()
        self.misread = misread
        months = DRAWN["months"]
        self.inside = [one for one in self.orders if self._month(one) in months]
        counted = [self._counted(one) for one in self.inside if not one.is_left_out]
        self.counted = [one for one in counted if one.units]

    def _month(self, one: Order) -> str:
        if self.misread != "day":
            return one.month
        other = one.paid if FACETS["counts_by"] == "ordered" else one.ordered
        return (other or "")[:7]

    def _counted(self, one: Order) -> Counted:
        units = one.quantity
        for order, day, quantity in self.back:
            if order != one.order_id:
                continue
            after = date.fromisoformat(day) - date.fromisoformat(one.ordered)
            if FACETS["returns"] == "whole":
                units = 0
            elif FACETS["returns"] == "deducted" or after.days <= DRAWN["days"]:
                units -= quantity
        off = Fraction(one.discount)
        rule = FACETS["discount"]
        if self.misread == "discount":
            rule = "net" if rule == "gross" else "gross"
        off = {"net": off, "gross": Fraction(0), "capped": min(off, Fraction(1, 20))}[
            rule
        ]
        cents = Fraction(one.unit_price) * 100 * units * (1 - off)
        if FACETS["rounding"] == "half_up":
            cents = Fraction(_half_up(cents))
        if FACETS["rounding"] == "down":
            cents = Fraction(cents.numerator // cents.denominator)
        return Counted(one, units, cents)

    def pivot(self) -> list[list[str]]:
        """Return the lines of the table with its head."""
        groups: dict[str, list[Counted]] = {}
        for one in self.counted:
            groups.setdefault(getattr(one.order, FACETS["rows"]), []).append(one)
        names = sorted(groups)
        if FACETS["sort"] == "size":
            names.sort(key=lambda name: (-_half_up(_sum(groups[name])), name))
        lines = [[name, *self._cells(groups[name])] for name in names]
        if FACETS["footer"] == "total":
            lines.append(["Total", *self._cells(self.counted)])
        heads = ["orders", "units", "sales"]
        if FACETS["columns"] == "months":
            heads = [*DRAWN["months"], "total"]
        return [[FACETS["rows"], *heads], *lines]

    def _cells(self, group: list[Counted]) -> list[str]:
        if FACETS["columns"] == "measures":
            units = sum(one.units for one in group)
            return [str(len(group)), str(units), _money(_sum(group))]
        parts = [
            [one for one in group if self._month(one.order) == month]
            for month in DRAWN["months"]
        ]
        return [_money(_sum(part)) for part in (*parts, group)]

    def top(self) -> list[list[str]]:
        """Return the lines of the best with their head."""
        sums: dict[str, Fraction] = {}
        for one in self.counted:
            name = getattr(one.order, FACETS["top"])
            more = one.cents if FACETS["top_by"] == "sales" else Fraction(one.units)
            sums[name] = sums.get(name, Fraction(0)) + more
        best = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
        shown = _money if FACETS["top_by"] == "sales" else str
        lines = [
            [str(rank), name, shown(amount)]
            for rank, (name, amount) in enumerate(best[: DRAWN["length"]], 1)
        ]
        return [["rank", FACETS["top"], FACETS["top_by"]], *lines]

    def statement(self) -> dict[str, Any]:
        """Return the figures of the statement."""
        months = {
            month: _sum([o for o in self.counted if self._month(o.order) == month])
            for month in DRAWN["months"]
        }
        sales = _money(_sum(self.counted))
        return {
            "sales": int(sales) if FACETS["unit"] == "cents" else sales,
            "orders": len(self.counted),
            "units": sum(one.units for one in self.counted),
            "best_month": max(months, key=lambda month: months[month]),
        }

    def extra(self) -> list[list[str]]:
        """Return the lines of what is wanted besides, with their head."""
        if FACETS["extra"] == "unpaid":
            mine = [one for one in self.orders if not one.paid]
            return [["order_id", "company"], *([o.order_id, o.company] for o in mine)]
        by = FACETS["counts_by"]
        mine = [one for one in self.inside if one.is_left_out]
        return [["order_id", by], *([o.order_id, getattr(o, by) or ""] for o in mine)]


def _half_up(cents: Fraction) -> int:
    return (2 * cents.numerator + cents.denominator) // (2 * cents.denominator)


def _sum(group: list[Counted]) -> Fraction:
    return sum((one.cents for one in group), Fraction(0))


def _money(cents: Fraction) -> str:
    whole = _half_up(cents)
    if FACETS["unit"] == "cents":
        return str(whole)
    return f"{whole // 100}.{whole % 100:02}"


def _store(final: Final) -> sqlite3.Connection:
    store = sqlite3.connect(":memory:")
    if FACETS["data"] == "store":
        store.executescript(final.held(f"{FACETS['place']}.sql") or "")
        return store
    for name in ("orders", "companies", "products", "people", "returns"):
        text = final.held(f"{FACETS['place']}/{name}.csv") or ""
        head, *rows = csv.reader(io.StringIO(text))
        store.execute(f"CREATE TABLE {name} ({', '.join(head)})")
        marks = ", ".join("?" * len(head))
        store.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608
    return store


@cache
def _due(final: Final) -> Figures:
    return Figures(final)


def pivot(final: Final) -> float:
    """How far the lines agree."""
    return table_mark(final, "pivot.csv", _due(final).pivot())


def top(final: Final) -> float:
    """How far the list agrees."""
    return table_mark(final, "top.csv", _due(final).top())


def statement(final: Final) -> float:
    """Share of the figures that are right, squared; half at most if one is wrong."""
    due = _due(final).statement()
    if FACETS["statement"] == "text":
        lines = (final.text("statement.txt") or "").splitlines()
        wanted = _text(due).splitlines()
        right = len(set(lines) & set(wanted))
        score = share(right, len(set(lines) | set(wanted))) ** 2
        return score if lines == wanted else min(score, 0.5)
    given = final.json("statement.json")
    if not isinstance(given, dict):
        return 0.0
    same = [type(given.get(n)) is type(v) and given[n] == v for n, v in due.items()]
    score = share(sum(same), len(given.keys() | due.keys())) ** 2
    return score if score == 1 else min(score, 0.5)


def _text(due: dict[str, Any]) -> str:
    names = {
        "sales": "Sales",
        "orders": "Orders",
        "units": "Units",
        "best_month": "Best month",
    }
    return "".join(f"{names[name]}: {value}\n" for name, value in due.items())


def extra(final: Final) -> float:
    """How far what is wanted besides agrees."""
    return table_mark(final, f"{FACETS['extra']}.csv", _due(final).extra())


CRITERIA = spelt(
    {
        "pivot": pivot,
        "top": top,
        "statement": statement,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(_due(final)),
)


def _written(figures: Figures) -> dict[str, str]:
    files = {"pivot.csv": csv_text(figures.pivot()), "top.csv": csv_text(figures.top())}
    due = figures.statement()
    if FACETS["statement"] == "text":
        files["statement.txt"] = _text(due)
    else:
        files["statement.json"] = json.dumps(due)
    if FACETS["extra"] != "none":
        files[f"{FACETS['extra']}.csv"] = csv_text(figures.extra())
    return files


MISREADINGS = {
    "returns are forgotten": lambda final: _written(Figures(final, "returns")),
    "discounts are treated the other way": lambda f: _written(Figures(f, "discount")),
    "the other day decides": lambda final: _written(Figures(final, "day")),
}
