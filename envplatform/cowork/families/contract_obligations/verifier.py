"""Grades the register, worked out anew from the texts as they are held."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any, NamedTuple

from marks import alike, graded, listed, rows_under
from seedlib import Final, parameters
from spelling import spelt

DRAWN = parameters()
FACETS, TODAY = DRAWN["facets"], date.fromisoformat(DRAWN["today"])
COLUMNS = {
    "dates": ["contract", "counterparty", "kind", "last_day", "due"],
    "full": ["contract", "owner", "kind", "last_day", "due", "fee_eur"],
    "action": ["due", "contract", "owner", "action"],
}[FACETS["columns"]]
UNCLEAR = f"unclear.{FACETS['unclear']}"
MONTHS = "January February March April May June July August September October November"
ACTIONS = {"renews": "decide", "ends": "replace", "open": "review"}


class Line(NamedTuple):
    """What the register says of one contract."""

    contract: str
    counterparty: str
    owner: str
    kind: str
    last_day: str
    due: str
    fee_eur: int
    missing: str

    @property
    def cells(self) -> list[str]:
        """The line of the table."""
        action = "clarify" if self.missing else ACTIONS[self.kind]
        shown = {**self._asdict(), "action": action}
        return [str(shown[name]) for name in COLUMNS]


def _words(text: str | None) -> str:
    return " ".join((text or "").split())


def _day(words: str) -> date:
    day, month, year = words.split()
    names = [*MONTHS.split(), "December"]
    return date(int(year), names.index(month) + 1, int(day))


def _find(pattern: str, text: str) -> list[str]:
    match = re.search(pattern, text)
    return [group or "" for group in match.groups()] if match else []


def _later(day: date, months: int) -> date:
    """Months on; a day that the month does not have becomes its last."""
    count = day.year * 12 + day.month - 1 + months
    after = date((count + 1) // 12, (count + 1) % 12 + 1, 1)
    return min(after - timedelta(days=1), _safe(count, day.day) or date.max)


def _safe(count: int, day: int) -> date | None:
    try:
        return date(count // 12, count % 12 + 1, day)
    except ValueError:
        return None


def amended(final: Final, misread: str) -> dict[str, int]:
    """Return months by contract and kind, `C-101 term`, of the amendments that count."""
    folder = "amendments" if FACETS["kept_in"] == "folder" else "contracts"
    texts = [_words(final.held(f"{folder}/{one}.md")) for one in DRAWN["amendments"]]
    if FACETS["kept_in"] == "list":
        texts = _words(final.held("docs/amendments.md")).split("# Amendment ")[1:]
    if misread == "amendments":
        return {}
    told = []
    for text in texts:
        (contract,) = _find(r"to contract (C-\d+)", text)
        day, what, months = _find(
            r"Dated ([\w ]+)\. The (\w+) .*?is (\d+) months", text
        )
        (effect,) = _find(r"effect on (\d+ \w+ \d+)", text)
        is_signed = "outstanding" not in text or FACETS["amendments"] == "effective"
        is_soon = _day(effect) <= TODAY or FACETS["amendments"] == "signed"
        if (is_signed and is_soon) or misread == "drafts":
            told.append((_day(day), f"{contract} {what}", int(months)))
    return {key: months for _, key, months in sorted(told)}


def wanted(final: Final, misread: str = "") -> list[Line]:
    """Return all lines by contract; `misread` names a rule that is missed."""
    changed = amended(final, misread)
    found = []
    for number in DRAWN["contracts"]:
        text = _words(final.held(f"contracts/{number}.md"))
        (subject,) = _find(r"provides: ([\w ]+)\.", text)
        (party,) = _find(r"([A-Z]\w+ [A-Z]\w+) provides:", text)
        (fee,) = _find(r"fee is ([\d,]+) EUR", text)
        kind = "open" if "indefinite" in text else "ends"
        kind = "renews" if " renews " in text else kind
        start = _find(r"commences on (\d+ \w+ \d+)\.", text)
        missing = "" if start else "start"
        if "that Annex C lays down" in text:
            missing = "notice"
            if misread == "guessed":
                text, missing = text.replace("within", "3 months before"), ""
        last, due = "unknown", "unknown"
        if not missing:
            last, due = _days(number, text, _day(start[0]), changed, misread)
        owner = DRAWN["owners"][subject]
        euros = int(fee.replace(",", ""))
        found.append(Line(number, party, owner, kind, last, due, euros, missing))
    return sorted(found)


def _days(
    number: str, text: str, start: date, changed: dict[str, int], misread: str
) -> tuple[str, str]:
    told = _find(r"for (\d+) months and", text)
    if not told:
        years = (start.replace(year=TODAY.year + more) for more in (0, 1))
        due = min(day for day in years if day >= TODAY)
        return "-", _settled(due).isoformat()
    term = changed.get(f"{number} term", int(told[0]))
    notice = _find(r"notice (\d+) (\w+) before", text)
    if not notice:
        end = _later(start, term) - timedelta(days=1)
        due = end - timedelta(days=DRAWN["review_days"])
        return end.isoformat(), _settled(due).isoformat()
    length, unit = int(notice[0]), notice[1]
    if f"{number} notice" in changed:
        length, unit = changed[f"{number} notice"], "months"
    due, end = date.min, start
    while due < TODAY:
        end = _later(start, term) - timedelta(days=1)
        due = _later(end, -length)
        if unit != "months":
            due = end - timedelta(days=length * {"weeks": 7, "days": 1}[unit])
        if misread == "first term":
            break
        term += 12
    if FACETS["due"] == "margin":
        due -= timedelta(days=DRAWN["margin_days"])
    return end.isoformat(), _settled(due).isoformat()


def _settled(day: date) -> date:
    if FACETS["due"] == "working_day" and day.isoweekday() > 5:
        return day - timedelta(days=day.isoweekday() - 5)
    return day


def tabled(lines: list[Line]) -> list[Line]:
    """Return those that the table has, in its order."""
    known = [
        one
        for one in sorted(lines, key=lambda one: (one.due, one.contract))
        if (FACETS["which"] != "fee" or one.fee_eur >= DRAWN["threshold"])
        and (FACETS["which"] != "no_open" or one.kind != "open")
    ]
    unknown = [one for one in known if one.missing]
    known = [one for one in known if not one.missing]
    return {"last": known + unknown, "first": unknown + known, "apart": known}[
        FACETS["unknown"]
    ]


def summed(lines: list[Line]) -> dict[str, Any]:
    """Return the overview that is wanted."""
    known = [one for one in lines if not one.missing]
    if FACETS["record"] == "next":
        first = [one.contract for one in known][:3]
        fees = sum(one.fee_eur for one in lines)
        return {"next": first, "known": len(known), "fees": fees}
    found: dict[str, Any] = {}
    if FACETS["record"] == "by_month":
        for one in known:
            found[one.due[:7]] = found.get(one.due[:7], 0) + 1
        return found
    for owner in {one.owner for one in lines}:
        fees_of = [one.fee_eur for one in lines if one.owner == owner]
        found[owner] = {"contracts": len(fees_of), "fees": sum(fees_of)}
    return found


def unsettled(lines: list[Line]) -> str:
    """Return the list of what is unclear, as text."""
    open_ones = [one for one in lines if one.missing]
    if FACETS["unclear"] == "json":
        return json.dumps(
            {
                what: [one.contract for one in open_ones if one.missing == what]
                for what in ("start", "notice")
            }
        )
    if FACETS["unclear"] == "csv":
        rows = [f"{one.contract},{one.missing}\n" for one in open_ones]
        return "".join(["contract,missing\n", *rows])
    return "".join(
        f"{one.contract} {one.counterparty}: {one.missing}\n" for one in open_ones
    )


def _given(final: Final) -> list[list[str]]:
    return rows_under(final, "register.csv", COLUMNS)


def entries(final: Final) -> float:
    """Share of the contracts that stand in their place."""
    at = COLUMNS.index("contract")
    given = [row[at] if len(row) > at else "" for row in _given(final)]
    due = [one.contract for one in tabled(wanted(final))]
    right = sum(one == other for one, other in zip(given, due, strict=False))
    return graded(right, max(len(given), len(due)), exact=given == due)


def details(final: Final) -> float:
    """Share of the lines of which everything is right, wherever they stand."""
    given = _given(final)
    due = [one.cells for one in tabled(wanted(final))]
    right = sum(row in given for row in due)
    return graded(right, max(len(given), len(due)), exact=sorted(given) == sorted(due))


def unclear(final: Final) -> float:
    """How far what is unclear is told, and nothing else."""
    due = unsettled(wanted(final))
    if UNCLEAR.endswith(".json"):
        return alike(final.json(UNCLEAR), json.loads(due))
    return listed(UNCLEAR, final.text(UNCLEAR), due)


def overview(final: Final) -> float:
    """Share of the keys of the overview whose value is right."""
    return alike(final.json("overview.json"), summed(tabled(wanted(final))))


CRITERIA = spelt(
    {
        "entries": entries,
        "details": details,
        "unclear": unclear,
        "overview": overview,
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(lines: list[Line]) -> dict[str, str]:
    rows = [COLUMNS, *(one.cells for one in tabled(lines))]
    return {
        "register.csv": "".join(f"{','.join(row)}\n" for row in rows),
        "overview.json": json.dumps(summed(tabled(lines))),
        UNCLEAR: unsettled(lines),
    }


MISREADINGS = {
    "no amendments": lambda final: _as_delivered(wanted(final, "amendments")),
    "all amendments": lambda final: _as_delivered(wanted(final, "drafts")),
    "only the first term": lambda final: _as_delivered(wanted(final, "first term")),
    "what is missing is guessed": lambda final: _as_delivered(wanted(final, "guessed")),
}
