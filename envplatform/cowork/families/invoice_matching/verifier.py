"""Grades the matching, worked out anew from the papers and what the store holds."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from marks import agreement, alike, csv_text
from seedlib import Final, parameters, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
PAYABLE = "payable_eur" if FACETS["unit"] == "euros" else "payable_cents"
COLUMNS = ["file", "verdict", "reason", PAYABLE]
HELD = {"price", "quantity", "freight"}


class Paper(NamedTuple):
    """One invoice. Amounts in cents."""

    file: str
    number: str
    supplier: str
    order: str
    quantity: int
    unit: int
    freight: int

    @property
    def total(self) -> int:
        """What it asks for."""
        return self.quantity * self.unit + self.freight


class Line(NamedTuple):
    """What one invoice comes to."""

    paper: Paper
    reason: str

    @property
    def verdict(self) -> str:
        """Follows from the reason."""
        if self.reason == "-":
            return "pay"
        return "hold" if self.reason in HELD else "reject"

    @property
    def payable(self) -> int:
        """In cents."""
        return self.paper.total if self.reason == "-" else 0

    @property
    def shown(self) -> str:
        """The same as the table has it."""
        cents = self.payable
        if FACETS["unit"] == "cents":
            return str(cents)
        return f"{cents // 100}.{cents % 100:02}"

    @property
    def is_listed(self) -> bool:
        """Whether the table has it."""
        listed = FACETS["listed"]
        if listed == "paid":
            return self.verdict == "pay"
        return listed == "all" or self.verdict != "reject"


def wanted(final: Final, misread: str = "") -> list[Line]:
    """Return the right lines by file; `misread` names a rule that is missed."""
    store = sqlite3.connect(":memory:")
    store.executescript(final.held(f"{FACETS['store']}.sql") or "")
    prices = dict(store.execute("SELECT order_no, unit_cents FROM orders").fetchall())
    room = dict.fromkeys(prices, 0)
    for order, quantity in store.execute("SELECT order_no, quantity FROM deliveries"):
        room[order] += quantity
    lines: list[Line] = []
    for paper in papers(final):
        reason = objection(paper, prices, room, [one.paper for one in lines], misread)
        if reason == "-":
            room[paper.order] -= paper.quantity
        lines.append(Line(paper, reason))
    return lines


def tabled(lines: list[Line]) -> list[Line]:
    """Return those that the table has, in its order."""
    found = [one for one in lines if one.is_listed]
    if FACETS["order_by"] == "order":
        found.sort(key=lambda one: (int(one.paper.order[3:]), one.paper.file))
    return found


def papers(final: Final) -> list[Paper]:
    """Read the invoices as they are held."""
    found = []
    for path in sorted(Path(final.served / "held" / FACETS["folder"]).glob("*.txt")):
        text = final.held(f"{FACETS['folder']}/{path.name}") or ""
        words = [" ".join(line.split()) for line in text.splitlines()]
        told = " | ".join(word for word in words if word.strip("- "))
        find = _finder(told)
        found.append(
            Paper(
                file=path.stem,
                number=find(r"Invoice\W+(R\d+)"),
                supplier=find(r"From\W+(\w[\w ]*\w)"),
                order=find(r"Your order\W+(PO-\d+)"),
                quantity=int(find(r"Quantity\W+(\d+)")),
                unit=_cents(find(r"Unit price\W+([\d.]+)")),
                freight=_cents(find(r"Freight\W+([\d.]+) EUR \|? ?\[?Total") or "0.00"),
            )
        )
    return found


def _finder(text: str) -> Callable[[str], str]:
    def find(pattern: str) -> str:
        match = re.search(pattern, text)
        return match[1] if match else ""

    return find


def _cents(amount: str) -> int:
    whole, _, part = amount.partition(".")
    return int(whole) * 100 + int(part)


def objection(
    paper: Paper,
    prices: dict[str, int],
    room: dict[str, int],
    before: list[Paper],
    misread: str,
) -> str:
    """Return why an invoice is not paid; `-` if it is."""
    if paper.order not in prices:
        return "no_order"
    rules = {
        "cancelled": paper.order == DRAWN["cancelled"],
        "repeated": any(_is_same(paper, one) for one in before),
        "quantity": paper.quantity > room[paper.order],
        "price": _is_dear(paper, prices[paper.order]),
        "freight": bool(paper.freight) and not _is_freight_paid(paper),
    }
    holds = [name for name, is_so in rules.items() if is_so and name != misread]
    return holds[0] if holds else "-"


def _is_same(one: Paper, other: Paper) -> bool:
    match FACETS["repeats"]:
        case "number":
            return one.number == other.number
        case "number_and_supplier":
            return (one.number, one.supplier) == (other.number, other.supplier)
        case _:
            return (one.order, one.total) == (other.order, other.total)


def _is_dear(paper: Paper, price: int) -> bool:
    more = paper.unit - price
    if FACETS["tolerance"] == "percent":
        return more * 1000 > price * DRAWN["limit"]
    return more > (DRAWN["limit"] if FACETS["tolerance"] == "cents" else 0)


def _is_freight_paid(paper: Paper) -> bool:
    match FACETS["freight"]:
        case "up_to_a_limit":
            return bool(paper.freight <= DRAWN["freight_limit"])
        case "never":
            return False
        case _:
            return paper.supplier in DRAWN["freight_suppliers"]


def summed(lines: list[Line]) -> dict[str, int]:
    """Return the summary that is wanted."""
    found: dict[str, int] = {}
    for line in lines:
        key, count = {
            "by_supplier": (line.paper.supplier, line.payable),
            "by_verdict": (line.verdict, 1),
            "by_reason": (line.reason, line.paper.total),
        }[FACETS["summary"]]
        if count:
            found[key] = found.get(key, 0) + count
    return found


def _given(final: Final) -> dict[str, dict[str, str]]:
    rows = final.rows("match.csv") or []
    return {row["file"]: row for row in rows}


def verdicts(final: Final) -> float:
    """Mean over all verdicts of the share that is right, squared; order counts, too."""
    rows = final.rows("match.csv") or []
    lines = tabled(wanted(final))
    if not rows or list(rows[0]) != COLUMNS:
        return 0.0
    score = _by_kind(final, "verdict", [one.verdict for one in lines])
    in_order = [row["file"] for row in rows] == [one.paper.file for one in lines]
    return score if in_order else min(score, 0.8)


def reasons(final: Final) -> float:
    """Mean over all reasons of the share that is right, squared."""
    return _by_kind(final, "reason", [one.reason for one in tabled(wanted(final))])


def _by_kind(final: Final, column: str, kinds: list[str]) -> float:
    given, right = _given(final), dict[str, list[bool]]()
    lines = tabled(wanted(final))
    for line, kind in zip(lines, kinds, strict=True):
        row = given.get(line.paper.file, {})
        right.setdefault(kind, []).append(row.get(column) == kind)
    shares = [share(sum(oks), len(oks)) for oks in right.values()]
    strangers = len(given.keys() - {one.paper.file for one in lines})
    return (sum(shares) / len(shares)) ** 2 * share(len(lines), len(lines) + strangers)


def payable(final: Final) -> float:
    """Share of the lines with the right amount, squared; nothing if all are the same."""
    given = {file: row[PAYABLE] for file, row in _given(final).items()}
    lines = {one.paper.file: one.shown for one in tabled(wanted(final))}
    right = sum(given.get(file) == shown for file, shown in lines.items())
    if len(set(given.values())) < 2:
        return 0.0
    return share(right, len(lines.keys() | given.keys())) ** 2


def summary(final: Final) -> float:
    """How far the entries agree."""
    return float(alike(final.json("summary.json"), summed(wanted(final))))


def listed_besides(lines: list[Line]) -> dict[str, str]:
    """Return what is wanted besides, by path."""
    if FACETS["extra"] == "holds":
        held = [one for one in lines if one.verdict == "hold"]
        text = [f"{o.paper.file} {o.paper.supplier}: {o.reason}\n" for o in held]
        return {"holds.txt": "".join(text)}
    if FACETS["extra"] == "questions":
        asked: dict[str, list[str]] = {}
        for one in lines:
            if one.verdict != "pay":
                asked.setdefault(one.paper.supplier, []).append(one.paper.file)
        return {"questions.json": json.dumps(asked)}
    return {}


def besides(final: Final) -> float:
    """How far what is wanted besides is right, squared: lines, or files by supplier."""
    ((path, due),) = listed_besides(wanted(final)).items()
    if path.endswith(".txt"):
        return float(agreement((final.text(path) or "").splitlines(), due.splitlines()))
    return float(alike(final.json(path), json.loads(due)))


CRITERIA = spelt(
    {
        "verdicts": verdicts,
        # All lines of a table of what is paid have one reason.
        **({} if FACETS["listed"] == "paid" else {"reasons": reasons}),
        "payable": payable,
        "summary": summary,
        **({} if FACETS["extra"] == "none" else {"besides": besides}),
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(lines: list[Line]) -> dict[str, str]:
    rows = [[o.paper.file, o.verdict, o.reason, o.shown] for o in tabled(lines)]
    return {
        "match.csv": csv_text([COLUMNS, *rows]),
        "summary.json": json.dumps(summed(lines)),
        **listed_besides(lines),
    }


MISREADINGS = {
    "repeated invoices are paid": lambda final: _as_delivered(
        wanted(final, "repeated")
    ),
    "deliveries do not matter": lambda final: _as_delivered(wanted(final, "quantity")),
    "the cancelled order is paid": lambda final: _as_delivered(
        wanted(final, "cancelled")
    ),
    "everything is paid": lambda final: _as_delivered(
        [one._replace(reason="-") for one in wanted(final)]
    ),
}
