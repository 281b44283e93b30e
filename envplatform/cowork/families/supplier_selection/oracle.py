"""Evaluates the bids through `ws`; rules and rates are read off the tender."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
POINTS = ("price_points", "time_points", "quality_points")
COLUMNS = ("rank", "bid", "company", "price_cents", *POINTS, "score")


def solve() -> None:
    """Read, exclude, score, rank, write."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    rules = " ".join(ws_text("read", name).split())
    bids = [{**one, **offer(one["bid"])} for one in register()]
    for one in bids:
        one["price_cents"] = price_of(one, rules)
    reasons = {one["bid"]: reason for one in bids if (reason := unfit(one, rules))}
    admitted = [one for one in bids if one["bid"] not in reasons]
    score(admitted, rules)
    admitted.sort(key=lambda one: (-one["score"], one["price_cents"]))
    for rank, one in enumerate(admitted, 1):
        one["rank"] = rank
    memo = memo_lines(admitted, sorted(reasons.items()))
    key = {"rank": "rank", "bid": "bid", "company": "company"}[FACETS["order_by"]]
    shown = [
        [cell(one[c]) for c in COLUMNS]
        for one in sorted(admitted, key=lambda o: o[key])
    ]
    deliver("evaluation.csv", table(COLUMNS, shown))
    if FACETS["excluded_in"] == "file":
        deliver("excluded.csv", table(("bid", "reason"), sorted(reasons.items())))
    deliver("memo.md", "\n".join([*memo, ""]))


def register() -> list[dict[str, Any]]:
    """Return number, company and day of each bid."""
    return list(rows_of(ws_text("read", "register.csv")) or [])


def offer(number: str) -> dict[str, Any]:
    """Return what a bid says; amounts in cents."""
    if FACETS["bids_in"] == "table":
        rows = rows_of(ws_text("read", "bids/bids.csv")) or []
        row = next(one for one in rows if one["number"] == number)
        words = ("company", "number", "certificate")
        return {
            key: value if key in words else int(value) for key, value in row.items()
        }
    text = " ".join(ws_text("read", f"bids/{number}.txt").split())
    patterns = {
        "unit_cents": r"(?:at|Unit price\.*) ([\d.]+) EUR",
        "setup_cents": r"[Ss]etup(?: we charge|\.*) ([\d.]+) EUR",
        "freight_cents": r"[Ff]reight\.* ([\d.]+) EUR",
        "discount_percent": r"(?:days, |days\.* )(\d+) %",
        "upkeep_cents": r"Upkeep(?:, if you want it, is| a year\.*) ([\d.]+) EUR",
        "weeks": r"(\d+) weeks",
        "warranty_months": r"(\d+) months",
        "references": r"(\d+) references are|References\.* (\d+)",
        "valid_days": r"[Vv]alid for\.* (\d+) days",
    }
    found: dict[str, Any] = {}
    for key, pattern in patterns.items():
        match = re.search(pattern, text)
        told = next(filter(None, match.groups())) if match else "0"
        found[key] = int(told.replace(".", ""))
    found["certificate"] = number_in(r"(QM-\d+)", text)
    return found


def number_in(pattern: str, text: str) -> str:
    """Return the first group; empty where there is no such thing."""
    match = re.search(pattern, text)
    return match[1] if match else ""


def price_of(one: dict[str, Any], rules: str) -> int:
    """Return the price of a bid in cents."""
    goods = int(number_in(r"# Tender: (\d+)", rules)) * one["unit_cents"]
    if "less the discount for early payment" in rules:
        goods = half_up(Fraction(goods * (100 - one["discount_percent"]), 100))
    years = int(number_in(r"freight and (\d+) years of upkeep", rules) or 0)
    extras: int = (
        one["setup_cents"] + one["freight_cents"] + years * one["upkeep_cents"]
    )
    return goods + extras


def unfit(one: dict[str, Any], rules: str) -> str:
    """Return why a bid is excluded; empty if it is not."""
    if one["received"] > number_in(r"due by ([\d-]{10})", rules):
        return "late"
    if not one["certificate"]:
        return "certificate"
    for reason, key, pattern in (
        ("warranty", "warranty_months", r"less than (\d+) months of warranty"),
        ("references", "references", r"fewer than (\d+) references"),
        ("validity", "valid_days", r"valid for less than (\d+) days"),
    ):
        if one[key] < int(number_in(pattern, rules) or 0):
            return reason
    budget = int(number_in(r"above ([\d.]+) EUR", rules).replace(".", ""))
    return "budget" if one["price_cents"] > budget else ""


