"""Sets the register up through `ws`; figures of the rules are read off the documents."""

from __future__ import annotations

import calendar
import json
import re
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

PARAMETERS = parameters()
FACETS, TODAY = PARAMETERS["facets"], date.fromisoformat(PARAMETERS["today"])
Entry = dict[str, Any]


def solve() -> None:
    """Read everything, work days out, write all three files."""
    rules = prose("docs/register.md")
    owners = owners_of(ws_text("read", "docs/register.md"))
    names = [one["name"] for one in ws_json("list", "contracts/")["names"]]
    texts = [prose(name) for name in names]
    contracts = [text for text in texts if text.startswith("# Contract")]
    amendments = [text for text in texts if text.startswith("# Amendment")]
    if FACETS["kept_in"] == "folder":
        more = ws_json("list", "amendments/")["names"]
        amendments = [prose(one["name"]) for one in more]
    if FACETS["kept_in"] == "list":
        amendments = re.split(r"(?=# Amendment)", prose("docs/amendments.md"))
    changed = changes([one for one in amendments if one], rules)
    entries = [entry(text, changed, rules, owners) for text in contracts]
    entries.sort(key=lambda one: one["contract"])
    unclear([one for one in entries if one["missing"]])
    threshold = PARAMETERS["threshold"] if FACETS["which"] == "fee" else 0
    listed = [
        one
        for one in entries
        if one["fee_eur"] >= threshold
        and not (FACETS["which"] == "no_open" and one["kind"] == "open")
        and not (FACETS["unknown"] == "apart" and one["missing"])
    ]
    is_first = FACETS["unknown"] == "first"
    listed.sort(key=lambda one: (bool(one["missing"]) != is_first, one["due"]))
    columns = {
        "dates": ("contract", "counterparty", "kind", "last_day", "due"),
        "full": ("contract", "owner", "kind", "last_day", "due", "fee_eur"),
        "action": ("due", "contract", "owner", "action"),
    }[FACETS["columns"]]
    rows = [",".join(str(one[name]) for name in columns) for one in listed]
    deliver("register.csv", "\n".join([",".join(columns), *rows, ""]))
    deliver("overview.json", json.dumps(overview(listed), indent=1))


def prose(name: str) -> str:
    """Return a document as one line of text."""
    return " ".join(ws_text("read", name).split())


def owners_of(rules: str) -> dict[str, str]:
    """Return owners by subject."""
    if FACETS["owners_in"] == "csv":
        rows = rows_of(ws_text("read", "docs/owners.csv")) or []
        return {row["subject"]: row["owner"] for row in rows}
    return dict(re.findall(r"^\| ([a-z ]+) \| ([A-Z][\w ]+) \|$", rules, re.MULTILINE))


def day_in(text: str) -> date:
    """Return a day like `1 March 2024`."""
    return datetime.strptime(f"{text} +0000", "%d %B %Y %z").date()


def changes(amendments: list[str], rules: str) -> dict[tuple[str, str], int]:
    """Return what counts: months by contract and what they are."""
    found: dict[tuple[str, str], tuple[date, int]] = {}
    for text in amendments:
        contract = re.search(r"to contract (C-\d+)", text)
        told = re.search(
            r"Dated (\d+ \w+ \d+)\. The (term|notice).*? is (\d+) mon", text
        )
        effect = re.search(r"takes effect on (\d+ \w+ \d+)", text)
        if not (contract and told and effect):
            continue
        is_signed = "(outstanding)" not in text
        is_effective = day_in(effect[1]) <= TODAY
        needs_signing = "both sides have signed it" in rules
        needs_effect = "taken effect by the day" in rules
        if (is_signed or not needs_signing) and (is_effective or not needs_effect):
            key, this = (contract[1], told[2]), (day_in(told[1]), int(told[3]))
            found[key] = max(this, found.get(key, this))
    return {key: months for key, (_, months) in found.items()}


