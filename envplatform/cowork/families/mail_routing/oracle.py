"""Routes the mails through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
Mail = dict[str, Any]
NOWHERE = ("ignored", "duplicate")


def solve() -> None:
    """Read, route, write."""
    policy = ws_text("read", ws_json("list", "docs/")["names"][0]["name"])
    rules = " ".join(policy.split())
    table = read_table(policy)
    customers = read_customers()
    mails = read_mails()
    for place, one in enumerate(mails):
        domain = one["from"].partition("@")[2]
        one["customer"], one["contract"] = customers.get(domain, ("-", ""))
        one["earlier"] = earlier(one, mails[:place], rules)
        one["queue"] = route(one, mails[:place], table, rules)
        one["due"] = due(one, table, rules)
    write_table(mails)
    write_counts(mails)
    write_nobody([one for one in mails if one["queue"] == "unassigned"])
    write_extra(mails)


def read_table(policy: str) -> dict[str, tuple[list[str], str]]:
    """Return words and hours of each queue."""
    rows = re.findall(r"^\| ([a-z]+) \| (.+?) \| (\d+) \|$", policy, re.MULTILINE)
    return {name: (words.split(", "), hours) for name, words, hours in rows}


def read_customers() -> dict[str, tuple[str, str]]:
    """Return name and contract by domain."""
    if FACETS["customers_in"] == "csv":
        rows = [
            list(r.values()) for r in rows_of(ws_text("read", "customers.csv")) or []
        ]
    else:
        asked = "SELECT customer, domain, contract FROM customers"
        rows = ws_json("query", "crm/customers", asked)["rows"]
    return {domain: (name, contract) for name, domain, contract in rows}


def read_mails() -> list[Mail]:
    """Return all mails, oldest first."""
    if FACETS["mails_in"] == "service":
        numbers = ws_json("call", "services/mail", "GET", "/mails")["body"]
        paths = [f"/mails/{number}" for number in numbers]
        found = [
            ws_json("call", "services/mail", "GET", path)["body"] for path in paths
        ]
    else:
        names = [o["name"] for o in ws_json("list", f"{FACETS['folder']}/")["names"]]
        found = [parse(ws_text("read", name)) for name in names]
    return sorted(found, key=lambda one: str(one["mail"]))


def parse(text: str) -> Mail:
    """Return a mail in the form that the service has."""
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return {
        "mail": fields["Mail"],
        "from": fields["From"],
        "date": fields["Date"],
        "subject": fields["Subject"],
        "language": fields["Content-Language"],
        "in_reply_to": fields.get("In-Reply-To"),
        "attachments": fields.get("Attachments", "").split(", "),
        "text": body.strip(),
    }


def earlier(one: Mail, before: list[Mail], rules: str) -> str:
    """Return the number of the mail that this one repeats, or nothing."""
    keys = {"subject", "text"}
    if "whatever the text says" in rules:
        keys = {"subject"}
    if "whatever the subject says" in rules:
        keys = {"text"}
    for other in before:
        if all(one[key] == other[key] for key in ("from", *keys)):
            return str(other["mail"])
    return ""


def route(
    one: Mail, before: list[Mail], table: dict[str, tuple[list[str], str]], rules: str
) -> str:
    """Return the queue: that of the first step that applies."""
    steps = re.findall(r"\d+\. ([A-Z].+?)(?= \d+\. [A-Z]| ## Words)", rules)
    domain = one["from"].partition("@")[2]
    has_invoice = any(name.startswith("invoice_") for name in one["attachments"])
    origin = [o["queue"] for o in before if o["mail"] == one["in_reply_to"]]
    word = by_words(one, table, rules)
    for step in steps:
        if step.startswith("Mails from") and domain in step:
            return "ignored"
        if step.endswith("the whole address.") and one["earlier"]:
            return "duplicate"
        keeps = "unless it has an invoice" in step and has_invoice
        if step.startswith("A reply") and origin and not keeps:
            return str(origin[0])
        if "with a word" in step and word:
            return word
        applies = {
            "key_accounts": one["contract"] == "premium",
            "payables": has_invoice,
            "international": one["language"] != "en",
        }
        for queue, is_so in applies.items():
            if f"to `{queue}`" in step and is_so:
                return queue
    return "unassigned"


def by_words(one: Mail, table: dict[str, tuple[list[str], str]], rules: str) -> str:
    """Return the queue whose words occur, or nothing."""
    text = one["subject"]
    if "and in the text below" in rules:
        text += f"\n{one['text']}"
    told = Counter(re.findall(r"\w+", text.lower()))
    hits = {
        name: sum(told[word] for word in words) for name, (words, _) in table.items()
    }
    if "most occurrences" in rules:
        best = max(hits, key=lambda name: hits[name])
        return best if hits[best] else ""
    return next((name for name in hits if hits[name]), "")


def due(one: Mail, table: dict[str, tuple[list[str], str]], rules: str) -> str:
    """Return within how many hours a mail is to be answered."""
    if one["queue"] in NOWHERE:
        return "-"
    text = rules.partition("## Until when")[2]
    numbers = re.findall(r"\d+", text)
    if "with a premium contract" in text:
        known = dict(zip(("premium", "standard", "basic", ""), numbers, strict=True))
        return known[one["contract"]]
    if "if the subject says `urgent`" in text:
        return numbers[0 if re.search(r"\burgent\b", one["subject"]) else 1]
    return table[one["queue"]][1] if one["queue"] in table else numbers[0]


def write_table(mails: list[Mail]) -> None:
    """Write where each goes."""
    rows = [o for o in mails if FACETS["listed"] == "all" or o["queue"] not in NOWHERE]
    if FACETS["rows"] == "queue":
        rows.sort(key=lambda one: str(one["queue"]))
    if FACETS["rows"] == "newest":
        rows.reverse()
    lines = [f"{o['mail']},{o['queue']},{o['customer']},{o['due']}" for o in rows]
    deliver("routing.csv", "\n".join(["mail,queue,customer,due", *lines, ""]))


def write_counts(mails: list[Mail]) -> None:
    """Count by what is asked for."""
    keys = [str(one[FACETS["counts"]]) for one in mails]
    if FACETS["counts"] == "customer":
        keys = ["others" if key == "-" else key for key in keys]
    if FACETS["counts"] == "due":
        keys = [key for key in keys if key != "-"]
    deliver("counts.json", json.dumps(Counter(keys), indent=1))


def write_nobody(mails: list[Mail]) -> None:
    """Write what nobody is responsible for."""
    if FACETS["nobody"] == "json":
        told = {one["mail"]: one["subject"] for one in mails}
        deliver("nobody.json", json.dumps(told, indent=1, ensure_ascii=False))
    elif FACETS["nobody"] == "csv":
        lines = [f"{one['mail']},{one['from']},{one['due']}" for one in mails]
        deliver("nobody.csv", "\n".join(["mail,sender,due", *lines, ""]))
    else:
        lines = [f"{one['mail']} {one['from']}: {one['subject']}\n" for one in mails]
        deliver("nobody.txt", "".join(lines))


def write_extra(mails: list[Mail]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "duplicates":
        again = [one for one in mails if one["queue"] == "duplicate"]
        lines = [f"{one['mail']},{one['earlier']}" for one in again]
        deliver("duplicates.csv", "\n".join(["mail,earlier", *lines, ""]))
    if FACETS["extra"] == "digest":
        queues = defaultdict(list)
        for one in mails:
            if one["queue"] not in NOWHERE:
                queues[one["queue"]].append(one["mail"])
        lines = [f"{name}: {' '.join(queues[name])}\n" for name in sorted(queues)]
        deliver("digest.md", "".join(lines))