def score(bids: list[dict[str, Any]], rules: str) -> None:
    """Put points and score into each bid, as hundredths."""
    weights = [int(one) for one in re.findall(r"\((\d+) %\):", rules)]
    prices = [one["price_cents"] for one in bids]
    fastest = min(one["weeks"] for one in bids)
    ratings = {}
    if "our rating of earlier work" in rules:
        rows = rows_of(ws_text("read", "ratings.csv")) or []
        ratings = {row["company"]: row["rating"] for row in rows}
    for one in bids:
        exact = (
            price_points(one["price_cents"], min(prices), max(prices), rules),
            time_points(one["weeks"], fastest, rules),
            quality_points(one, ratings, rules),
        )
        rounded = [half_up(points * 100) for points in exact]
        used = [points * 100 for points in exact]
        if "rounded to two decimals (half up) before they are weighted" in rules:
            used = [Fraction(points) for points in rounded]
        pairs = zip(weights, used, strict=True)
        one |= dict(zip(POINTS, map(Hundredths, rounded), strict=True))
        one["score"] = Hundredths(
            half_up(sum((w * u for w, u in pairs), Fraction(0)) / 100)
        )


class Hundredths(int):
    """A figure that is shown with two decimals."""


def price_points(price: int, low: int, high: int, rules: str) -> Fraction:
    """Return the points for a price."""
    if "100 times the lowest price" in rules:
        return Fraction(100 * low, price)
    if "0 for the highest" in rules:
        return Fraction(100 * (high - price), high - low)
    steps = re.findall(r"(\d+) up to (\d+) % above it", rules)
    if price == low:
        return Fraction(100)
    reached = [
        int(p) for p, percent in steps if price * 100 <= low * (100 + int(percent))
    ]
    return Fraction(max(reached, default=0))


def time_points(weeks: int, fastest: int, rules: str) -> Fraction:
    """Return the points for a delivery time."""
    if "100 times the shortest delivery time" in rules:
        return Fraction(100 * fastest, weeks)
    less = number_in(r"(\d+) less for every week more", rules)
    if less:
        return Fraction(max(0, 100 - int(less) * (weeks - fastest)))
    limits = re.findall(r"(\d+) up to (\d+) weeks", rules)
    return Fraction(
        max((int(p) for p, most in limits if weeks <= int(most)), default=0)
    )


def quality_points(
    one: dict[str, Any], ratings: dict[str, str], rules: str
) -> Fraction:
    """Return the points for quality."""
    each = number_in(r"(\d+) for each reference", rules)
    if each:
        return Fraction(min(100, int(each) * one["references"]))
    if "for each month of warranty beyond 12" in rules:
        most = int(number_in(r"beyond 12, at most (\d+)", rules))
        return min(Fraction(3, 2) * (one["warranty_months"] - 12), Fraction(most))
    new = number_in(r"; (\d+) for a company that has never", rules)
    grade = ratings.get(one["company"])
    return Fraction(int(number_in(rf"(\d+) for {grade}\b", rules) if grade else new))


def memo_lines(
    ranked: list[dict[str, Any]], reasons: list[tuple[str, str]]
) -> list[str]:
    """Return the gist."""
    first, second, third = (one["company"] for one in ranked[:3])
    award = {
        "one": f"Award: {first}",
        "two": f"Award: {first} 60 %, {second} 40 %",
        "shortlist": f"Shortlist: {first}, {second}, {third}",
    }[FACETS["award"]]
    excluded = ", ".join(f"{bid} {reason}" for bid, reason in reasons)
    if FACETS["excluded_in"] == "file":
        excluded = str(len(reasons))
    by_price = sorted(ranked, key=lambda one: one["price_cents"])
    spread = by_price[-1]["price_cents"] - by_price[0]["price_cents"]
    gist = {
        "lead": f"Lead: {cell(Hundredths(ranked[0]['score'] - ranked[1]['score']))}",
        "cheapest": f"Lowest price: {by_price[0]['company']}",
        "spread": f"Spread: {cell(Hundredths(spread))} EUR",
    }[FACETS["gist"]]
    return [
        award,
        f"Score: {cell(ranked[0]['score'])}",
        gist,
        f"Price: {cell(Hundredths(ranked[0]['price_cents']))} EUR",
        f"Excluded: {excluded}",
    ]


def half_up(exact: Fraction) -> int:
    """Round to a whole number."""
    value = Decimal(exact.numerator) / Decimal(exact.denominator)
    return int(value.quantize(Decimal(1), ROUND_HALF_UP))


def cell(value: Any) -> str:  # noqa: ANN401  text or figure
    """Return a value as it is shown."""
    if isinstance(value, Hundredths):
        return f"{value // 100}.{value % 100:02}"
    return str(value)


def table(columns: tuple[str, ...], rows: list[Any]) -> str:
    """Return CSV."""
    return "".join(",".join(row) + "\n" for row in [columns, *rows])
