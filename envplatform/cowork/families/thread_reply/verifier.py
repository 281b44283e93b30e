"""Grades a reply, worked out anew from thread, prices and what the user decided."""

from __future__ import annotations

import json
import re
import sqlite3
from functools import partial
from typing import NamedTuple

from marks import csv_text, likeness
from seedlib import Final, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
ROOT = FACETS["root"]
USUAL_FREIGHT = 6000
"""In cents, as all amounts."""


class Asked(NamedTuple):
    """One question."""

    number: int
    topic: str
    day: str
    by: str

    @property
    def owner(self) -> str:
        """Who answers it if the sheet does not."""
        return str(DRAWN["owners"][self.topic])


class Reply:
    """The right reply; `misread` names what is missed."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.sizes: dict[str, int] = {}
        self.changes: list[list[str]] = []
        self.left: dict[int, Asked] = {}
        for mail in _mails(final):
            self._read(mail)
        self.sizes = {name: size for name, size in self.sizes.items() if size}
        self.prices = _prices(final)

    def _read(self, mail: str) -> None:
        sender, day, _, _, *lines = mail.splitlines()
        by = sender.removeprefix("From: ").split(" (")[0]
        for line in lines:
            if ordered := re.fullmatch(r"(\d+) x (.*)", line):
                self.sizes[ordered[2]] = int(ordered[1])
            elif asked := re.match(r"Question (\d+) \(([^)]+)\)", line):
                number = int(asked[1])
                self.left[number] = Asked(number, asked[2], day[6:], by)
            elif done := re.match(r"Answer (\d+)|Question (\d+) is settled", line):
                if done[1] or self.misread != "settled":
                    del self.left[int(done[1] or done[2])]
            elif line.endswith((" instead.", ": we do not need it.")):
                self._change(day[6:], *line.split(": ", 1))

    def _change(self, day: str, name: str, what: str) -> None:
        size = re.sub(r"\D", "", what) or "0"
        self.changes.append([day, name, size])
        if self.misread != "changes":
            self.sizes[name] = int(size)

    def price(self, name: str) -> int:
        """Return the price of a piece."""
        if FACETS["tiers"] == "none":
            return self.prices[name][0]
        sizes = self.sizes
        count = sizes[name] if FACETS["tiers"] == "article" else sum(sizes.values())
        return self.prices[name][0 if count < 10 else 1 if count < 50 else 2]

    def open(self) -> list[Asked]:
        """Return what stays open, as it is sorted."""
        found = [o for o in self.left.values() if o.topic not in DRAWN["answers"]]
        if FACETS["sorted_by"] == "owner":
            found.sort(key=lambda one: one.owner)
        return found

    def text(self) -> str:
        """Return the reply."""
        amounts = {name: size * self.price(name) for name, size in self.sizes.items()}
        names = list(amounts)
        if FACETS["lines"] != "ordered":
            names.sort()
        if FACETS["lines"] == "dearest":
            names.sort(key=lambda name: amounts[name], reverse=True)
        lines = [f"To: {DRAWN['customer']}", f"Subject: Re: {DRAWN['subject']}"]
        for name in names:
            pieces = f"{self.sizes[name]} x {_euros(self.price(name))}"
            lines.append(f"{name}: {pieces} = {_euros(amounts[name])}")
        lines += [f"{n}: {_euros(c)}" for n, c in self._sums(sum(amounts.values()))]
        known = DRAWN["answers"]
        answered = [one for one in self.left.values() if one.topic in known]
        if FACETS["answers"] == "lines":
            lines += [f"Answer {one.number}: {known[one.topic]}" for one in answered]
        if FACETS["answers"] == "topics":
            lines += sorted(f"About {o.topic}: {known[o.topic]}" for o in answered)
        numbers = sorted(one.number for one in self.open())
        return "\n".join([*lines, f"Open: {', '.join(map(str, numbers))}", ""])

    def _sums(self, gross: int) -> list[tuple[str, int]]:
        decided = (
            {} if self.misread == "unheard" else {FACETS["untold"]: DRAWN["decision"]}
        )
        discount = gross * decided.get("discount", 0) // 100
        off, freight = decided.get("rounding", 0), decided.get("freight", USUAL_FREIGHT)
        net = gross - discount - off + freight
        sums = [
            ("Discount", discount),
            ("Taken off", off),
            ("Freight", freight),
            ("Net", net),
        ]
        if FACETS["vat"] != "none":
            vat = net * int(FACETS["vat"]) // 100
            sums += [("VAT", vat), ("Total", net + vat)]
        return sums

    def files(self) -> dict[str, str]:
        """Return all that is wanted, by path."""
        return {"reply.txt": self.text(), **self._points(), **self._extra()}

    def _points(self) -> dict[str, str]:
        found = self.open()
        match FACETS["points"]:
            case "csv":
                rows = [[str(o.number), o.topic, o.day, o.by, o.owner] for o in found]
                head = ["question", "topic", "asked", "by", "owner"]
                return {"open.csv": csv_text([head, *rows])}
            case "txt":
                texts = [
                    f"{o.owner}: question {o.number} of {o.by} ({o.topic})\n"
                    for o in found
                ]
                return {"open.txt": "".join(texts)}
        owners = {one.owner for one in found}
        told = {
            name: sorted(o.topic for o in found if o.owner == name) for name in owners
        }
        return {"open.json": json.dumps(told)}

    def _extra(self) -> dict[str, str]:
        if FACETS["extra"] == "changes":
            return {
                "changes.csv": csv_text(
                    [["date", "article", "quantity"], *self.changes]
                )
            }
        if FACETS["extra"] == "none":
            return {}
        told = {
            name: {"quantity": size, "cents": size * self.price(name)}
            for name, size in self.sizes.items()
        }
        return {"articles.json": json.dumps(told)}


def _mails(final: Final) -> list[str]:
    if FACETS["thread_in"] == "file":
        return (final.held(f"{ROOT}/thread.txt") or "").split(f"{'-' * 40}\n")
    paths = sorted((final.served / "held" / ROOT / "thread").glob("*.txt"))
    return [path.read_text("utf-8") for path in paths]


def _prices(final: Final) -> dict[str, list[int]]:
    rows: list[list[str]]
    if FACETS["prices_in"] == "csv":
        rows = [
            list(r.values()) for r in rows_of(final.held(f"{ROOT}/prices.csv")) or []
        ]
    elif FACETS["prices_in"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{ROOT}/prices.sql") or "")
        rows = [list(row) for row in store.execute("SELECT * FROM prices")]
    else:
        lines = (final.held(f"{ROOT}/prices.md") or "").splitlines()
        cells = [
            line.strip("| ").split(" | ") for line in lines if line.startswith("|")
        ]
        rows = cells[2:]
    return {name: [int(one) for one in prices] for name, *prices in rows}


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _like(final: Final, path: str) -> float:
    """How far a file agrees with the right one; see `likeness`."""
    return float(likeness(path, final.text(path), Reply(final).files()[path]))


PATHS = {
    "reply": "reply.txt",
    "open": f"open.{FACETS['points']}",
    "extra": {"changes": "changes.csv", "articles": "articles.json"}.get(
        FACETS["extra"]
    ),
}
CRITERIA = spelt(
    {name: partial(_like, path=path) for name, path in PATHS.items() if path},
    lambda final: Reply(final).files(),
)
MISREADINGS = {
    "what was decided is not heard": lambda final: Reply(final, "unheard").files(),
    "what was ordered first counts": lambda final: Reply(final, "changes").files(),
    "what is settled stays open": lambda final: Reply(final, "settled").files(),
}
