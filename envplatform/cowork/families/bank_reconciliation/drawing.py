"""What is drawn: rules, a month of the ledger, and what the bank made of it."""

import calendar
import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

CASES = (
    *("exact",) * 11,
    *("paid",) * 4,
    *("fee",) * 3,
    *("short",) * 2,
    *("batch",) * 3,
    *("split",) * 3,
    *("wrong",) * 2,
    *("twice",) * 2,
    *("late",) * 3,
    *("middle",) * 4,
    *("early",) * 2,
)
"""What entries are drawn for; a batch has three."""
CHARGES = (
    "CHARGE ACCOUNT KEEPING",
    "CHARGE PAYMENT ORDERS",
    "CHARGE CARD TERMINAL",
    "INTEREST CREDIT BALANCE",
    "DIRECT DEBIT WATER WORKS",
    "TRANSFER WITHOUT REFERENCE, THANK YOU",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    fee: Literal["percent", "fixed", "at_most"]
    transit: Literal["days_3", "days_6", "by_method"]
    twice: Literal["earlier", "later"]
    bank_as: Literal["csv", "text", "weekly"]
    sign: Literal["signed", "two_columns", "marked"]
    ledger_in: Literal["store", "csv"]
    matches: Literal["joined", "pairs"]
    order_by: Literal["line", "entry", "kind"]
    opens: Literal["one_file", "two_files", "json"]
    closing: Literal["bridge", "by_kind", "balances"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the ledger; money that comes in is above 0."""

    entry: str
    day: dt.date
    party: str
    method: str
    """`transfer`, `card` or `cheque`."""
    reference: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the bank's."""

    number: int
    day: dt.date
    text: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """All that this one is about."""

    facets: Facets
    last_day: dt.date
    fee: int
    """Hundredths of a percent, or cents."""
    opening_cents: int
    entries: tuple[Entry, ...]
    lines: tuple[Line, ...]
    batches: tuple[tuple[str, str], ...]
    """Batch number and reference."""

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules."""
        return {
            "facets": dict(asdict(self.facets)),
            "fee": self.fee,
            "opening_cents": self.opening_cents,
            "last_day": self.last_day.isoformat(),
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        fee=chance.choice(("percent", "fixed", "at_most")),
        transit=chance.choice(("days_3", "days_6", "by_method")),
        twice=chance.choice(("earlier", "later")),
        bank_as=chance.choice(("csv", "text", "weekly")),
        sign=chance.choice(("signed", "two_columns", "marked")),
        ledger_in=chance.choice(("store", "csv")),
        matches=chance.choice(("joined", "pairs")),
        order_by=chance.choice(("line", "entry", "kind")),
        opens=chance.choice(("one_file", "two_files", "json")),
        closing=chance.choice(("bridge", "by_kind", "balances")),
    )


def draw_month(chance: random.Random, names: Names) -> Month:
    """Draw a month in which every rule decides something."""
    facets = draw_facets(chance)
    month = chance.randint(1, 11)
    last = dt.date(2025, month, calendar.monthrange(2025, month)[1])
    fee = {
        "percent": chance.choice((120, 150, 190, 225)),
        "fixed": chance.choice((750, 1000, 1250)),
        "at_most": chance.choice((500, 800, 1500)),
    }[facets.fee]
    parties = names.companies(16)
    numbers = chance.sample(range(4000, 6999), 60)
    entries: list[Entry] = []
    lines: list[Line] = []
    batches: list[tuple[str, str]] = []
    for case in CASES:
        size = 3 if case == "batch" else 1
        mine = [_entry(chance, case, numbers.pop(), parties, last) for _ in range(size)]
        entries += mine
        if case == "twice":
            entries.append(
                replace(mine[0], day=_workday(mine[0].day + dt.timedelta(days=5)))
            )
        if case == "batch":
            batch = f"SB{numbers.pop()}"
            batches += [(batch, one.reference) for one in mine]
            lines.append(_line(chance, f"{_word(mine[0])} BATCH {batch}", mine, 0))
        elif case not in {"late", "middle", "early"}:
            lines += _lines(chance, case, mine[0], facets, fee)
    lines += _charges(chance, last)
    first = batches[0][0]
    of_batch = [one for one in entries if (first, one.reference) in batches]
    lines = [
        replace(one, cents=one.cents - _fee(facets, fee, of_batch))
        if first in one.text
        else one
        for one in lines
    ]
    return Month(
        facets=facets,
        last_day=last,
        fee=fee,
        opening_cents=chance.randint(900_000, 4_000_000),
        entries=_numbered_entries(chance, entries, last),
        lines=_numbered(chance, lines, last),
        batches=tuple(chance.sample(batches, len(batches))),
    )


def _entry(
    chance: random.Random,
    case: str,
    number: int,
    parties: Sequence[str],
    last: dt.date,
) -> Entry:
    """Return an entry; `middle` are ten to six days before the end, both methods."""
    days = {"late": (0, 2), "middle": (4, 8), "early": (14, 24)}.get(case, (5, 26))
    method = {"fee": "card", "short": "card", "batch": "card"}.get(case, "transfer")
    if case in {"middle", "late"}:
        method = chance.choice(("transfer", "cheque"))
    cents = chance.randint(8_000, 480_000)
    return Entry(
        entry="",
        day=_workday(last - dt.timedelta(days=chance.randint(*days))),
        party=chance.choice(parties),
        method="transfer" if case == "paid" else method,
        reference=f"RE-{number}",
        cents=-cents
        if case == "paid" or (case == "exact" and number % 4 == 0)
        else cents,
    )


def _lines(
    chance: random.Random, case: str, one: Entry, facets: Facets, fee: int
) -> list[Line]:
    due = _fee(facets, fee, [one])
    if case == "split":
        part = one.cents * chance.randint(30, 70) // 100
        text = f"{_word(one)} PART {_spelled(chance, one)} {one.party}"
        return [
            _line(chance, text, [one], one.cents - part),
            replace(_line(chance, text, [one], part), day=one.day),
        ]
    less = {
        "fee": due,
        "short": (fee if facets.fee == "at_most" else due) + chance.randint(300, 2_500),
        "wrong": -9 * chance.choice((10, 100, 300)),
    }.get(case, 0)
    text = f"{_word(one)} {_spelled(chance, one)} {one.party}"
    return [_line(chance, text, [one], less)]


def _fee(facets: Facets, fee: int, entries: Sequence[Entry]) -> int:
    total = sum(one.cents for one in entries)
    if facets.fee == "percent":
        return (total * fee + 5_000) // 10_000
    return fee if facets.fee == "fixed" else fee - total % (fee // 2)


def _word(one: Entry) -> str:
    if one.cents < 0:
        return "PAYMENT"
    return {"card": "CARD", "cheque": "CHEQUE", "transfer": "CREDIT"}[one.method]


def _spelled(chance: random.Random, one: Entry) -> str:
    """Return a reference as banks spell it."""
    return chance.choice((one.reference, one.reference.replace("-", "")))


def _line(
    chance: random.Random, text: str, entries: Sequence[Entry], less: int
) -> Line:
    last = max(one.day for one in entries)
    return Line(
        number=0,
        day=last + dt.timedelta(days=chance.randint(0, 3)),
        text=text,
        cents=sum(one.cents for one in entries) - less,
    )


def _charges(chance: random.Random, last: dt.date) -> list[Line]:
    """Return what the bank did by itself, and what nobody can name."""
    return [
        Line(
            number=0,
            day=last - dt.timedelta(days=chance.randint(0, 20)),
            text=text,
            cents=chance.randint(450, 21_000)
            * (1 if text.startswith(("INTEREST", "TRANSFER")) else -1),
        )
        for text in CHARGES
    ]


def _numbered(
    chance: random.Random, lines: Sequence[Line], last: dt.date
) -> tuple[Line, ...]:
    """Return lines by day, numbered from 1."""
    mixed = chance.sample(list(lines), len(lines))
    booked = [replace(one, day=_workday(min(one.day, last))) for one in mixed]
    booked.sort(key=lambda one: one.day)
    return tuple(replace(one, number=at) for at, one in enumerate(booked, 1))


def _workday(day: dt.date) -> dt.date:
    """Return the day, or the Friday before."""
    return day - dt.timedelta(days=max(0, day.weekday() - 4))


def _numbered_entries(
    chance: random.Random, entries: Sequence[Entry], last: dt.date
) -> tuple[Entry, ...]:
    """Return entries by day, numbered."""
    mixed = chance.sample(list(entries), len(entries))
    days = sorted(mixed, key=lambda one: one.day)
    start = 1000 + 100 * last.month
    return tuple(replace(one, entry=f"L{start + at}") for at, one in enumerate(days))
