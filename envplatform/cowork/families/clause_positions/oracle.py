"""Takes positions on an agreement through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
LAW = "Governing law"


class Clause(NamedTuple):
    """One clause with our position; number 0 is lacking."""

    number: int
    heading: str
    text: str
    position: str
    figure: int | None = None
    limit: int | None = None
    ours: str = ""


def solve() -> None:
    """Read, tell, take positions, write."""
    clauses = read_agreement()
    playbook = ws_text("read", playbook_name())
    limits = read_limits(playbook)
    said = ws_json("say", "I have read agreement and playbook.")["user_message"]
    house = House(playbook, limits, said)
    positions = [taken(*one, house) for one in clauses]
    found = [one for one in positions if one is not None]
    flat = house.flat
    there = {heading for _, heading, _ in clauses}
    for heading in limits:
        if heading not in there:
            limit = int(limits[heading][kind_of(said)])
            if "position `add`" in flat:
                text = standard(playbook, heading, limit)
                found.append(Clause(0, heading, "", "add", None, limit, text))
            elif "that is escalated, too" in flat:
                found.append(Clause(0, heading, "", "escalate", None, limit))
    write(clauses, found)


def read_agreement() -> list[tuple[int, str, str]]:
    """Return number, heading and text of each clause."""
    if FACETS["agreement"] == "document":
        text = ws_text("read", f"{FACETS['at']}.md")
    else:
        names = ws_json("list", f"{FACETS['at']}/")["names"]
        text = "\n".join(ws_text("read", one["name"]) for one in names)
    found = re.findall(r"^## (\d+)\. (.+)\n\n(.+)$", text, re.MULTILINE)
    return sorted((int(number), heading, text) for number, heading, text in found)


def playbook_name() -> str:
    """Return the document in docs that is no table."""
    names = [one["name"] for one in ws_json("list", "docs/")["names"]]
    return str(next(name for name in names if name.endswith(".md")))


def read_limits(playbook: str) -> dict[str, dict[str, str]]:
    """Return the rows of the table of limits by clause."""
    if FACETS["limits"] == "csv":
        rows = rows_of(ws_text("read", "docs/limits.csv")) or []
    else:
        lines = [
            [cell.strip() for cell in line.strip("|\n ").split("|")]
            for line in playbook.splitlines()
            if line.startswith("|") and "---" not in line
        ]
        rows = [dict(zip(lines[0], line)) for line in lines[1:]]  # noqa: B905
    return {row["clause"]: row for row in rows}


def kind_of(said: str) -> str:
    """Return which deal it is, as the user tells it."""
    told = re.search(r"this is a (\w+) deal", said)
    return told[1] if told else "standard"


def standard(playbook: str, heading: str, limit: int | None) -> str:
    """Return our standard text."""
    text = playbook.partition(f"### {heading}\n\n")[2].partition("\n")[0]
    return text.replace("[limit]", str(limit))


class House(NamedTuple):
    """What we go by."""

    playbook: str
    limits: dict[str, dict[str, str]]
    said: str

    @property
    def flat(self) -> str:
        """The playbook as one line."""
        return " ".join(self.playbook.split())


def taken(number: int, heading: str, text: str, house: House) -> Clause | None:
    """Return the clause with our position; None if we have none."""
    if heading == LAW:
        ours = standard(house.playbook, heading, None)
        position = on_law(text, house.flat)
        return Clause(
            number, heading, text, position, ours=ours if position == "replace" else ""
        )
    if heading not in house.limits:
        does = {"accepted as": "accept", "escalated": "escalate"}
        found = [
            one for words, one in does.items() if f"not name are {words}" in house.flat
        ]
        return Clause(number, heading, text, found[0]) if found else None
    figure = int(re.findall(r"\d+", text)[0])
    if f"the clause on {heading} as they wrote it" in house.said:
        return Clause(number, heading, text, "accept", figure)
    gone = re.search(rf"on {heading} we have already gone to (\d+)", house.said)
    row = house.limits[heading]
    limit = int(gone[1]) if gone else int(row[kind_of(house.said)])
    position = on_figure(figure, limit, row, house.flat)
    ours = standard(house.playbook, heading, limit) if position == "replace" else ""
    return Clause(number, heading, text, position, figure, limit, ours)


def on_law(text: str, flat: str) -> str:
    """Return the position on a law."""
    laws = re.search(r"Governing law: (.+?) are accepted\. (.+?): replace", flat)
    law = text.rpartition(" ")[2].strip(".")
    if laws and law in laws[1].split(" and "):
        return "accept"
    return "replace" if laws and law in laws[2].split(", ") else "escalate"


def on_figure(figure: int, limit: int, row: dict[str, str], flat: str) -> str:
    """Return the position on a figure."""
    is_most = row["bound"] == "at most"
    sign = 1 if is_most else -1
    if sign * figure <= sign * limit:
        return "accept"
    last = Fraction(limit)
    if "escalate beyond" in row:
        last = Fraction(row["escalate beyond"])
    elif "more than twice the limit" in flat:
        last *= 2 if is_most else Fraction(1, 2)
    else:
        last *= Fraction(3, 2) if is_most else Fraction(2, 3)
    return "escalate" if sign * figure > sign * last else "replace"


def write(clauses: list[tuple[int, str, str]], found: list[Clause]) -> None:
    """Write everything that is wanted."""
    order = {
        "clause": lambda one: one.number,
        "position": lambda one: (one.position, one.number),
        "heading": lambda one: one.heading,
    }
    lines = ["clause,heading,position,figure,limit"]
    for one in sorted(found, key=order[FACETS["order"]]):
        figures = ["" if o is None else str(o) for o in (one.figure, one.limit)]
        lines.append(",".join([str(one.number), one.heading, one.position, *figures]))
    deliver("positions.csv", "\n".join([*lines, ""]))
    ours = {one.heading: one.ours for one in found if one.ours}
    if FACETS["redline"] == "object":
        deliver("redline.json", json.dumps(ours, indent=1))
    else:
        shown = [
            (number, heading, ours.get(heading, "Unchanged."))
            for number, heading, _ in clauses
            if heading in ours or FACETS["redline"] == "whole"
        ]
        shown += [(0, o.heading, o.ours) for o in found if not o.number and o.ours]
        parts = [
            f"## {number}. {heading}\n\n{text}\n" for number, heading, text in shown
        ]
        deliver("redline.md", "\n".join(parts))
    escalation(sorted(one for one in found if one.position == "escalate"))
    if FACETS["extra"] == "counts":
        counts = Counter(one.position for one in found)
        deliver("counts.json", json.dumps(counts, indent=1))
    if FACETS["extra"] == "gaps":
        rows = [
            f"{one.heading},{abs(one.figure - one.limit)}\n"
            for one in sorted(found, key=lambda one: one.heading)
            if one.position != "accept" and one.figure and one.limit
        ]
        deliver("gaps.csv", "heading,gap\n" + "".join(rows))


def escalation(found: list[Clause]) -> None:
    """Write the note."""
    if FACETS["note"] == "lines":
        text = "".join(f"{one.number} {one.heading}\n" for one in found)
        deliver("escalation.txt", text)
    elif FACETS["note"] == "object":
        told = {one.heading: one.text for one in found}
        deliver("escalation.json", json.dumps(told, indent=1))
    else:
        rows = [f'{one.number},{one.heading},"{one.text}"\n' for one in found]
        deliver("escalation.csv", "clause,heading,text\n" + "".join(rows))
