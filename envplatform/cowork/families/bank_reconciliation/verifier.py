"""Grades the reconciliation, worked out anew, reference by reference."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from marks import agreement, csv_text
from seedlib import Final, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
JOINED = FACETS["matches"] == "joined"
HEAD = ["line", "entries", "kind", "fee_cents"] if JOINED else ["line", "entry", "kind"]


class Book(NamedTuple):
    """What both sides have, and what belongs together."""

    lines: dict[int, tuple[str, int]]
    """Text and signed cents by number."""
    entries: dict[str, dict[str, str]]
    batches: list[dict[str, str]]
    matched: dict[int, tuple[list[str], str, int]]
    """Entries, kind and fee by line."""
    bank_open: dict[int, str]
    ledger_open: dict[str, str]

    def cents(self, entry: str) -> int:
        """Return the amount of an entry."""
        return int(self.entries[entry]["amount_cents"])


def book_of(final: Final) -> Book:
    """Read what is held."""
    lines: dict[int, tuple[str, int]] = {}
    for path in sorted(Path(final.served / "held" / "bank").iterdir()):
        for raw in (final.held(f"bank/{path.name}") or "").splitlines():
            sign = r"\s*\|\s*" if path.suffix == ".txt" else ",(?! )"
            number, *cells = re.split(sign, raw.strip())
            if number.isdigit():
                money = [cell.strip() for cell in cells[2:]]
                lines[int(number)] = (cells[1].strip('"'), _cents(money))
    dump = final.held("books/ledger.sql")
    if dump is None:
        rows = rows_of(final.held("books/ledger.csv")) or []
    else:
        store = sqlite3.connect(":memory:")
        store.row_factory = sqlite3.Row
        store.executescript(dump)
        rows = [dict(one) for one in store.execute("SELECT * FROM ledger")]
    batches = rows_of(final.held("bank_batches.csv")) or []
    return Book(lines, {row["entry"]: row for row in rows}, batches, {}, {}, {})


def _cents(money: list[str]) -> int:
    first, last = money[0], money[-1]
    is_out = last == "D" or first.startswith("-")
    if FACETS["sign"] == "two_columns":
        is_out, first = not last, first or last
    return int(("-" if is_out else "") + re.sub(r"\D", "", first))


def wanted(final: Final, misread: str = "") -> Book:
    """Reconcile; `misread` names a rule that is missed."""
    result = book_of(final)
    by_reference = _by_reference(result)
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, (text, _) in result.lines.items():
        groups.setdefault(_named(text, result, misread), []).append(number)
    for number in groups.pop((), []):
        text = result.lines[number][0]
        kinds = {"CHARGE": "bank_charge", "INTEREST": "interest"}
        result.bank_open[number] = kinds.get(text.partition(" ")[0], "unknown")
    for names, numbers in groups.items():
        _settle(result, [by_reference[name] for name in names], numbers, misread)
    seen = {one for entries, _, _ in result.matched.values() for one in entries}
    for entry, row in result.entries.items():
        if entry not in seen and entry not in result.ledger_open:
            result.ledger_open[entry] = "in_transit" if _is_late(row) else "missing"
    return result


def _by_reference(result: Book) -> dict[str, str]:
    """Return the entry that each reference stands for; doubles are open."""
    twins: dict[str, list[str]] = {}
    for entry in sorted(result.entries):
        twins.setdefault(result.entries[entry]["reference"], []).append(entry)
    for entries in twins.values():
        if len(entries) > 1:
            gone = entries.pop(1 if FACETS["twice"] == "earlier" else 0)
            result.ledger_open[gone] = "duplicate"
    return {reference: entries[0] for reference, entries in twins.items()}


def _named(text: str, result: Book, misread: str) -> tuple[str, ...]:
    if "BATCH" in text:
        batch = text.rsplit(maxsplit=1)[-1]
        names = [row["reference"] for row in result.batches if row["batch"] == batch]
        return () if misread == "batch" else tuple(sorted(names))
    match = re.search(r"\bRE(-?)(\d{4})\b", text)
    return (f"RE-{match[2]}",) if match else ()


def _settle(result: Book, entries: list[str], numbers: list[int], misread: str) -> None:
    due = sum(map(result.cents, entries))
    short = due - sum(result.lines[number][1] for number in numbers)
    is_card = len(numbers) == 1 and result.lines[numbers[0]][0].startswith("CARD")
    kind = "amount"
    if short == 0 and len(numbers) > 1:
        kind = "amount" if misread == "split" else "split"
    elif short == 0:
        kind = "exact" if len(entries) == 1 else "batch"
    elif is_card and _is_fee(short, due) and misread != "fee":
        kind = "fee"
    elif misread == "amount":
        kind = "exact"
    for number in numbers:
        if kind == "amount":
            result.bank_open[number] = kind
        else:
            fee = short if kind == "fee" else 0
            result.matched[number] = (sorted(entries), kind, fee)
    if kind == "amount":
        result.ledger_open.update(dict.fromkeys(entries, kind))


def _is_fee(short: int, due: int) -> bool:
    most = int(DRAWN["fee"])
    if FACETS["fee"] == "percent":
        most = (due * most + 5000) // 10_000
    return 0 < short <= most if FACETS["fee"] == "at_most" else short == most


def _is_late(row: dict[str, str]) -> bool:
    last, day = DRAWN["last_day"], row["day"]
    before_end = (date.fromisoformat(last) - date.fromisoformat(day)).days
    if FACETS["transit"] == "by_method":
        return before_end < (7 if row["method"] == "cheque" else 3)
    return before_end < int(FACETS["transit"][-1])


def rows_wanted(right: Book) -> list[tuple[str, ...]]:
    """Return the rows of the matches in their order."""
    rows: list[tuple[Any, ...]] = []
    for line, (entries, kind, fee) in right.matched.items():
        if JOINED:
            rows.append((line, "+".join(entries), kind, str(fee)))
        else:
            rows += [(line, one, kind) for one in entries]
    rows.sort(key=lambda row: (row[0], row[1]))
    if FACETS["order_by"] == "entry":
        rows.sort(key=lambda row: row[1])
    if FACETS["order_by"] == "kind":
        rows.sort(key=lambda row: row[2])
    return [tuple(map(str, row)) for row in rows]


def opens_wanted(right: Book) -> dict[str, list[tuple[str, str, str]]]:
    """Return open items by side: number, kind, amount."""
    bank, books = right.bank_open, right.ledger_open
    return {
        "bank": [(str(n), bank[n], str(right.lines[n][1])) for n in sorted(bank)],
        "ledger": [(n, books[n], str(right.cents(n))) for n in sorted(books)],
    }


def closing_wanted(right: Book) -> dict[str, Any]:
    """Return the closing."""
    opens = opens_wanted(right)
    opening, cents = DRAWN["opening_cents"], map(right.cents, right.entries)
    found: dict[str, Any] = {
        "bank_closing_cents": opening + sum(one for _, one in right.lines.values()),
        "ledger_closing_cents": opening + sum(cents),
    }
    sums: dict[str, dict[str, int]] = {"bank": {}, "ledger": {}}
    for side, items in opens.items():
        for _, kind, amount in items:
            sums[side][kind] = sums[side].get(kind, 0) + int(amount)
    if FACETS["closing"] == "by_kind":
        return {**found, **sums}
    if FACETS["closing"] == "bridge":
        found |= {f"open_{side}_cents": sum(one.values()) for side, one in sums.items()}
        return {**found, "fees_cents": sum(fee for _, _, fee in right.matched.values())}
    found |= {"matched_lines": len(right.matched), "open_lines": len(right.bank_open)}
    left = len(right.ledger_open)
    return {**found, "open_entries": left, "matched_entries": len(right.entries) - left}


def _given(final: Final) -> list[tuple[str, ...]]:
    rows = final.rows("matches.csv") or []
    return (
        [tuple(row.values()) for row in rows] if rows and list(rows[0]) == HEAD else []
    )


def pairs(final: Final) -> float:
    """How far lines and entries are put together rightly, squared; order counts, too."""
    due = rows_wanted(wanted(final))
    return agreement([row[:2] for row in _given(final)], [row[:2] for row in due])


def kinds(final: Final) -> float:
    """Mean over all kinds of the share of their rows that are right, squared."""
    given, right = set(_given(final)), dict[str, list[bool]]()
    for row in rows_wanted(wanted(final)):
        right.setdefault(row[2], []).append(row in given)
    return (sum(share(sum(o), len(o)) for o in right.values()) / len(right)) ** 2


def open_items(final: Final) -> float:
    """How far the open items agree, squared; order counts, too."""
    files = _opens_as_delivered(wanted(final))
    return agreement(
        [one for path in files for one in _items(path, final.text(path))],
        [one for path, text in files.items() for one in _items(path, text)],
    )


def closing(final: Final) -> float:
    """Share of the figures of the closing that are right, squared."""
    given = set(_items("closing.json", final.text("closing.json")))
    due = set(_leaves(closing_wanted(wanted(final)), ""))
    return share(len(given & due), len(given | due)) ** 2


def _items(path: str, text: str | None) -> list[str]:
    """Return rows of a table with their heads, or values of an object with their keys."""
    if path.endswith(".csv"):
        return [str(row) for row in rows_of(text) or []]
    try:
        return list(_leaves(json.loads(text or ""), ""))
    except (ValueError, RecursionError):
        return []


def _leaves(value: object, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key], f"{place}/{key}")
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, place)
    else:
        yield f"{place}={json.dumps(value)}"


CRITERIA = spelt(
    {
        "pairs": pairs,
        "kinds": kinds,
        "open_items": open_items,
        "closing": closing,
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(right: Book) -> dict[str, str]:
    return {
        "matches.csv": csv_text([HEAD, *rows_wanted(right)]),
        "closing.json": json.dumps(closing_wanted(right)),
        **_opens_as_delivered(right),
    }


def _opens_as_delivered(right: Book) -> dict[str, str]:
    opens = opens_wanted(right)
    if FACETS["opens"] == "json":
        sides: dict[str, dict[str, list[Any]]] = {"bank": {}, "ledger": {}}
        for side, items in opens.items():
            for number, kind, _ in items:
                known = int(number) if side == "bank" else number
                sides[side].setdefault(kind, []).append(known)
        return {"open_items.json": json.dumps(sides)}
    if FACETS["opens"] == "two_files":
        return {
            f"open_{side}.csv": csv_text([[head, "kind", "amount_cents"], *opens[side]])
            for side, head in (("bank", "line"), ("ledger", "entry"))
        }
    flat = [(side, *item) for side, items in opens.items() for item in items]
    return {"open_items.csv": csv_text([["side", "id", "kind", "amount_cents"], *flat])}


MISREADINGS = {
    "fees are differences": lambda final: _as_delivered(wanted(final, "fee")),
    "batches are unknown": lambda final: _as_delivered(wanted(final, "batch")),
    "parts do not add up": lambda final: _as_delivered(wanted(final, "split")),
    "amounts do not matter": lambda final: _as_delivered(wanted(final, "amount")),
}
