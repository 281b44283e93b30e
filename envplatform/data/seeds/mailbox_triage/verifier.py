"""Grades the triage of the mailbox, worked out anew from what the broker holds."""

from __future__ import annotations

import email
import re
import sqlite3
from datetime import datetime
from email import policy
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any, NamedTuple

from seedlib import Final, overlap, share

TIERS = {"gold": 0, "silver": 1, "basic": 2}


class Letter(NamedTuple):
    """One message."""

    sender: str
    at: datetime
    before: list[str]
    """Ids that it refers to, the one that counts most first."""
    assigned: str
    text: str


class Contacts(NamedTuple):
    """The contact store."""

    settings: dict[str, str]
    companies: dict[str, tuple[str, str]]
    """Address to tier and manager."""
    owners: dict[str, str]
    away: dict[str, str]
    """Absent persons to their deputies."""


def expected(final: Final) -> dict[str, dict[str, Any]]:
    """Return the triage of every thread."""
    contacts = _contacts(final)
    letters = _letters(final)
    threads: dict[str, list[Letter]] = {}
    for name in sorted(letters, key=lambda one: letters[one].at):
        threads.setdefault(_root(name, letters), []).append(letters[name])
    return {name: _triaged(found, contacts) for name, found in threads.items()}


def _contacts(final: Final) -> Contacts:
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("contacts.sql") or "")
    settings = dict(store.execute("SELECT name, value FROM settings"))
    firms = {row[0]: row[1:] for row in store.execute("SELECT * FROM companies")}
    rows = store.execute("SELECT address, company, alias_of FROM contacts").fetchall()
    own = {address: company for address, company, _ in rows}
    companies = {
        address: firms[own[alias] if alias else company]
        for address, company, alias in rows
    }
    today = settings["now"].partition("T")[0]
    away = {
        person: deputy
        for person, first, last, deputy in store.execute("SELECT * FROM absences")
        if first <= today <= last
    }
    owners = dict(store.execute("SELECT label, owner FROM owners"))
    return Contacts(settings, companies, owners, away)


def _letters(final: Final) -> dict[str, Letter]:
    found = {}
    for path in sorted((final.served / "held" / "inbox").iterdir()):
        mail = email.message_from_bytes(path.read_bytes(), policy=policy.default)
        body, _, _ = f"\n{mail.get_content()}".partition("\n-- \n")
        ids = re.findall(r"<([^>]+)>", str(mail["References"]))
        found[str(mail["Message-ID"]).strip("<> ")] = Letter(
            sender=getaddresses([str(mail["From"])])[0][1],
            at=parsedate_to_datetime(str(mail["Date"])),
            before=[str(mail["In-Reply-To"]).strip("<> "), *ids[::-1]],
            assigned=str(mail["X-Assigned"] or ""),
            text=re.sub(r"(?m)^>.*$", "", body),
        )
    return found


def _root(name: str, letters: dict[str, Letter]) -> str:
    for before in letters[name].before:
        if before in letters:
            return _root(before, letters)
    return name


def _triaged(thread: list[Letter], contacts: Contacts) -> dict[str, Any]:
    label = _label(thread, contacts)
    return {
        "messages": len(thread),
        "label": label,
        "priority": _priority(thread, label, contacts),
        "owner": _owner(thread, label, contacts),
    }


def _ours(letter: Letter, contacts: Contacts) -> bool:
    return letter.sender.rpartition("@")[2] == contacts.settings["own_domain"]


def _label(thread: list[Letter], contacts: Contacts) -> str:
    from_us = [_ours(one, contacts) for one in thread]
    from_customers = [one.sender in contacts.companies for one in thread]
    if not any(from_us + from_customers):
        return "junk"
    for one, is_customer in zip(thread, from_customers, strict=True):
        if is_customer and re.search(r"HTTP 5[0-9]{2}(?![0-9])", one.text):
            return "outage"
    for label, mark in (("billing", r"QI-[0-9]{5}"), ("delivery", r"SO-[0-9]{4}")):
        if any(re.search(mark, one.text) for one in thread):
            return label
    return "internal" if all(from_us) else "general"


def _tier(thread: list[Letter], contacts: Contacts) -> tuple[str, str]:
    firms = [contacts.companies.get(one.sender, ("basic", "")) for one in thread]
    return min(firms, key=lambda one: TIERS[one[0]])


def _priority(thread: list[Letter], label: str, contacts: Contacts) -> int:
    if label == "junk" or _ours(thread[-1], contacts):
        return 4
    answered = [number for number, one in enumerate(thread) if _ours(one, contacts)]
    first = thread[answered[-1] + 1 if answered else 0]
    tier, _ = _tier(thread, contacts)
    now = datetime.fromisoformat(contacts.settings["now"])
    hours = (now - first.at).total_seconds() / 3600
    allowed = float(contacts.settings[f"wait_hours_{tier}"])
    is_outage = label == "outage"
    if hours > 2 * allowed or (is_outage and tier == "gold"):
        return 1
    return 2 if is_outage or hours > allowed else 3


def _owner(thread: list[Letter], label: str, contacts: Contacts) -> str:
    if label == "junk":
        return "nobody"
    owner = contacts.owners[label]
    tier, manager = _tier(thread, contacts)
    if tier == "gold":
        owner = manager
    for one in thread:
        if _ours(one, contacts) and one.assigned:
            owner = one.assigned
    while owner in contacts.away:
        owner = contacts.away[owner]
    return owner


def _given(final: Final) -> dict[str, dict[str, Any]]:
    said = final.json("triage.json")
    if not isinstance(said, dict):
        return {}
    return {name: one for name, one in said.items() if isinstance(one, dict)}


def _agreement(final: Final, key: str) -> float:
    """Share of threads with the right value; nothing for nearly one value alone."""
    wanted, given = expected(final), _given(final)
    if len({str(one.get(key)) for one in given.values()}) < 3:
        return 0.0
    right = sum(
        given.get(name, {}).get(key) == one[key]
        and type(given[name][key]) is type(one[key])
        for name, one in wanted.items()
    )
    return share(right, len(wanted.keys() | given.keys()))


def threads(final: Final) -> float:
    """How far threads and their lengths agree; all of it only in the right form."""
    wanted, given = expected(final), _given(final)
    found = {(name, str(one.get("messages"))) for name, one in given.items()}
    agree = overlap(
        found, {(name, str(one["messages"])) for name, one in wanted.items()}
    )
    keys = {"messages", "label", "priority", "owner"}
    is_neat = given == final.json("triage.json") and all(
        set(one) == keys and type(one["messages"]) is int for one in given.values()
    )
    return agree if is_neat else 0.9 * agree


def labels(final: Final) -> float:
    """Labels."""
    return _agreement(final, "label")


def priorities(final: Final) -> float:
    """Priorities."""
    return _agreement(final, "priority")


def owners(final: Final) -> float:
    """Owners."""
    return _agreement(final, "owner")


CRITERIA = {
    "threads": threads,
    "labels": labels,
    "priorities": priorities,
    "owners": owners,
}
