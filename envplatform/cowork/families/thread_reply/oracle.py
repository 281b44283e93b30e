"""Writes the reply through `ws`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
ROOT = FACETS["root"]


class Question(NamedTuple):
    """One question of the customer."""

    number: int
    topic: str
    asked: str
    by: str


class Thread:
    """What the thread comes to."""

    def __init__(self, mails: list[str]) -> None:
        self.sizes: dict[str, int] = {}
        self.changes: list[tuple[str, str, int]] = []
        self.questions: list[Question] = []
        self.done: set[int] = set()
        self.subject = self.customer = ""
        for mail in mails:
            self.follow(mail)

    def follow(self, mail: str) -> None:
        """Take one mail in."""
        head, _, text = mail.partition("\n\n")
        fields = dict(line.split(": ", 1) for line in head.splitlines())
        name = fields["From"].partition(" (")[0]
        self.subject = self.subject or fields["Subject"]
        self.customer = self.customer or name
        for size, article in re.findall(r"^(\d+) x (.+)$", text, re.MULTILINE):
            self.sizes[article] = int(size)
        changed = r"^(.+): (?:make it (\d+) instead|we do not need it)\."
        for article, size in re.findall(changed, text, re.MULTILINE):
            self.sizes[article] = int(size or 0)
            self.changes.append((fields["Date"], article, int(size or 0)))
        for number, topic in re.findall(
            r"^Question (\d+) \((.+?)\):", text, re.MULTILINE
        ):
            self.questions.append(Question(int(number), topic, fields["Date"], name))
        told = re.findall(
            r"^(?:Answer (\d+):|Question (\d+) is settled)", text, re.MULTILINE
        )
        self.done |= {int(one or other) for one, other in told}


def solve() -> None:
    """Read, tell, work out, write."""
    thread = Thread(read_thread())
    prices = read_prices()
    rules = " ".join(ws_text("read", f"{ROOT}/rules.md").split())
    known, _, owners_text = ws_text("read", f"{ROOT}/questions.md").partition("## Who")
    item = r"^- (.+?): (.+)$"
    answers = dict(re.findall(item, known, re.MULTILINE))
    owners = dict(re.findall(item, owners_text, re.MULTILINE))
    said = ws_json("say", "I have read the thread and the prices.")["user_message"]
    sizes = {name: size for name, size in thread.sizes.items() if size}
    total = sum(sizes.values())
    each = {
        name: prices[name][tier(rules, size, total)] for name, size in sizes.items()
    }
    sums = {name: size * each[name] for name, size in sizes.items()}
    left = [one for one in thread.questions if one.number not in thread.done]
    unknown = [one for one in left if one.topic not in answers]
    lines = [
        f"{name}: {sizes[name]} x {euros(each[name])} = {euros(sums[name])}"
        for name in in_order(sums)
    ]
    deliver(
        "reply.txt",
        "\n".join(
            [
                f"To: {thread.customer}",
                f"Subject: {thread.subject}",
                *lines,
                *amounts(sum(sums.values()), said, rules),
                *answered([one for one in left if one.topic in answers], answers),
                f"Open: {', '.join(str(one.number) for one in unknown)}",
                "",
            ]
        ),
    )
    write_open(unknown, owners)
    if FACETS["extra"] == "changes":
        rows = [f"{day},{name},{size}" for day, name, size in thread.changes]
        deliver("changes.csv", "\n".join(["date,article,quantity", *rows, ""]))
    if FACETS["extra"] == "articles":
        told = {name: {"quantity": sizes[name], "cents": sums[name]} for name in sizes}
        deliver("articles.json", json.dumps(told, indent=1))


def read_thread() -> list[str]:
    """Return all mails, oldest first."""
    if FACETS["thread_in"] == "file":
        text = ws_text("read", f"{ROOT}/thread.txt")
        return re.split(r"^-+\n", text, flags=re.MULTILINE)
    names = [one["name"] for one in ws_json("list", f"{ROOT}/thread/")["names"]]
    return [ws_text("read", name) for name in sorted(names)]


def read_prices() -> dict[str, list[int]]:
    """Return the three prices of each article."""
    place = f"{ROOT}/prices"
    if FACETS["prices_in"] == "store":
        rows = ws_json("query", place, "SELECT * FROM prices")["rows"]
    elif FACETS["prices_in"] == "csv":
        rows = [
            list(r.values()) for r in rows_of(ws_text("read", f"{place}.csv")) or []
        ]
    else:
        pattern = r"^\| (.+?) \| (\d+) \| (\d+) \| (\d+) \|$"
        rows = re.findall(pattern, ws_text("read", f"{place}.md"), re.MULTILINE)
    return {name: [int(one) for one in prices] for name, *prices in rows}


def tier(rules: str, size: int, total: int) -> int:
    """Return which of the three prices counts."""
    if "for a single piece" in rules:
        return 0
    count = total if "the whole order has" in rules else size
    return (count >= 10) + (count >= 50)


def in_order(sums: dict[str, int]) -> list[str]:
    """Return the articles as the reply has them."""
    if FACETS["lines"] == "dearest":
        return sorted(sums, key=lambda name: (-sums[name], name))
    return sorted(sums) if FACETS["lines"] == "name" else list(sums)


def amounts(gross: int, said: str, rules: str) -> list[str]:
    """Return the lines with sums."""
    percent = re.search(r"(\d+) % discount", said)
    off = re.search(r"take (\d+)\.00 EUR off", said)
    freight = re.search(r"freight comes to (\d+)\.00 EUR", said)
    usual = re.search(r"Freight is (\d+)\.00 EUR", rules)
    discount = gross * int(percent[1]) // 100 if percent else 0
    taken = int(off[1]) * 100 if off else 0
    found = freight or usual
    sent = int(found[1]) * 100 if found else 0
    net = gross - discount - taken + sent
    lines = {"Discount": discount, "Taken off": taken, "Freight": sent, "Net": net}
    vat = re.search(r"VAT of (\d+) %", rules)
    if vat:
        lines["VAT"] = net * int(vat[1]) // 100
        lines["Total"] = net + lines["VAT"]
    return [f"{name}: {euros(cents)}" for name, cents in lines.items()]


def answered(questions: list[Question], answers: dict[str, str]) -> list[str]:
    """Return the lines with answers."""
    if FACETS["answers"] == "lines":
        return [f"Answer {one.number}: {answers[one.topic]}" for one in questions]
    topics = sorted(one.topic for one in questions)
    if FACETS["answers"] == "topics":
        return [f"About {topic}: {answers[topic]}" for topic in topics]
    return []


def write_open(questions: list[Question], owners: dict[str, str]) -> None:
    """Write what stays open."""
    if FACETS["sorted_by"] == "owner":
        questions = sorted(questions, key=lambda one: (owners[one.topic], one.number))
    if FACETS["points"] == "csv":
        rows = [
            f"{o.number},{o.topic},{o.asked},{o.by},{owners[o.topic]}"
            for o in questions
        ]
        deliver("open.csv", "\n".join(["question,topic,asked,by,owner", *rows, ""]))
    elif FACETS["points"] == "txt":
        rows = [
            f"{owners[o.topic]}: question {o.number} of {o.by} ({o.topic})"
            for o in questions
        ]
        deliver("open.txt", "\n".join([*rows, ""]))
    else:
        found = defaultdict(list)
        for one in sorted(questions, key=lambda one: one.topic):
            found[owners[one.topic]].append(one.topic)
        deliver("open.json", json.dumps(found, indent=1))


def euros(cents: int) -> str:
    """Return an amount as the reply has it."""
    return f"{cents // 100}.{cents % 100:02}"
