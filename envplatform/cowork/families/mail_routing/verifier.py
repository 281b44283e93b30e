"""Grades a routed inbox, worked out anew from the mails as they are held."""

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
LOST = {"ignored", "duplicate"}


class Mail(NamedTuple):
    """One mail."""

    number: str
    sender: str
    subject: str
    language: str
    answers: str
    has_invoice: bool
    text: str

    @property
    def domain(self) -> str:
        """Of the sender."""
        return self.sender.split("@")[1]

    def hits(self, words: list[str]) -> int:
        """Count words."""
        told = (
            self.subject
            if FACETS["where"] == "subject"
            else f"{self.subject} {self.text}"
        )
        return len(re.findall(rf"\b(?:{'|'.join(words)})\b", told, re.IGNORECASE))


class Line(NamedTuple):
    """What becomes of a mail."""

    mail: Mail
    queue: str
    customer: str
    due: str
    earlier: str


class Inbox:
    """The right routing; `misread` names a rule that is missed."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.customers = _customers(final)
        self.lines: list[Line] = []
        for one in sorted(_mails(final)):
            customer, contract = self.customers.get(one.domain, ("-", "-"))
            queue, earlier = self._queue(one, contract)
            due = self._due(one, queue, contract)
            self.lines.append(Line(one, queue, customer, due, earlier))
        self.seen = [one for one in self.lines if one.queue not in LOST]

    def _queue(self, one: Mail, contract: str) -> tuple[str, str]:
        if one.domain in DRAWN["blocked"]:
            return "ignored", ""
        again = [line.mail.number for line in self.lines if _is_same(line.mail, one)]
        if again and self.misread != "duplicates":
            return "duplicate", again[0]
        follows = FACETS["replies"] != "own"
        if FACETS["replies"] == "thread_without_files" and one.has_invoice:
            follows = False
        follows = follows != (self.misread == "replies")
        origin = [o.queue for o in self.lines if o.mail.number == one.answers]
        if origin and follows:
            return origin[0], ""
        return self._by_steps(one, contract), ""

    def _by_steps(self, one: Mail, contract: str) -> str:
        premium = FACETS["premium"]
        if self.misread == "premium":
            premium = "first" if premium == "never" else "never"
        rules = [
            (premium, contract == "premium", "key_accounts"),
            (FACETS["files"], one.has_invoice, "payables"),
            (FACETS["foreign"], one.language != "en", "international"),
        ]
        first = [queue for when, is_so, queue in rules if is_so and when == "first"]
        after = [queue for when, is_so, queue in rules if is_so and when == "after"]
        nobody = "unassigned" if self.misread != "nobody" else DRAWN["queues"][0][0]
        return [*first, *_by_words(one), *after, nobody][0]

    def _due(self, one: Mail, queue: str, contract: str) -> str:
        if queue in LOST:
            return "-"
        premium, standard, basic, unknown = DRAWN["hours"]
        match FACETS["due"]:
            case "urgent":
                hours = premium if "urgent" in one.subject.split() else basic
            case "contract":
                known = {"premium": premium, "standard": standard, "basic": basic}
                hours = known.get(contract, unknown)
            case _:
                hours = {n: much for n, _, much in DRAWN["queues"]}.get(queue, unknown)
        return str(hours)

    def files(self) -> dict[str, str]:
        """Return all that is wanted, by path."""
        found = self.lines if FACETS["listed"] == "all" else self.seen
        if FACETS["rows"] == "newest":
            found = found[::-1]
        if FACETS["rows"] == "queue":
            found = sorted(found, key=lambda o: (o.queue, o.mail.number))
        rows = [[o.mail.number, o.queue, o.customer, o.due] for o in found]
        return {
            "routing.csv": csv_text([["mail", "queue", "customer", "due"], *rows]),
            "counts.json": json.dumps(self._counts()),
            **self._nobody(),
            **self._extra(),
        }

    def _counts(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in self.seen if FACETS["counts"] == "due" else self.lines:
            key = {
                "queue": one.queue,
                "customer": "others" if one.customer == "-" else one.customer,
                "due": one.due,
            }[FACETS["counts"]]
            found[key] = found.get(key, 0) + 1
        return found

    def _nobody(self) -> dict[str, str]:
        lines = [one for one in self.lines if one.queue == "unassigned"]
        match FACETS["nobody"]:
            case "csv":
                rows = [[o.mail.number, o.mail.sender, o.due] for o in lines]
                return {"nobody.csv": csv_text([["mail", "sender", "due"], *rows])}
            case "json":
                told = {one.mail.number: one.mail.subject for one in lines}
                return {"nobody.json": json.dumps(told)}
        texts = [f"{o.mail.number} {o.mail.sender}: {o.mail.subject}\n" for o in lines]
        return {"nobody.txt": "".join(texts)}

    def _extra(self) -> dict[str, str]:
        if FACETS["extra"] == "duplicates":
            rows = [[o.mail.number, o.earlier] for o in self.lines if o.earlier]
            return {"duplicates.csv": csv_text([["mail", "earlier"], *rows])}
        text = ""
        for queue in sorted({one.queue for one in self.seen}):
            mine = [one.mail.number for one in self.seen if one.queue == queue]
            text += f"{queue}: {' '.join(mine)}\n"
        return {"digest.md": text} if FACETS["extra"] == "digest" else {}


def _is_same(one: Mail, other: Mail) -> bool:
    same = {"subject": one.subject == other.subject, "text": one.text == other.text}
    is_same = same.get(FACETS["same"], all(same.values()))
    return one.sender == other.sender and is_same


def _by_words(one: Mail) -> list[str]:
    """Return the queue whose words occur; none if none do."""
    hits = [(one.hits(words), name) for name, words, _ in DRAWN["queues"]]
    most = max(count for count, _ in hits) if FACETS["several"] == "most" else 1
    return [name for count, name in hits if count and count >= most][:1]


def _customers(final: Final) -> dict[str, tuple[str, str]]:
    if FACETS["customers_in"] == "csv":
        rows = [tuple(r.values()) for r in rows_of(final.held("customers.csv")) or []]
    else:
        store = sqlite3.connect(":memory:")
        store.executescript(final.held("crm/customers.sql") or "")
        rows = store.execute("SELECT * FROM customers").fetchall()
    return {domain: (name, contract) for name, domain, contract in rows}


def _mails(final: Final) -> list[Mail]:
    if FACETS["mails_in"] == "folder":
        folder = final.served / "held" / FACETS["folder"]
        return [_mail(path.read_text("utf-8")) for path in folder.glob("*.txt")]
    routes = json.loads(final.held("services/mail.json") or "[]")
    return [
        Mail(
            body["mail"],
            body["from"],
            body["subject"],
            body["language"],
            body["in_reply_to"] or "",
            "invoice_" in "".join(body["attachments"]),
            body["text"],
        )
        for body in (one["body"] for one in routes)
        if isinstance(body, dict)
    ]


def _mail(text: str) -> Mail:
    head, body = text.split("\n\n", 1)

    def field(name: str) -> str:
        found = re.search(rf"^{name}: (.*)$", head, re.MULTILINE)
        return found[1] if found else ""

    names = ("Mail", "From", "Subject", "Content-Language", "In-Reply-To")
    number, sender, subject, language, answers = map(field, names)
    has_invoice = "invoice_" in field("Attachments")
    return Mail(number, sender, subject, language, answers, has_invoice, body.strip())


def _like(final: Final, path: str) -> float:
    """How far a file agrees with the right one; see `likeness`."""
    return float(likeness(path, final.text(path), Inbox(final).files()[path]))


PATHS = {
    "routing": "routing.csv",
    "counts": "counts.json",
    "nobody": f"nobody.{FACETS['nobody']}",
    "extra": {"digest": "digest.md", "duplicates": "duplicates.csv"}.get(
        FACETS["extra"]
    ),
}
CRITERIA = spelt(
    {name: partial(_like, path=path) for name, path in PATHS.items() if path},
    lambda final: Inbox(final).files(),
)
MISREADINGS = {
    "replies the other way": lambda final: Inbox(final, "replies").files(),
    "duplicates are routed": lambda final: Inbox(final, "duplicates").files(),
    "contracts the other way": lambda final: Inbox(final, "premium").files(),
    "somebody is always found": lambda final: Inbox(final, "nobody").files(),
}
