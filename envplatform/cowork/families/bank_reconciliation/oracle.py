"""Reconciles the account through `ws`; rules are read off the procedure."""

from __future__ import annotations

import calendar
import json
import re
from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]


class Match(NamedTuple):
    """One line with its entries."""

    line: int
    entries: tuple[str, ...]
    kind: str
    fee: int


def solve() -> None:
    """Read procedure and books, match, write everything."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    rules = " ".join(ws_text("read", name).split())
    lines, entries = bank_lines(), ledger()
    matches, bank_open, ledger_open = matched(lines, entries, rules)
    write_matches(matches)
    bank = [(n, kind, lines[n][1]) for n, kind in sorted(bank_open.items())]
    books = [(n, kind, entries[n]["cents"]) for n, kind in sorted(ledger_open.items())]
    write_opens(bank, books)
    opening = int(found(r"opened the month with ([\d.]+) EUR", rules).replace(".", ""))
    closing = {
        "bank_closing_cents": opening + sum(cents for _, cents in lines.values()),
        "ledger_closing_cents": opening + sum(e["cents"] for e in entries.values()),
        **between(matches, bank, books),
    }
    deliver("closing.json", json.dumps(closing, indent=1))


def matched(
    lines: dict[int, tuple[str, int]], entries: dict[str, dict[str, Any]], rules: str
) -> tuple[list[Match], dict[int, str], dict[str, str]]:
    """Return what belongs together, and kinds of what is open on both sides."""
    batches = defaultdict(list)
    for row in rows_of(ws_text("read", "bank_batches.csv")) or []:
        batches[row["batch"]].append(row["reference"])
    named = {number: names_in(text, batches) for number, (text, _) in lines.items()}
    kept, doubles = without_doubles(entries, rules)
    matches: list[Match] = []
    bank_open: dict[int, str] = {}
    ledger_open = dict.fromkeys(doubles, "duplicate")
    for number, (text, _) in lines.items():
        if not named[number]:
            bank_open[number] = kind_of(text)
            continue
        mine = tuple(sorted(kept[reference] for reference in named[number]))
        others = [n for n in lines if named[n] == named[number]]
        paid = sum(lines[n][1] for n in others)
        due = sum(entries[one]["cents"] for one in mine)
        kind = agreement(text, len(others), len(mine), paid, due, rules)
        if kind:
            matches.append(Match(number, mine, kind, due - paid))
        else:
            bank_open[number] = "amount"
            ledger_open.update(dict.fromkeys(mine, "amount"))
    done = {one for match in matches for one in match.entries} | set(ledger_open)
    for one in set(entries) - done:
        ledger_open[one] = unnamed(entries[one], rules)
    return matches, bank_open, ledger_open


def found(pattern: str, text: str) -> str:
    """Return the first group; empty where the text has no such thing."""
    match = re.search(pattern, text)
    return match[1] if match else ""


def bank_lines() -> dict[int, tuple[str, int]]:
    """Return text and signed cents by number."""
    rows = []
    for entry in ws_json("list", "bank/")["names"]:
        text = ws_text("read", entry["name"])
        if entry["name"].endswith(".csv"):
            rows += [list(row.values()) for row in rows_of(text) or []]
        else:
            cells = [line.split("|") for line in text.splitlines()]
            rows += [
                list(map(str.strip, one)) for one in cells if one[0].strip().isdigit()
            ]
    lines = {}
    for number, _, text, *amounts in rows:
        cents = int(re.sub(r"[^\d-]", "", amounts[0]) or 0)
        if FACETS["sign"] == "two_columns":
            cents = int(re.sub(r"\D", "", amounts[1]) or 0) - cents
        elif amounts[-1] == "D":
            cents = -cents
        lines[int(number)] = (text, cents)
    return dict(sorted(lines.items()))


def ledger() -> dict[str, dict[str, Any]]:
    """Return entries by number."""
    if FACETS["ledger_in"] == "csv":
        rows: list[Any] = rows_of(ws_text("read", "books/ledger.csv")) or []
    else:
        told = ws_json("query", "books/ledger", "SELECT * FROM ledger")
        rows = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    return {row["entry"]: {**row, "cents": int(row["amount_cents"])} for row in rows}


def names_in(text: str, batches: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the references that a text names."""
    batch = found(r"BATCH (\S+)", text)
    if batch:
        return tuple(batches[batch])
    return tuple(f"RE-{number}" for number in re.findall(r"\bRE-?(\d+)", text))


