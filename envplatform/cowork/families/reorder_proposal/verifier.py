"""Grades the proposal, worked out anew from what is held in the end."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from marks import csv_text
from seedlib import Final, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
HEAD = {
    "units": ["sku", "supplier", "quantity", "cost_cents"],
    "packs": ["supplier", "sku", "packs", "quantity", "cost_cents"],
    "arrival": ["sku", "quantity", "cost_cents", "arrives"],
}[FACETS["columns"]]
CLASS_WEEKS = {"A": 3, "B": 2, "C": 1}
EXTRA = {
    "by_supplier": "orders.json",
    "not_ordered": "not_ordered.csv",
    "urgent": "urgent.json",
}[FACETS["extra"]]


class Verdict(NamedTuple):
    """What becomes of one article."""

    sku: str
    supplier: str
    reason: str
    """Empty: it is ordered."""
    quantity: int
    cells: dict[str, str]
    is_urgent: bool


class Proposal(NamedTuple):
    """The right work."""

    verdicts: list[Verdict]
    lowest: dict[str, int]
    """Lowest order value in cents by supplier."""

    @property
    def ordered(self) -> list[Verdict]:
        """Lines in the order that is wanted."""
        lines = [one for one in self.verdicts if not one.reason]
        lines.sort(key=lambda one: one.sku)
        if FACETS["order_by"] == "supplier":
            lines.sort(key=lambda one: one.supplier)
        if FACETS["order_by"] == "cost":
            lines.sort(key=lambda one: -int(one.cells["cost_cents"]))
        return lines


def wanted(final: Final, misread: str = "") -> Proposal:
    """Work out the right proposal; `misread` names what is missed."""
    before = DRAWN["before"] if misread == "stale" else {}
    stock, orders = _warehouse(final)
    terms = _terms(final)
    lead = {name: before.get("lead", {}).get(name, weeks) for name, weeks, _ in terms}
    weekly = {row.pop("sku"): list(row.values()) for row in _csv(final, "sales/weekly")}
    found = []
    for row in _csv(final, "master/articles"):
        sku, weeks = row["sku"], lead[row["supplier"]]
        on_hand, reserved = stock[sku]
        free = before.get("stock", {}).get(sku, on_hand)
        free -= 0 if misread == "reserved" else reserved
        for number, of, quantity, day, status in orders:
            state = before.get("orders", {}).get(number, status)
            if of == sku and misread != "inbound" and _counts(state, day, weeks):
                free += quantity
        found.append(
            _verdict(row, _rate(sku, weekly[sku], misread), weeks, free, misread)
        )
    return Proposal(found, {name: cents for name, _, cents in terms})


def _csv(final: Final, name: str) -> list[dict[str, str]]:
    return rows_of(final.held(f"{name}.csv")) or []


def _warehouse(final: Final) -> tuple[dict[str, tuple[int, int]], list[Any]]:
    dump = final.held("erp/warehouse.sql")
    if dump is not None:
        store = sqlite3.connect(":memory:")
        store.executescript(dump)
        stock = store.execute("SELECT sku, on_hand, reserved FROM stock").fetchall()
        return {sku: (had, kept) for sku, had, kept in stock}, store.execute(
            "SELECT * FROM open_orders"
        ).fetchall()
    lines = [tuple(row.values()) for row in _csv(final, "exports/open_orders")]
    return (
        {
            row["sku"]: (int(row["on_hand"]), int(row["reserved"]))
            for row in _csv(final, "exports/stock")
        },
        [(number, sku, int(n), day, state) for number, sku, n, day, state in lines],
    )


def _terms(final: Final) -> list[tuple[str, int, int]]:
    if FACETS["terms_in"] == "table":
        rows: Any = (tuple(r.values()) for r in _csv(final, "master/terms"))
        return [(name, int(weeks), int(cents)) for name, weeks, cents in rows]
    if FACETS["terms_in"] == "sheet":
        cells = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in (final.held("purchasing/terms.md") or "").splitlines()
            if " EUR" in line
        ]
    else:
        texts = [
            path.read_text(encoding="utf-8")
            for path in Path(final.served / "held" / "suppliers").glob("*.txt")
        ]
        cells = [
            [text.splitlines()[0], *re.findall(r"time is (\d+)|from (\d[\d.]+)", text)]
            for text in texts
        ]
        cells = [[name, lead[0], euros[1]] for name, lead, euros in cells]
    return [
        (name, int(lead.split()[0]), int(re.sub(r"\D", "", euros)))
        for name, lead, euros in cells
    ]


def _counts(status: str, day: str, lead: int) -> bool:
    if FACETS["inbound"] == "confirmed":
        return status == "confirmed"
    last = date.fromisoformat(DRAWN["today"]) + timedelta(days=7 * lead)
    is_near = FACETS["inbound"] == "all" or date.fromisoformat(day) <= last
    return status != "cancelled" and is_near


def _rate(sku: str, weeks: list[str], misread: str) -> Fraction:
    past = [int(one) for one in reversed(weeks)]
    rate = {
        "last_4": Fraction(sum(past[:4]), 4),
        "last_8": Fraction(sum(past), len(past)),
        "weighted": Fraction(past[0] * 3 + past[1] * 2 + past[2], 6),
        "peak": Fraction(max(past[:4])),
    }[FACETS["demand"]]
    if FACETS["exception"] == "promotion" and sku in DRAWN["excepted"]:
        raised = 0 if misread == "exception" else DRAWN["promotion_percent"]
        rate = rate * (100 + raised) / 100
    return rate


def _verdict(
    row: dict[str, str], rate: Fraction, lead: int, free: int, misread: str
) -> Verdict:
    weeks = {
        "weeks": Fraction(DRAWN["safety_weeks"]),
        "percent": Fraction(lead * DRAWN["safety_percent"], 100),
        "by_class": Fraction(CLASS_WEEKS[row["class"]]),
    }[FACETS["safety"]]
    point = rate * (lead + weeks)
    gap = point + rate * DRAWN["cover_weeks"] - free
    units = int(gap) + (gap != int(gap))
    pack, least = int(row["pack_size"]), int(row["minimum"])
    reason = ""
    if units < least and misread != "minimum":
        is_little = FACETS["minimum"] == "half" and units < least / 2
        reason = "minimum" if is_little or FACETS["minimum"] == "wait" else ""
        units = least
    reason = "enough" if free >= point else reason
    if misread != "exception":
        if FACETS["exception"] == "frozen" and row["supplier"] in DRAWN["excepted"]:
            reason = "frozen"
        reason = "phase_out" if row["status"] == "phase_out" else reason
    packs = (units + pack - 1) // pack
    cells = {
        "sku": row["sku"],
        "supplier": row["supplier"],
        "packs": str(packs),
        "quantity": str(packs * pack),
        "cost_cents": str(packs * pack * int(row["unit_cents"])),
        "arrives": str(date.fromisoformat(DRAWN["today"]) + timedelta(days=7 * lead)),
    }
    is_urgent = free < rate * lead
    return Verdict(row["sku"], row["supplier"], reason, packs * pack, cells, is_urgent)


def extra_of(right: Proposal) -> Any:  # noqa: ANN401  rows or JSON
    """Return the second deliverable."""
    if FACETS["extra"] == "not_ordered":
        return sorted((one.sku, one.reason) for one in right.verdicts if one.reason)
    lines = right.ordered
    if FACETS["extra"] == "urgent":
        hot = [one for one in lines if one.is_urgent]
        cents = sum(int(one.cells["cost_cents"]) for one in hot)
        return {"urgent": sorted(one.sku for one in hot), "cost_cents": cents}
    found: dict[str, Any] = {}
    for one in lines:
        entry = found.setdefault(one.supplier, {"lines": 0, "cost_cents": 0})
        entry["lines"] += 1
        entry["cost_cents"] += int(one.cells["cost_cents"])
    for name, entry in found.items():
        entry["is_small"] = entry["cost_cents"] < right.lowest[name]
    return found


def _given(final: Final) -> dict[str, dict[str, str]]:
    """Return the delivered lines by SKU; none if the form is not the one wanted."""
    rows = final.rows("reorder.csv") or []
    if not rows or list(rows[0]) != HEAD:
        return {}
    return {row["sku"]: row for row in rows}


def selection(final: Final) -> float:
    """How far the right articles are ordered, each once, squared; order counts, too."""
    given = _given(final)
    due = [one.sku for one in wanted(final).ordered]
    score = share(len(set(given) & set(due)), len(set(given) | set(due))) ** 2
    listed = [row["sku"] for row in final.rows("reorder.csv") or [] if given]
    return score if listed == due else min(score, 0.8)


def quantities(final: Final) -> float:
    """Share of the lines with the right quantity, squared."""
    return _share_right(final, ("quantity",))


def details(final: Final) -> float:
    """Share of the lines of which all else is right, too, squared."""
    return _share_right(final, tuple(HEAD))


def _share_right(final: Final, names: tuple[str, ...]) -> float:
    given, due = _given(final), {one.sku: one.cells for one in wanted(final).ordered}
    right = sum(
        all(given.get(sku, {}).get(name) == cells[name] for name in names)
        for sku, cells in due.items()
    )
    return share(right, len(due.keys() | given.keys())) ** 2


def extra(final: Final) -> float:
    """Share of the entries of the second file that are right, squared."""
    due = extra_of(wanted(final))
    if isinstance(due, list):
        rows = final.rows(EXTRA) or []
        given = [tuple(row.values()) for row in rows]
        if not rows or list(rows[0]) != ["sku", "reason"]:
            return 0.0
        score = share(len(set(given) & set(due)), len(set(given) | set(due))) ** 2
        return score if given == due else min(score, 0.8)
    told = final.json(EXTRA)
    if not isinstance(told, dict):
        return 0.0
    if "urgent" in due and told != due:
        listed = told.get("urgent")
        skus = {str(one) for one in listed} if isinstance(listed, list) else set()
        hot = set(due["urgent"])
        return 0.6 * share(len(skus & hot), len(skus | hot)) ** 2
    right = sum(_same(told.get(name), value) for name, value in due.items())
    return share(right, len(due.keys() | told.keys())) ** 2


def _same(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


CRITERIA = spelt(
    {
        "selection": selection,
        "quantities": quantities,
        "details": details,
        "extra": extra,
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(right: Proposal) -> dict[str, str]:
    lines = [[one.cells[name] for name in HEAD] for one in right.ordered]
    second = extra_of(right)
    is_table = isinstance(second, list)
    text = csv_text([["sku", "reason"], *second]) if is_table else json.dumps(second)
    return {"reorder.csv": csv_text([HEAD, *lines]), EXTRA: text}


MISREADINGS = {
    "what was read first is used": lambda final: _as_delivered(wanted(final, "stale")),
    "open orders do not matter": lambda final: _as_delivered(wanted(final, "inbound")),
    "reserved stock is free": lambda final: _as_delivered(wanted(final, "reserved")),
    "the exception is missed": lambda final: _as_delivered(wanted(final, "exception")),
    "minimum quantities are missed": lambda final: _as_delivered(
        wanted(final, "minimum")
    ),
}
