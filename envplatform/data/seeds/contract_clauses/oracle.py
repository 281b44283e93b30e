"""Reviews the second version through `ws`."""

from __future__ import annotations

import json
import re
from typing import Any

from seedlib import deliver, rows_of, ws_text

Document = dict[str, tuple[str, str]]
"""Heading to number and words."""


def solve() -> None:
    """Read all documents, compare clause by clause, write both files."""
    ws_text("read", "legal/review_guide.md")
    first = split(ws_text("read", "contracts/services_agreement_v1.txt"))
    note = ws_text("read", "contracts/cover_note_v2.txt")
    second = split(
        named_back(ws_text("read", "contracts/services_agreement_v2.txt"), note)
    )
    standard = split(ws_text("read", "legal/standard_terms.txt"))
    playbook = {
        row["heading"]: row["allowed"]
        for row in rows_of(ws_text("read", "legal/playbook.csv")) or []
    }
    others = sorted({*first, *standard} - {*second})
    report = []
    for heading in [*second, *others]:
        line: dict[str, Any] = {
            "heading": heading,
            "earlier": first[heading][0] if heading in first else None,
            "clause": second[heading][0] if heading in second else None,
            "change": compare(heading, first, second),
            "standing": judge(heading, second, standard, playbook),
        }
        if line["change"] != "none" or line["standing"] in ("deviating", "missing"):
            report.append(line)
    deliver("clauses.json", json.dumps(report, indent=1) + "\n")
    deliver("stale.json", json.dumps(stale(second), indent=1) + "\n")


def split(text: str) -> Document:
    """Take a document apart into its clauses."""
    found: Document = {}
    for block in text.split("\n\n"):
        head = re.match(r"(\d+\.\d+) ([^.]+)\. ", block)
        if head:
            found[head[2]] = (head[1], " ".join(block[head.end() :].split()))
    return found


def named_back(text: str, note: str) -> str:
    """Give the parties the names that they had."""
    for line in note.splitlines():
        words = line.split()
        if words[1:4] == ["is", "now", "called"]:
            text = re.sub(rf"\b{words[4]}\b", words[0], text)
    return text


def bare(words: str) -> str:
    """Return words without the numbers of references."""
    return re.sub(r"(?i)\b(clause) [\d.]+ \(", r"\1 (", words)


def masked(words: str) -> str:
    """Return words with a sign for every number."""
    return re.sub(r"\d+(\.\d+)?", "#", bare(words))


def compare(heading: str, first: Document, second: Document) -> str:
    """Return how a clause changed."""
    if heading not in second:
        return "deleted" if heading in first else "none"
    if heading not in first:
        return "added"
    one, two = first[heading][1], second[heading][1]
    if bare(one) == bare(two):
        return "none"
    return "figures" if masked(one) == masked(two) else "words"


def judge(
    heading: str, second: Document, standard: Document, playbook: dict[str, str]
) -> str:
    """Return how a clause stands to the standard terms."""
    if heading not in standard:
        return "foreign"
    if heading not in second:
        return "missing"
    two, norm = second[heading][1], standard[heading][1]
    if bare(two) == bare(norm):
        return "standard"
    rule = playbook.get(heading, "")
    if rule == "any words":
        return "allowed"
    if not rule or masked(two) != masked(norm):
        return "deviating"
    within = []
    for part, figure in zip(
        rule.split("; "), re.findall(r"\d+(?:\.\d+)?", bare(two)), strict=True
    ):
        low, _, high = part.partition(" to ")
        within.append(float(low) <= float(figure) <= float(high or low))
    return "allowed" if all(within) else "deviating"


def stale(second: Document) -> list[dict[str, str]]:
    """Return the references that lead elsewhere."""
    by_number = {number: heading for heading, (number, _) in second.items()}
    found = []
    for number, words in second.values():
        for named, heading in re.findall(r"lause ([\d.]+) \(([^)]+)\)", words):
            if by_number.get(named) != heading:
                found.append({"clause": number, "names": named})
    return found
