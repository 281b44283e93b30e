"""Grades the audit of expense claims."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from typing import Any, NamedTuple

from seedlib import Final, overlap, share

COLUMNS = {"claim", "decision", "reason", "payable_cents"}
DECISIONS = {"paid", "reduced", "rejected"}
AMENDED_FROM = "2024-05-16"
JOINED = """
SELECT claims.*, trips.person, city, starts, ends, grade, cost_centre
FROM claims JOIN trips USING (trip) JOIN people ON people.person = trips.person
ORDER BY claim
"""


class Outcome(NamedTuple):
    """What one claim comes to."""

    decision: str
    reason: str
    cents: int


class Receipt(NamedTuple):
    """What a receipt says; alcohol is a part of the total."""

    day: str
    currency: str
    cents: int
    alcohol: int


class Audit:
    """The audit, worked out anew from what the broker holds."""

    def __init__(self, final: Final) -> None:
        self._final = final
        store = sqlite3.connect(":memory:")
        store.row_factory = sqlite3.Row
        store.executescript(final.held("expenses.sql") or "")
        self._rates = {(r[0], r[1]): r[2] for r in store.execute("SELECT * FROM rates")}
        self.claims = [dict(row) for row in store.execute(JOINED)]
        policy = final.held("policies/expenses.md") or ""
        amendment = final.held("policies/amendment_2024_05.md") or ""
        self._tiers = dict(
            re.findall(r"^\| (\w+) \| ([ABC]) \|$", policy, re.MULTILINE)
        )
        self._limits = _limits(policy)
        self._amended = {**self._limits, **_limits(amendment)}
        self._seen: set[str] = set()
        self._eaten: dict[tuple[str, str], int] = {}
        self.outcomes = {one["claim"]: self._outcome(one) for one in self.claims}

    def euros(self, claim: dict[str, Any], cents: int) -> int:
        """Turn cents of the claim's currency into euro cents."""
        rate: int = self._rates[claim["currency"], claim["day"][:7]]
        return (cents * rate + 5000) // 10000

    def _outcome(self, claim: dict[str, Any]) -> Outcome:
        receipt = self._receipt(claim["receipt"])
        reason = self._objection(claim, receipt)
        self._seen.add(claim["receipt"] or "")
        if reason:
            return Outcome("rejected", reason, 0)
        alcohol = receipt.alcohol if receipt and self._is_dry(claim) else 0
        rest = self.euros(claim, claim["amount_cents"] - alcohol)
        room = self._room(claim)
        cents = rest if room is None else min(rest, room)
        if claim["category"] == "meal":
            eater = (claim["person"], claim["day"])
            self._eaten[eater] = self._eaten.get(eater, 0) + cents
        if cents < rest:
            return Outcome("reduced", "limit", cents)
        return (
            Outcome("reduced", "alcohol", cents)
            if alcohol
            else Outcome("paid", "-", cents)
        )

    def _objection(self, claim: dict[str, Any], receipt: Receipt | None) -> str:
        ended = dt.date.fromisoformat(claim["ends"])
        if dt.date.fromisoformat(claim["filed"]) > ended + dt.timedelta(30):
            return "late"
        if not claim["starts"] <= claim["day"] <= claim["ends"]:
            return "outside_trip"
        if receipt is None:
            return "" if self._needs_none(claim) else "no_receipt"
        if claim["receipt"] in self._seen:
            return "repeated_receipt"
        told = (claim["day"], claim["currency"], claim["amount_cents"])
        return "" if told == receipt[:3] else "receipt_differs"

    def _needs_none(self, claim: dict[str, Any]) -> bool:
        is_small = self.euros(claim, claim["amount_cents"]) <= 1500
        kind = claim["category"]
        return kind == "mileage" or (kind == "transport" and is_small)

    def _is_dry(self, claim: dict[str, Any]) -> bool:
        return not (claim["day"] >= AMENDED_FROM and claim["grade"] == 3)

    def _room(self, claim: dict[str, Any]) -> int | None:
        limits = self._amended if claim["day"] >= AMENDED_FROM else self._limits
        tier = self._tiers[claim["city"]]
        if claim["category"] == "mileage":
            return claim["km"] * limits["kilometre"][tier]
        if claim["category"] == "meal":
            eaten = self._eaten.get((claim["person"], claim["day"]), 0)
            return limits["meal"][tier] - eaten
        return limits["lodging"][tier] if claim["category"] == "lodging" else None

    def _receipt(self, number: str | None) -> Receipt | None:
        text = self._final.held(f"receipts/{number}.txt") if number else None
        if text is None:
            return None
        day = re.search(r"^Date +(\S+)$", text, re.MULTILINE)
        total = re.search(r"^TOTAL (\w+) +([\d.]+)$", text, re.MULTILINE)
        if day is None or total is None:
            return None
        alcohol = re.findall(r"([\d.]+) \*$", text, re.MULTILINE)
        shown = day[1] if "-" in day[1] else "-".join(reversed(day[1].split(".")))
        return Receipt(shown, total[1], _cents(total[2]), sum(map(_cents, alcohol)))


