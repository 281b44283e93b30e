"""Audits the claims through `ws`."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from seedlib import deliver, ws_json, ws_text

CLAIMS = """
SELECT c.claim, c.day, c.category, c.currency, c.amount_cents, c.km, c.receipt,
 c.filed, t.person, t.city, t.starts, t.ends, p.grade, p.cost_centre,
 r.euro_per_10000 AS rate
FROM claims c JOIN trips t ON t.trip = c.trip JOIN people p ON p.person = t.person
JOIN rates r ON r.currency = c.currency AND r.month = substr(c.day, 1, 7)
ORDER BY c.claim
"""
Row = dict[str, Any]


def solve() -> None:
    """Read tables, policy and receipts, decide claim after claim, write both files."""
    answer = ws_json("query", "expenses", CLAIMS)
    claims = [dict(zip(answer["columns"], r, strict=True)) for r in answer["rows"]]
    base = limits(ws_text("read", "policies/expenses.md"))
    later = base | limits(ws_text("read", "policies/amendment_2024_05.md"))
    receipts = read_receipts()
    used: set[str] = set()
    meals: Counter[tuple[str, str]] = Counter()
    lines, rejected = ["claim,decision,reason,payable_cents"], Counter[str]()
    centres: dict[str, int] = defaultdict(int)
    for claim in claims:
        receipt = receipts.get(claim["receipt"])
        reason = rejection(claim, receipt, used)
        used.add(claim["receipt"])
        decision, cents = "rejected", 0
        if reason:
            rejected[claim["person"]] += 1
        else:
            table = later if claim["day"] > "2024-05-15" else base
            decision, reason, cents = pay(claim, receipt, table, meals)
        centres[claim["cost_centre"]] += cents
        lines.append(f"{claim['claim']},{decision},{reason},{cents}")
    deliver("audit.csv", "\n".join(lines) + "\n")
    review = sorted(person for person, count in rejected.items() if count >= 2)
    report = {"cost_centres": dict(sorted(centres.items())), "to_review": review}
    deliver("report.json", json.dumps(report, indent=1) + "\n")


def limits(policy: str) -> dict[tuple[str, str], Decimal]:
    """Read the tables of a policy: limits by what and tier, tiers as limits of 0."""
    found = {}
    for line in policy.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[1][0].isdigit():
            found.update(
                {
                    (cells[0], t): Decimal(c)
                    for t, c in zip("ABC", cells[1:], strict=True)
                }
            )
        if len(cells) == 2 and cells[1] in {"A", "B", "C"}:
            found[cells[0], cells[1]] = Decimal(0)
    return found


def read_receipts() -> dict[str, Row]:
    """Read every receipt of the folder."""
    found = {}
    for entry in ws_json("list", "receipts/")["names"]:
        row: Row = {"alcohol": 0}
        for line in ws_text("read", entry["name"]).splitlines():
            words = line.split()
            if line.startswith("Date"):
                row["day"] = iso(words[1])
            elif line.startswith("TOTAL"):
                row["currency"], row["cents"] = words[1], int(Decimal(words[2]) * 100)
            elif line.endswith(" *"):
                row["alcohol"] += int(Decimal(words[-2]) * 100)
        found[entry["name"].removeprefix("receipts/").removesuffix(".txt")] = row
    return found


def iso(day: str) -> str:
    """Return a date as ISO has it."""
    if "." not in day:
        return day
    number, month, year = day.split(".")
    return f"{year}-{month}-{number}"


def rejection(claim: Row, receipt: Row | None, used: set[str]) -> str:
    """Return why a claim is rejected; empty if it is not."""
    days = (date.fromisoformat(claim["filed"]) - date.fromisoformat(claim["ends"])).days
    missing = receipt is None and claim["category"] != "mileage"
    if claim["category"] == "transport" and euros(claim, claim["amount_cents"]) <= 1500:
        missing = False
    differs = receipt is not None and (
        receipt["day"] != claim["day"]
        or receipt["currency"] != claim["currency"]
        or receipt["cents"] != claim["amount_cents"]
    )
    checks = {
        "late": days > 30,
        "outside_trip": claim["day"] < claim["starts"] or claim["day"] > claim["ends"],
        "no_receipt": missing,
        "repeated_receipt": receipt is not None and claim["receipt"] in used,
        "receipt_differs": differs,
    }
    return next((reason for reason, holds in checks.items() if holds), "")


def euros(claim: Row, cents: int) -> int:
    """Convert to euro cents."""
    exact = Decimal(cents) * claim["rate"] / 10000
    return int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def pay(
    claim: Row,
    receipt: Row | None,
    table: dict[tuple[str, str], Decimal],
    meals: Counter[tuple[str, str]],
) -> tuple[str, str, int]:
    """Return decision, reason and what is payable of a claim that stands."""
    alcohol = receipt["alcohol"] if receipt else 0
    if claim["grade"] == 3 and claim["day"] > "2024-05-15":
        alcohol = 0
    rest = euros(claim, claim["amount_cents"] - alcohol)
    tier = next(t for t in "ABC" if (claim["city"], t) in table)
    eater = (claim["person"], claim["day"])
    cap = rest
    if claim["category"] == "lodging":
        cap = int(table["lodging", tier] * 100)
    elif claim["category"] == "mileage":
        cap = int(table["kilometre", tier] * 100 * claim["km"])
    elif claim["category"] == "meal":
        cap = int(table["meal", tier] * 100) - meals[eater]
    cents = min(rest, cap)
    if claim["category"] == "meal":
        meals[eater] += cents
    if cents < rest:
        return "reduced", "limit", cents
    return ("reduced", "alcohol", cents) if alcohol else ("paid", "-", cents)
