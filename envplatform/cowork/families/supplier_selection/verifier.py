"""Grades the evaluation, worked out anew from what is held."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple

from marks import agreement, csv_text
from seedlib import Final, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
POINTS = ("price_points", "time_points", "quality_points")
HEAD = ("rank", "bid", "company", "price_cents", *POINTS, "score")
THIRD = {
    "warranty": "warranty_months",
    "references": "references",
    "validity": "valid_days",
}[FACETS["third"]]
GRADES = {"A": 100, "B": 70, "C": 30, "": 50}
LABELS = {
    "Unit price": "unit_cents",
    "Setup": "setup_cents",
    "Freight": "freight_cents",
    "Discount for payment in 10 days": "discount_percent",
    "Upkeep a year": "upkeep_cents",
    "Delivery time": "weeks",
    "Warranty": "warranty_months",
    "References": "references",
    "Certificate": "certificate",
    "Valid for": "valid_days",
}


class Scored(NamedTuple):
    """An admitted bid; score in hundredths."""

    bid: str
    company: str
    price: int
    score: int
    cells: tuple[str, ...]
    """Price, points and score as they are shown."""


class Work(NamedTuple):
    """The right work."""

    ranked: list[Scored]
    excluded: list[tuple[str, str]]


def wanted(final: Final, misread: str = "") -> Work:
    """Evaluate; `misread` names what is misunderstood."""
    bids = []
    for row in rows_of(final.held("register.csv")) or []:
        one = {**_offer(final, row["bid"]), **row}
        bids.append({**one, "price": _price(one, misread)})
    reasons = {one["bid"]: _reason(one) for one in bids}
    if misread == "exclusion":
        reasons = dict.fromkeys(reasons, "")
    admitted = [one for one in bids if not reasons[one["bid"]]]
    ratings = {
        r["company"]: r["rating"] for r in rows_of(final.held("ratings.csv")) or []
    }
    field = bids if misread == "field" else admitted
    scored = [_scored(one, field, ratings.get(one["company"], "")) for one in admitted]
    scored.sort(key=lambda one: one.price)
    scored.sort(key=lambda one: one.score, reverse=True)
    return Work(scored, sorted(pair for pair in reasons.items() if pair[1]))


def _offer(final: Final, number: str) -> dict[str, Any]:
    if FACETS["bids_in"] == "table":
        rows = {
            row["number"]: row for row in rows_of(final.held("bids/bids.csv")) or []
        }
        return {
            k: _figure(v) if k in LABELS.values() else v
            for k, v in rows[number].items()
        }
    text = final.held(f"bids/{number}.txt") or ""
    if FACETS["bids_in"] == "forms":
        lines = [
            line.split(" ", 1) for line in re.sub(r"\.{2,}", "\t", text).split("\n")
        ]
        pairs = [" ".join(line).split("\t") for line in lines]
        return {
            LABELS[p[0].strip()]: _figure(p[1]) for p in pairs if p[0].strip() in LABELS
        }
    flat = " ".join(text.split())
    euros = [_figure(one) for one in re.findall(r"([\d.]+) EUR", flat)]
    names = ("unit_cents", "setup_cents", "freight_cents", "upkeep_cents")
    rest = {
        "discount_percent": r"(\d+) % may",
        "weeks": r"within (\d+) weeks",
        "warranty_months": r"give (\d+) months",
        "references": r"(\d+) references",
        "valid_days": r"for (\d+) days",
    }
    found: dict[str, Any] = dict(zip(names, euros, strict=True))
    for name, pattern in rest.items():
        (told,) = re.findall(pattern, flat)
        found[name] = int(told)
    return {**found, "certificate": "certificate QM" in flat}


def _figure(text: str) -> Any:  # noqa: ANN401  a number, or whether there is a certificate
    if "QM-" in text or text.strip() in {"none", ""}:
        return "QM-" in text
    return int(re.sub(r"\D", "", text))


def _price(one: dict[str, Any], misread: str) -> int:
    rule = FACETS["cost"]
    if misread == "cost":
        rule = "discount" if rule == "plain" else "plain"
    goods = DRAWN["quantity"] * one["unit_cents"]
    if rule == "discount":
        goods = (goods * (100 - one["discount_percent"]) + 50) // 100
    yearly = one["upkeep_cents"] * DRAWN["years"] if rule == "upkeep" else 0
    return int(goods + one["setup_cents"] + one["freight_cents"] + yearly)


def _reason(one: dict[str, Any]) -> str:
    checks = {
        "late": one["received"] > DRAWN["deadline"],
        "certificate": not one["certificate"],
        FACETS["third"]: one[THIRD] < DRAWN["least"],
        "budget": one["price"] > DRAWN["budget_cents"],
    }
    return next((name for name, is_so in checks.items() if is_so), "")


def _scored(one: dict[str, Any], field: list[dict[str, Any]], rating: str) -> Scored:
    exact = (
        _price_points(one["price"], [other["price"] for other in field]),
        _time_points(one["weeks"], min(other["weeks"] for other in field)),
        _quality(one, rating),
    )
    points = [_whole(part * 100) for part in exact]
    parts = [part * 100 for part in exact]
    if FACETS["rounding"] == "each":
        parts = [Fraction(part) for part in points]
    weighted = [w * part for w, part in zip(DRAWN["weights"], parts, strict=True)]
    score = _whole(sum(weighted, Fraction(0)) / 100)
    cells = (str(one["price"]), *map(_shown, [*points, score]))
    return Scored(one["bid"], one["company"], one["price"], score, cells)


def _price_points(price: int, prices: list[int]) -> Fraction:
    low, high = min(prices), max(prices)
    above = Fraction(price, low) - 1
    if FACETS["price"] == "ratio":
        return 100 / (1 + above)
    if FACETS["price"] == "range":
        return 100 - Fraction(100 * (price - low), high - low)
    steps = ((0, 100), (5, 80), (12, 55), (25, 30))
    return Fraction(next((p for most, p in steps if above * 100 <= most), 0))


def _time_points(weeks: int, fastest: int) -> Fraction:
    if FACETS["time"] == "ratio":
        return Fraction(fastest, weeks) * 100
    if FACETS["time"] == "per_week":
        return max(Fraction(0), Fraction(100 - 7 * (weeks - fastest)))
    limits = ((4, 100), (8, 60), (12, 20))
    return Fraction(next((p for most, p in limits if weeks <= most), 0))


def _quality(one: dict[str, Any], rating: str) -> Fraction:
    return {
        "references": min(Fraction(100), Fraction(12 * one["references"])),
        "ratings": Fraction(GRADES[rating]),
        "warranty": min(Fraction(60), Fraction(3 * (one["warranty_months"] - 12), 2)),
    }[FACETS["quality"]]


def _whole(exact: Fraction) -> int:
    return int(exact + Fraction(1, 2))


def _shown(hundredths: int) -> str:
    return f"{hundredths // 100}.{hundredths % 100:02}"


def rows_of_table(right: Work) -> list[tuple[str, ...]]:
    """Return the rows of the evaluation in their order."""
    ranked = list(enumerate(right.ranked, 1))
    if FACETS["order_by"] != "rank":
        ranked.sort(key=lambda pair: getattr(pair[1], FACETS["order_by"]))
    return [(str(rank), one.bid, one.company, *one.cells) for rank, one in ranked]


def memo_of(right: Work) -> list[str]:
    """Return the lines of the memo."""
    first, second, third = right.ranked[:3]
    award = {
        "one": f"Award: {first.company}",
        "two": f"Award: {first.company} 60 %, {second.company} 40 %",
        "shortlist": f"Shortlist: {first.company}, {second.company}, {third.company}",
    }[FACETS["award"]]
    listed = ", ".join(" ".join(pair) for pair in right.excluded)
    is_counted = FACETS["excluded_in"] == "file"
    return [
        award,
        f"Score: {_shown(first.score)}",
        _gist(right.ranked),
        f"Price: {_shown(first.price)} EUR",
        f"Excluded: {len(right.excluded) if is_counted else listed}",
    ]


def _gist(ranked: list[Scored]) -> str:
    prices = {one.price: one.company for one in ranked}
    low, high = min(prices), max(prices)
    return {
        "lead": f"Lead: {_shown(ranked[0].score - ranked[1].score)}",
        "cheapest": f"Lowest price: {prices[low]}",
        "spread": f"Spread: {_shown(high - low)} EUR",
    }[FACETS["gist"]]


def _table(final: Final, path: str, head: tuple[str, ...]) -> list[tuple[str, ...]]:
    rows = final.rows(path) or []
    if not rows or tuple(rows[0]) != head:
        return []
    return [tuple(row.values()) for row in rows]


def _memo(final: Final) -> list[str]:
    lines = (final.text("memo.md") or "").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


def exclusions(final: Final) -> float:
    """How far the excluded bids and their reasons agree, squared; order counts, too."""
    if FACETS["excluded_in"] == "file":
        given = _table(final, "excluded.csv", ("bid", "reason"))
    else:
        line = next((one for one in _memo(final) if one.startswith("Excluded: ")), "")
        given = [tuple(part.split(" ")) for part in line[10:].split(", ")]
    return agreement(given, wanted(final).excluded)


def points(final: Final) -> float:
    """Share of bids of which price, points and score are right, squared."""
    given = {row[1]: row[3:] for row in _table(final, "evaluation.csv", HEAD)}
    due = {row[1]: row[3:] for row in rows_of_table(wanted(final))}
    right = sum(given.get(bid) == cells for bid, cells in due.items())
    return share(right, len(due.keys() | given.keys())) ** 2


def ranking(final: Final) -> float:
    """How far ranks agree, squared; the order of the lines counts, too."""
    given = [row[:3] for row in _table(final, "evaluation.csv", HEAD)]
    return agreement(given, [row[:3] for row in rows_of_table(wanted(final))])


def memo(final: Final) -> float:
    """Share of the lines of the memo that are right, squared."""
    return agreement(_memo(final), memo_of(wanted(final)))


CRITERIA = spelt(
    {
        "exclusions": exclusions,
        "points": points,
        "ranking": ranking,
        "memo": memo,
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(right: Work) -> dict[str, str]:
    files = {
        "evaluation.csv": csv_text([HEAD, *rows_of_table(right)]),
        "memo.md": "".join(f"{line}\n" for line in memo_of(right)),
    }
    if FACETS["excluded_in"] == "file":
        files["excluded.csv"] = csv_text([("bid", "reason"), *right.excluded])
    return files


MISREADINGS = {
    "nobody is excluded": lambda final: _as_delivered(wanted(final, "exclusion")),
    "excluded bids set the measure": lambda final: _as_delivered(
        wanted(final, "field")
    ),
    "the price is another one": lambda final: _as_delivered(wanted(final, "cost")),
}
