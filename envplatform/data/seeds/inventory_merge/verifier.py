"""Grades the merged stock list.

Where the user took part, its list of West and what it has told count; where nobody was
there to answer, the list as it was, and parts whose pack was never told stay open.
"""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from typing import NamedTuple

from seedlib import Final, overlap, rows_of, share

COLUMNS = {"part", "east", "west", "total", "unit"}
STOCK = "SELECT part, quantity, unit, blocked FROM stock JOIN bins USING (bin)"
MEASURES = {
    ("piece", "dozen"): Decimal(12),
    ("piece", "gross"): Decimal(144),
    ("m", "cm"): Decimal("0.01"),
    ("kg", "g"): Decimal("0.001"),
    ("l", "ml"): Decimal("0.001"),
}


class Line(NamedTuple):
    """One line of a warehouse."""

    number: str
    quantity: Decimal
    unit: str
    counts: bool


class Merge:
    """The merged list, worked out anew from what the broker holds in the end."""

    def __init__(self, final: Final) -> None:
        self._final = final
        parts = rows_of(final.held("catalogue/parts.csv")) or []
        self._parts = {row["part"]: row for row in parts}
        packs = rows_of(final.held("catalogue/packs.csv")) or []
        self._packs = {
            (row["part"], row["pack"]): (Decimal(row["holds"]), row["of"])
            for row in packs
        }
        self._told = self._answers()
        self.unmapped: set[str] = set()
        self.no_pack: set[str] = set()
        self.east = self._counted("east", self._east())
        self.west = self._counted("west", self._west())

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each part that was not replaced, in order."""
        return {
            part: row["unit"]
            for part, row in sorted(self._parts.items())
            if not row["replaced_by"]
        }

    @property
    def totals(self) -> dict[str, Decimal]:
        """Return what there is of each part."""
        return {part: self.east[part] + self.west[part] for part in self.units}

    @property
    def short(self) -> dict[str, Decimal]:
        """Return what is missing of each part that is short."""
        missing = {
            part: Decimal(self._parts[part]["minimum"]) - total
            for part, total in self.totals.items()
        }
        return {part: lacks for part, lacks in missing.items() if lacks > 0}

    def _answers(self) -> dict[str, tuple[Decimal, str]]:
        if not any(entry["by"] == "user" for entry in self._final.log()):
            return {}
        rows = rows_of(self._final.held("desk/answers.csv")) or []
        return {row["pack"]: (Decimal(row["holds"]), row["of"]) for row in rows}

    def _east(self) -> list[Line]:
        store = sqlite3.connect(":memory:")
        store.executescript(self._final.held("east.sql") or "")
        return [
            Line(number, Decimal(quantity), unit, not blocked)
            for number, quantity, unit, blocked in store.execute(STOCK)
        ]

    def _west(self) -> list[Line]:
        rows = (self._final.held("west/stock.csv") or "").splitlines()[1:]
        parts = [row.split(";") for row in rows]
        return [Line(row[0], Decimal(row[2]), row[3], counts=True) for row in parts]

    def _counted(self, side: str, lines: list[Line]) -> dict[str, Decimal]:
        by_number = {row[side]: part for part, row in self._parts.items() if row[side]}
        found = dict.fromkeys(self.units, Decimal(0))
        for line in lines:
            part = by_number.get(line.number)
            if part is None:
                self.unmapped.add(f"{side[0].upper()}:{line.number}")
            elif line.counts:
                self._count(found, part, line)
        return found

    def _count(self, found: dict[str, Decimal], part: str, line: Line) -> None:
        factor = self._factor(part, line.unit)
        heir = part
        while self._parts[heir]["replaced_by"]:
            heir = self._parts[heir]["replaced_by"]
        if factor is None:
            self.no_pack.add(heir)
        else:
            found[heir] += line.quantity * factor

    def _factor(self, part: str, unit: str) -> Decimal | None:
        base = self._parts[part]["unit"]
        if unit == base:
            return Decimal(1)
        if (base, unit) in MEASURES:
            return MEASURES[base, unit]
        pack = self._packs.get((part, unit)) or self._told.get(unit)
        inner = self._factor(part, pack[1]) if pack else None
        return pack[0] * inner if pack and inner is not None else None


def _same(given: object, wanted: Decimal) -> bool:
    try:
        return Decimal(str(given)) == wanted
    except ArithmeticError:
        return False


def _given(final: Final) -> dict[str, dict[str, str]]:
    rows = final.rows("stock.csv") or []
    return {row["part"]: row for row in rows}


def _share(final: Final, key: str, wanted: dict[str, Decimal]) -> float:
    """Share of right numbers among parts that have one, times that among the others."""
    given = _given(final)
    parts: dict[bool, list[bool]] = {True: [], False: []}
    for part, number in wanted.items():
        parts[number != 0].append(_same(given.get(part, {}).get(key), number))
    some, none = (share(sum(oks), len(oks)) for oks in parts.values())
    return some * none if parts[False] else some


def east(final: Final) -> float:
    """How many parts have the right quantity at East."""
    return _share(final, "east", Merge(final).east)


def west(final: Final) -> float:
    """How many parts have the right quantity at West."""
    return _share(final, "west", Merge(final).west)


def totals(final: Final) -> float:
    """How many parts have the right total."""
    return _share(final, "total", Merge(final).totals)


def reorder(final: Final) -> float:
    """How far parts and quantities to be ordered agree."""
    given = final.json("reorder.json")
    if not isinstance(given, dict):
        return 0.0
    short = Merge(final).short
    right = {
        part
        for part, lacks in given.items()
        if type(lacks) in (int, float) and part in short and _same(lacks, short[part])
    }
    return share(len(right), len(set(given) | set(short)))


def open(final: Final) -> float:  # noqa: A001  named as the file is
    """How far both lists of what could not be counted agree."""
    given, merge = final.json("open.json"), Merge(final)
    if not isinstance(given, dict) or not given.get("unmapped"):
        return 0.0
    wanted = {(one, "unmapped") for one in merge.unmapped}
    wanted |= {(one, "no_pack") for one in merge.no_pack}
    told = [(one, key) for key in ("unmapped", "no_pack") for one in given[key]]
    return overlap(set(told), wanted) if len(told) == len(set(told)) else 0.0


def form(final: Final) -> float:
    """One line a part, in their order, with its unit; numbers and lists as asked."""
    rows = final.rows("stock.csv")
    if not rows or set(rows[0]) != COLUMNS:
        return 0.0
    units = {row["part"]: row["unit"] for row in rows}
    in_order = list(units.items()) == list(Merge(final).units.items())
    numbers = [row[key] for row in rows for key in ("east", "west", "total")]
    are_plain = all(_is_plain(number) for number in numbers)
    given = final.json("open.json") or {}
    lists = [given.get("unmapped"), given.get("no_pack")]
    are_sorted = all(isinstance(one, list) and one == sorted(one) for one in lists)
    is_whole = in_order and len(units) == len(rows)
    return 1.0 if is_whole and are_plain and are_sorted else 0.0


def _is_plain(number: str) -> bool:
    whole, _, part = number.partition(".")
    is_number = whole.isdecimal() and (part.isdecimal() or "." not in number)
    return is_number and not part.endswith("0")


CRITERIA = {
    "east": east,
    "west": west,
    "totals": totals,
    "reorder": reorder,
    "open": open,
    "form": form,
}