def _limits(text: str) -> dict[str, dict[str, int]]:
    rows = re.findall(
        r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE
    )
    return {row[0]: dict(zip("ABC", map(_cents, row[1:]), strict=True)) for row in rows}


def _cents(amount: str) -> int:
    whole, part = amount.split(".")
    return int(whole) * 100 + int(part)


def _given(final: Final) -> dict[str, dict[str, str]]:
    rows = final.rows("audit.csv") or []
    return {row["claim"]: row for row in rows}


def decisions(final: Final) -> float:
    """Mean, over all reasons, of the share of claims with decision and reason right."""
    given = _given(final)
    right: dict[str, list[bool]] = {}
    for claim, outcome in Audit(final).outcomes.items():
        row = given.get(claim, {})
        is_right = (row.get("decision"), row.get("reason")) == outcome[:2]
        right.setdefault(outcome.reason, []).append(is_right)
    shares = [share(sum(oks), len(oks)) for oks in right.values()]
    return sum(shares) / len(shares) if len(_kinds(given)) > 2 else 0.0


def _kinds(given: dict[str, dict[str, str]]) -> set[str]:
    return {row["reason"] for row in given.values()}


def payable(final: Final) -> float:
    """Share of claims reduced that have the right amount, times that of the others."""
    given = _given(final)
    parts: dict[bool, list[bool]] = {True: [], False: []}
    for claim, outcome in Audit(final).outcomes.items():
        is_right = given.get(claim, {}).get("payable_cents") == str(outcome.cents)
        parts[outcome.decision == "reduced"].append(is_right)
    reduced, others = (share(sum(oks), len(oks)) for oks in parts.values())
    return reduced * others


def _report(final: Final, key: str) -> Any:  # noqa: ANN401  JSON
    report = final.json("report.json")
    return report.get(key) if isinstance(report, dict) else None


def totals(final: Final) -> float:
    """How many cost centres have the right total; others named cost as much."""
    audit = Audit(final)
    wanted: dict[str, int] = {}
    for claim in audit.claims:
        centre, cents = claim["cost_centre"], audit.outcomes[claim["claim"]].cents
        wanted[centre] = wanted.get(centre, 0) + cents
    given = _report(final, "cost_centres")
    return overlap(set(given.items()), set(wanted.items())) if given else 0.0


def review(final: Final) -> float:
    """How far the persons to review agree."""
    audit = Audit(final)
    rejected = [
        claim["person"]
        for claim in audit.claims
        if audit.outcomes[claim["claim"]].decision == "rejected"
    ]
    wanted = {person for person in rejected if rejected.count(person) > 1}
    given = _report(final, "to_review")
    return overlap(set(given), wanted) if isinstance(given, list) else 0.0


def form(final: Final) -> float:
    """One line a claim, in their order, with known decisions and whole cents."""
    rows = final.rows("audit.csv")
    if not rows or set(rows[0]) != COLUMNS:
        return 0.0
    in_order = [row["claim"] for row in rows] == list(Audit(final).outcomes)
    is_known = all(
        row["decision"] in DECISIONS and row["payable_cents"].isdecimal()
        for row in rows
    )
    given = _report(final, "to_review")
    is_sorted = isinstance(given, list) and given == sorted(set(given))
    return 1.0 if in_order and is_known and is_sorted else 0.0


CRITERIA = {
    "decisions": decisions,
    "payable": payable,
    "totals": totals,
    "review": review,
    "form": form,
}
