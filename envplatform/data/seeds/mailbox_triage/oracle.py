"""Triages the mailbox through `ws`."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from seedlib import deliver, ws, ws_json, ws_text

TIERS = ("gold", "silver", "basic")
Mail = dict[str, Any]


class Desk:
    """What the contact store says."""

    def __init__(self) -> None:
        """Read it."""
        self.settings = dict(rows("SELECT name, value FROM settings"))
        self.now = datetime.fromisoformat(self.settings["now"])
        self.company = {
            address: (company, tier, manager)
            for address, company, tier, manager in rows(
                "SELECT c.address, m.company, m.tier, m.manager FROM contacts c"
                " JOIN contacts o ON o.address = coalesce(c.alias_of, c.address)"
                " JOIN companies m ON m.company = o.company"
            )
        }
        self.owners = dict(rows("SELECT label, owner FROM owners"))
        day = self.settings["now"][:10]
        self.deputy = {
            person: deputy
            for person, first, last, deputy in rows("SELECT * FROM absences")
            if first <= day <= last
        }

    def is_ours(self, mail: Mail) -> bool:
        """Whether one of us wrote it."""
        domain: str = self.settings["own_domain"]
        return str(mail["from"]).endswith(f"@{domain}")

    def label(self, mails: list[Mail]) -> str:
        """Return the first label that fits."""
        ours = [self.is_ours(mail) for mail in mails]
        customers = [mail for mail in mails if mail["from"] in self.company]
        text = "\n".join(mail["text"] for mail in mails)
        said = "\n".join(mail["text"] for mail in customers)
        for label, fits in (
            ("junk", not any(ours) and not customers),
            ("outage", re.search(r"\bHTTP 5\d\d\b", said)),
            ("billing", re.search(r"\bQI-\d{5}\b", text)),
            ("delivery", re.search(r"\bSO-\d{4}\b", text)),
            ("internal", all(ours)),
        ):
            if fits:
                return label
        return "general"

    def best(self, mails: list[Mail]) -> tuple[str, str]:
        """Return the best tier, and that company's manager."""
        found = [
            self.company[m["from"]][1:] for m in mails if m["from"] in self.company
        ]
        return min(found, key=lambda one: TIERS.index(one[0]), default=("basic", ""))

    def priority(self, mails: list[Mail], label: str) -> int:
        """Return the priority of a thread, its mails in order."""
        waiting: list[Mail] = []
        for mail in mails:
            waiting = [] if self.is_ours(mail) else [*waiting, mail]
        if label == "junk" or not waiting:
            return 4
        tier, _ = self.best(mails)
        waited = self.now - waiting[0]["date"]
        may = timedelta(hours=int(self.settings[f"wait_hours_{tier}"]))
        if waited > 2 * may or (label == "outage" and tier == "gold"):
            return 1
        return 2 if waited > may or label == "outage" else 3

    def owner(self, mails: list[Mail], label: str) -> str:
        """Return who takes care."""
        if label == "junk":
            return "nobody"
        tier, manager = self.best(mails)
        assigned = [m["assigned"] for m in mails if m["assigned"] and self.is_ours(m)]
        owner = self.owners[label]
        if assigned:
            owner = assigned[-1]
        elif tier == "gold":
            owner = manager
        while owner in self.deputy:
            owner = self.deputy[owner]
        return str(owner)


def solve() -> None:
    """Read all, follow the policy, write the table."""
    ws_text("read", "policies/triage.md")
    desk = Desk()
    triage = {}
    for name, mails in sorted(threads(read_mails()).items()):
        label = desk.label(mails)
        triage[name] = {
            "messages": len(mails),
            "label": label,
            "priority": desk.priority(mails, label),
            "owner": desk.owner(mails, label),
        }
    deliver("triage.json", json.dumps(triage, indent=1))


def read_mails() -> dict[str, Mail]:
    """Return all mails by their id."""
    mails = {}
    for one in ws_json("list", "inbox/")["names"]:
        found = message_from_bytes(ws("read", one["name"]), policy=policy.default)
        text = str(found.get_content()).split("\n-- \n")[0]
        lines = [line for line in text.splitlines() if not line.startswith(">")]
        references = [*map(_plain, str(found["References"] or "").split())]
        mails[_plain(found["Message-ID"])] = {
            "from": parseaddr(str(found["From"]))[1].lower(),
            "date": parsedate_to_datetime(str(found["Date"])),
            "up": [_plain(found["In-Reply-To"]), *reversed(references)],
            "assigned": str(found["X-Assigned"] or "").strip(),
            "text": "\n".join(lines),
        }
    return mails


def threads(mails: dict[str, Mail]) -> dict[str, list[Mail]]:
    """Return the mails of each thread, oldest first."""
    found: dict[str, list[Mail]] = {}
    for name, mail in sorted(mails.items(), key=lambda one: one[1]["date"]):
        root = name
        while up := next((one for one in mails[root]["up"] if one in mails), ""):
            root = up
        found.setdefault(root, []).append(mail)
    return found


def rows(sql: str) -> list[list[Any]]:
    """Ask the contact store."""
    found: list[list[Any]] = ws_json("query", "contacts", sql)["rows"]
    return found


def _plain(header: object) -> str:
    return str(header or "").strip().strip("<>")