def moved(day: date, months: int) -> date:
    """Return the same day some months later, or the last one of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def entry(
    text: str,
    changed: dict[tuple[str, str], int],
    rules: str,
    owners: dict[str, str],
) -> Entry:
    """Return what the register says of one contract."""
    head = re.match(r"# Contract (C-\d+) with (.+?) (?:## Subject|1\.|\2)", text)
    told = re.search(r"provides: ([a-z ]+)\..*The fee is ([\d,]+) EUR", text)
    if not (head and told):
        raise SystemExit(text)
    number = head[1]
    found: Entry = {"contract": number, "counterparty": head[2], "missing": ""}
    found |= {"owner": owners[told[1]], "fee_eur": int(told[2].replace(",", ""))}
    kind = "renews" if "renews for" in text else "ends"
    found["kind"] = "open" if "indefinite" in text else kind
    start = re.search(r"commences on (\d+ \w+ \d+)", text)
    if not start or "Annex C lays down" in text:
        found |= {"missing": "notice" if start else "start", "action": "clarify"}
        return found | {"last_day": "unknown", "due": "unknown"}
    last, due = days(text, day_in(start[1]), number, changed, rules)
    if "moved to the Friday before" in rules:
        due -= timedelta(days=max(0, due.weekday() - 4))
    actions = {"renews": "decide", "ends": "replace", "open": "review"}
    action = actions[found["kind"]]
    return found | {"last_day": str(last or "-"), "due": str(due), "action": action}


def days(
    text: str,
    start: date,
    number: str,
    changed: dict[tuple[str, str], int],
    rules: str,
) -> tuple[date | None, date]:
    """Return the last day, None if there is none, and the due day."""
    term = re.search(r"concluded for (\d+) months", text)
    if not term:
        year = TODAY.year + ((start.month, start.day) < (TODAY.month, TODAY.day))
        return None, start.replace(year=year)
    months = changed.get((number, "term"), int(term[1]))
    last = moved(start, months) - timedelta(days=1)
    notice = re.search(r"gives notice (\d+) (months|weeks|days) before", text)
    if not notice:
        review = re.search(r"`ends`: due (\d+) days before", rules)
        return last, last - timedelta(days=int(review[1]) if review else 0)
    length, unit = int(notice[1]), notice[2]
    if (number, "notice") in changed:
        length, unit = changed[number, "notice"], "months"
    margin = re.search(r"is (\d+) days before the last day for notice", rules)
    while True:
        back = timedelta(days=length * (7 if unit == "weeks" else 1))
        until = moved(last, -length) if unit == "months" else last - back
        if until >= TODAY:
            return last, until - timedelta(days=int(margin[1]) if margin else 0)
        months += 12
        last = moved(start, months) - timedelta(days=1)


def unclear(entries: list[Entry]) -> None:
    """Write what could not be determined."""
    form = FACETS["unclear"]
    if form == "json":
        kinds = ("start", "notice")
        told: dict[str, list[str]] = {kind: [] for kind in kinds}
        for one in entries:
            told[one["missing"]].append(one["contract"])
        deliver("unclear.json", json.dumps(told, indent=1))
        return
    line = (
        "{contract},{missing}\n"
        if form == "csv"
        else "{contract} {counterparty}: {missing}\n"
    )
    head = "contract,missing\n" if form == "csv" else ""
    deliver(f"unclear.{form}", head + "".join(line.format(**one) for one in entries))


def overview(listed: list[Entry]) -> dict[str, Any]:
    """Return what the table comes to."""
    known = [one for one in listed if not one["missing"]]
    if FACETS["record"] == "by_month":
        return dict(Counter(one["due"][:7] for one in known))
    if FACETS["record"] == "next":
        first = [one["contract"] for one in known[:3]]
        fees = sum(one["fee_eur"] for one in listed)
        return {"next": first, "known": len(known), "fees": fees}
    found: dict[str, dict[str, int]] = {}
    for one in listed:
        mine = found.setdefault(one["owner"], {"contracts": 0, "fees": 0})
        mine["contracts"] += 1
        mine["fees"] += one["fee_eur"]
    return found