def without_doubles(
    entries: dict[str, dict[str, Any]], rules: str
) -> tuple[dict[str, str], list[str]]:
    """Return the entry of each reference, and those that are booked once too often."""
    of = defaultdict(list)
    for number in sorted(entries):
        of[entries[number]["reference"]].append(number)
    at = 0 if found(r"entry with the (\w+) number", rules) == "lower" else -1
    kept = {reference: numbers[at] for reference, numbers in of.items()}
    return kept, [one for one in entries if one not in kept.values()]


def kind_of(text: str) -> str:
    """Return the kind of a line that names nothing."""
    first = text.split(maxsplit=1)[0]
    return {"CHARGE": "bank_charge", "INTEREST": "interest"}.get(first, "unknown")


def agreement(
    text: str, lines: int, entries: int, paid: int, due: int, rules: str
) -> str:
    """Return how a line and what it names agree; empty if they do not."""
    if paid == due:
        if lines > 1:
            return "split"
        return "batch" if entries > 1 else "exact"
    if "CARD" not in text or lines > 1:
        return ""
    percent = found(r"the bank keeps ([\d.]+) %", rules)
    flat = found(r"the bank keeps ([\d.]+) EUR", rules)
    most = found(r"short by ([\d.]+) EUR or less", rules)
    short = due - paid
    if percent:
        exact = Decimal(due) * Decimal(percent) / 100
        is_fee = short == int(exact.quantize(Decimal(1), ROUND_HALF_UP))
    elif flat:
        is_fee = short == int(flat.replace(".", ""))
    else:
        is_fee = 0 < short <= int(most.replace(".", ""))
    return "fee" if is_fee else ""


def unnamed(entry: dict[str, Any], rules: str) -> str:
    """Return the kind of an entry that no line names."""
    days = int(found(r"last (\d+) days of the month", rules))
    if entry["method"] == "cheque":
        days = int(found(r"cheque on one of the last (\d+)", rules) or days)
    day = date.fromisoformat(entry["day"])
    last = calendar.monthrange(day.year, day.month)[1]
    is_late = day > day.replace(day=last) - timedelta(days=days)
    return "in_transit" if is_late else "missing"


def write_matches(matches: list[Match]) -> None:
    """Write what belongs together."""
    if FACETS["matches"] == "joined":
        head, rows = "line,entries,kind,fee_cents", matches
    else:
        head = "line,entry,kind"
        rows = [one._replace(entries=(e,)) for one in matches for e in one.entries]
    keys = {
        "line": lambda one: (one.line, one.entries),
        "entry": lambda one: (one.entries, one.line),
        "kind": lambda one: (one.kind, one.line, one.entries),
    }
    lines = [head]
    for one in sorted(rows, key=keys[FACETS["order_by"]]):
        fee = f",{one.fee}" if FACETS["matches"] == "joined" else ""
        lines.append(f"{one.line},{'+'.join(one.entries)},{one.kind}{fee}")
    deliver("matches.csv", "\n".join([*lines, ""]))


def write_opens(bank: list[Any], books: list[Any]) -> None:
    """Write what is open."""
    if FACETS["opens"] == "json":
        sides: dict[str, dict[str, list[Any]]] = {"bank": {}, "ledger": {}}
        for side, items in (("bank", bank), ("ledger", books)):
            for number, kind, _ in items:
                sides[side].setdefault(kind, []).append(number)
        deliver("open_items.json", json.dumps(sides, indent=1))
        return
    parts = {"bank": bank, "ledger": books}
    if FACETS["opens"] == "two_files":
        heads = {"bank": "line", "ledger": "entry"}
        for side, items in parts.items():
            rows = [f"{n},{kind},{cents}\n" for n, kind, cents in items]
            text = "".join([f"{heads[side]},kind,amount_cents\n", *rows])
            deliver(f"open_{side}.csv", text)
        return
    rows = [f"{s},{n},{k},{c}\n" for s, items in parts.items() for n, k, c in items]
    deliver("open_items.csv", "".join(["side,id,kind,amount_cents\n", *rows]))


def between(matches: list[Match], bank: list[Any], books: list[Any]) -> dict[str, Any]:
    """Return what the closing says beside both balances."""
    if FACETS["closing"] == "bridge":
        return {
            "open_bank_cents": sum(cents for _, _, cents in bank),
            "open_ledger_cents": sum(cents for _, _, cents in books),
            "fees_cents": sum(one.fee for one in matches),
        }
    if FACETS["closing"] == "balances":
        return {
            "matched_lines": len(matches),
            "open_lines": len(bank),
            "matched_entries": len({e for one in matches for e in one.entries}),
            "open_entries": len(books),
        }
    sums: dict[str, Counter[str]] = {"bank": Counter(), "ledger": Counter()}
    for side, items in (("bank", bank), ("ledger", books)):
        for _, kind, cents in items:
            sums[side][kind] += cents
    return dict(sums)
