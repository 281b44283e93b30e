"""Merges the lists through `ws`, with the storekeeper's help where he is there."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from decimal import Decimal

from seedlib import deliver, rows_of, ws_json, ws_text

WEST = "west/stock.csv"
EAST_LINES = """
SELECT s.part, s.quantity, s.unit, b.blocked FROM stock s JOIN bins b ON b.bin = s.bin
"""
FIXED = {"dozen": "12", "gross": "144", "cm": "0.01", "g": "0.001", "ml": "0.001"}
Rows = list[dict[str, str]]


def solve() -> None:
    """Read everything, ask what is told nowhere, and merge what is there at the end."""
    ws_text("read", "catalogue/merge_rules.md")
    parts = rows_of(ws_text("read", "catalogue/parts.csv")) or []
    holds = pack_sizes(parts, rows_of(ws_text("read", "catalogue/packs.csv")) or [])
    answer = ws_json("query", "east", EAST_LINES)
    east = [(str(n), Decimal(q), u) for n, q, u, b in answer["rows"] if not b]
    refused = {str(row[0]) for row in answer["rows"]}
    seen = ws_text("read", WEST)
    now = ws_text("read", WEST)
    told: dict[str, Decimal] = {}
    if now != seen:  # somebody is at work there, and so can be asked
        told = ask({unit for _, _, unit in west_lines(now)}, holds)
    west = west_lines(ws_text("read", WEST))
    merge(parts, holds, told, east, west, refused)


def pack_sizes(parts: Rows, packs: Rows) -> dict[tuple[str, str], Decimal]:
    """Return what each pack of each part holds, in the unit of the part."""
    found: dict[tuple[str, str], Decimal] = {}
    for row in parts:
        found[row["part"], row["unit"]] = Decimal(1)
        for unit, size in FIXED.items():
            found[row["part"], unit] = Decimal(size)
    waiting = list(packs)
    while waiting:
        row = waiting.pop(0)
        inner = found.get((row["part"], row["of"]))
        if inner is None:
            waiting.append(row)
        else:
            found[row["part"], row["pack"]] = Decimal(row["holds"]) * inner
    return found


def west_lines(text: str) -> list[tuple[str, Decimal, str]]:
    """Read the list of West: number, quantity, unit."""
    rows = [line.split(";") for line in text.splitlines()[1:]]
    return [(row[0], Decimal(row[2]), row[3]) for row in rows]


def ask(units: set[str], holds: dict[tuple[str, str], Decimal]) -> dict[str, Decimal]:
    """Ask what packs hold that the catalogue does not know."""
    unknown = units - {unit for _, unit in holds}
    found: dict[str, Decimal] = {}
    for _ in range(6):
        if unknown <= set(found):
            break
        heard = ws_json("say", f"What does each of these hold: {sorted(unknown)}?")
        for unit in unknown:
            size = re.search(rf"\b{unit}\b.* holds (\d+)", heard["user_message"])
            if size:
                found[unit] = Decimal(size[1])
        if heard["conversation_over"]:
            break
    return found


def merge(
    parts: Rows,
    holds: dict[tuple[str, str], Decimal],
    told: dict[str, Decimal],
    east: list[tuple[str, Decimal, str]],
    west: list[tuple[str, Decimal, str]],
    refused: set[str],
) -> None:
    """Count both lists and write the three files."""
    heirs = {row["part"]: row["replaced_by"] for row in parts}
    counts: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    unmapped = set()
    no_pack = set()
    for side, lines in (("east", east), ("west", west)):
        known = {row[side]: row["part"] for row in parts if row[side]}
        everything = {line[0] for line in lines} | (
            refused if side == "east" else set()
        )
        unmapped |= {f"{side[0].upper()}:{n}" for n in everything - set(known)}
        for number, quantity, unit in lines:
            if number not in known:
                continue
            part = heir = known[number]
            size = holds.get((part, unit), told.get(unit))
            while heirs[heir]:
                heir = heirs[heir]
            if size is None:
                no_pack.add(heir)
            else:
                counts[heir, side] += quantity * size
    write_stock([row for row in parts if not row["replaced_by"]], counts)
    lists = {"unmapped": sorted(unmapped), "no_pack": sorted(no_pack)}
    deliver("open.json", json.dumps(lists, indent=1) + "\n")


def write_stock(parts: Rows, counts: dict[tuple[str, str], Decimal]) -> None:
    """Write the list and what is to be ordered."""
    lines, short = ["part,east,west,total,unit"], {}
    for row in sorted(parts, key=lambda one: one["part"]):
        part = row["part"]
        both = [counts[part, "east"], counts[part, "west"]]
        numbers = ",".join(map(plain, [*both, sum(both, Decimal(0))]))
        lines.append(f"{part},{numbers},{row['unit']}")
        missing = Decimal(row["minimum"]) - sum(both)
        if missing > 0:
            short[part] = float(missing)
    deliver("stock.csv", "\n".join(lines) + "\n")
    deliver("reorder.json", json.dumps(short, indent=1) + "\n")


def plain(number: Decimal) -> str:
    """Write a number without zeros at its end."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
