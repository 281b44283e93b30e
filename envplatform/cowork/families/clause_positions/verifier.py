"""Grades positions on an agreement, taken anew from the agreement as it is held."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from marks import csv_text
from seedlib import Final, overlap, parameters, rows_of
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
LIMITS: dict[str, dict[str, int]] = DRAWN["limits"]
TOPICS: dict[str, tuple[str, int, str]] = DRAWN["topics"]
"""Heading to bound, step and standard text."""
ACCEPTED, REPLACED = DRAWN["laws"]
UNCHANGED = "Unchanged."


class View(NamedTuple):
    """How we look at one clause; what it lacks is empty."""

    number: int
    heading: str
    position: str
    figure: str
    limit: str
    theirs: str
    ours: str


def agreement(final: Final) -> list[tuple[int, str, str]]:
    """Return number, heading and text of each clause, by number."""
    at = FACETS["at"]
    text = final.held(f"{at}.md") or ""
    if FACETS["agreement"] == "folder":
        files = sorted(Path(final.served / "held" / at).glob("*.md"))
        text = "\n".join(one.read_text("utf-8") for one in files)
    found = []
    for part in text.split("## ")[1:]:
        head, _, body = part.partition("\n")
        number, _, heading = head.partition(". ")
        found.append((int(number), heading, body.strip()))
    return found


def views(final: Final, misread: str = "") -> list[View]:
    """Return all positions; `misread` names what is got wrong."""
    clauses = agreement(final)
    found = [_view(*one, misread) for one in clauses]
    there = {heading for _, heading, _ in clauses}
    for heading in TOPICS:
        if heading in there or FACETS["missing"] == "leave_out":
            continue
        limit = _limit(heading, misread)
        ours = _standard(heading, limit) if FACETS["missing"] == "add" else ""
        found.append(View(0, heading, FACETS["missing"], "", str(limit), "", ours))
    return [one for one in found if one.position != "leave_out"]


def _limit(heading: str, misread: str) -> int:
    kind = "standard" if misread == "kind" else DRAWN["kind"]
    conceded, figure = DRAWN["conceded"]
    own = LIMITS[heading][kind]
    return figure if heading == conceded and figure and misread != "kind" else own


def _standard(heading: str, limit: int) -> str:
    return TOPICS[heading][2].replace("{n}", str(limit))


def _view(number: int, heading: str, text: str, misread: str) -> View:
    if heading == "Governing law":
        law = re.findall(r"[A-Z]\w+", text)[-1]
        position = "accept" if law in ACCEPTED else "escalate"
        ours = f"This agreement is governed by the law of {ACCEPTED[0]}."
        if law in REPLACED:
            return View(number, heading, "replace", "", "", text, ours)
        return View(number, heading, position, "", "", text, "")
    if heading not in TOPICS:
        return View(number, heading, FACETS["others"], "", "", text, "")
    (told,) = re.findall(r"\d+", text)
    if [heading, 0] == DRAWN["conceded"] and misread != "kind":
        return View(number, heading, "accept", told, "", text, "")
    limit = _limit(heading, misread)
    position = _position(heading, int(told), limit, misread)
    ours = _standard(heading, limit) if position == "replace" else ""
    return View(number, heading, position, told, str(limit), text, ours)


def _position(heading: str, figure: int, limit: int, misread: str) -> str:
    bound, step, _ = TOPICS[heading]
    if bound == "at least" and misread != "bound":
        is_within = figure >= limit
        last = {"column": figure < 6 * step, "double": 2 * figure < limit}
        is_beyond = last.get(FACETS["escalate"], 3 * figure < 2 * limit)
    else:
        is_within = figure <= limit
        last = {"column": figure > 20 * step, "double": figure > 2 * limit}
        is_beyond = last.get(FACETS["escalate"], 2 * figure > 3 * limit)
    if is_within:
        return "accept"
    return "escalate" if is_beyond and misread != "escalate" else "replace"


def table(found: list[View]) -> list[list[str]]:
    """Return the rows of our positions in their order."""
    key = {"clause": (0,), "position": (2, 0), "heading": (1,)}[FACETS["order"]]
    rows = sorted(found, key=lambda one: [one[at] for at in key])
    head = ["clause", "heading", "position", "figure", "limit"]
    return [head, *([str(one[at]) for at in range(5)] for one in rows)]


def redline(found: list[View], clauses: list[tuple[int, str, str]]) -> tuple[str, str]:
    """Return path and text of the document with our texts."""
    ours = {one.heading: one.ours for one in found if one.ours}
    if FACETS["redline"] == "object":
        return "redline.json", json.dumps(ours)
    added = [(0, one.heading, "") for one in found if one.ours and not one.number]
    parts = []
    for number, heading, _ in [*clauses, *added]:
        if FACETS["redline"] == "whole" or heading in ours:
            text = ours.get(heading, UNCHANGED)
            parts.append(f"## {number}. {heading}\n\n{text}\n")
    return "redline.md", "\n".join(parts)


def note(found: list[View]) -> tuple[str, str]:
    """Return path and text of what is escalated."""
    rows = [one for one in sorted(found) if one.position == "escalate"]
    match FACETS["note"]:
        case "lines":
            lines = [f"{one.number} {one.heading}\n" for one in rows]
            return "escalation.txt", "".join(lines)
        case "object":
            told = {one.heading: one.theirs for one in rows}
            return "escalation.json", json.dumps(told)
    cells = [[str(one.number), one.heading, one.theirs] for one in rows]
    return "escalation.csv", csv_text([["clause", "heading", "text"], *cells])


def besides(found: list[View]) -> tuple[str, str]:
    """Return path and text of what is wanted besides; no path if nothing is."""
    if FACETS["extra"] == "counts":
        positions = [one.position for one in found]
        return "counts.json", json.dumps({o: positions.count(o) for o in positions})
    if FACETS["extra"] == "gaps":
        rows = [
            [one.heading, str(abs(int(one.figure) - int(one.limit)))]
            for one in sorted(found, key=lambda one: one.heading)
            if one.position in {"replace", "escalate"} and one.figure
        ]
        return "gaps.csv", csv_text([["heading", "gap"], *rows])
    return "", ""


def written(final: Final, misread: str = "") -> dict[str, tuple[str, str]]:
    """Return path and text of each criterion's file as they should be."""
    found = views(final, misread)
    return {
        "positions": ("positions.csv", csv_text(table(found))),
        "redline": redline(found, agreement(final)),
        "escalation": note(found),
        "extra": besides(found),
    }


def _atoms(path: str, text: str) -> list[Any]:
    """Return what a file says, piece by piece; rows under another head are none."""
    if path.endswith(".json"):
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            return []
        pairs = sorted(told.items()) if isinstance(told, dict) else ()
        return [json.dumps(one) for one in pairs]
    if path.endswith(".csv"):
        return [json.dumps(list(row.items())) for row in rows_of(text) or []]
    if path.endswith(".txt"):
        return text.splitlines()
    # clause by clause; what has nothing of ours in it is of no worth
    return [one for one in text.split("## ")[1:] if one]


def _score(final: Final, criterion: str) -> float:
    """How far the file agrees, squared; in disorder, at most 0.6."""
    path, text = written(final)[criterion]
    told = final.text(path) or ""
    given, due = set(_atoms(path, told)), set(_atoms(path, text))
    if criterion == "redline" and FACETS["redline"] == "whole":
        given, due = _changed(given), _changed(due)
    score = overlap(given, due) ** 2
    is_same = _atoms(path, told) == _atoms(path, text)
    is_whole = told == text if path.endswith(".md") else is_same
    return score if is_whole else min(score, 0.6)


def _changed(parts: set[str]) -> set[str]:
    stripped = {one.strip() for one in parts}
    return {one for one in stripped if not one.endswith(f"\n\n{UNCHANGED}")}


CRITERIA = spelt(
    {
        name: partial(_score, criterion=name)
        for name in ("positions", "redline", "escalation", "extra")
        if name != "extra" or FACETS["extra"] != "none"
    },
    lambda final: _misread(final, ""),
)


def _misread(final: Final, rule: str) -> dict[str, str]:
    return {path: text for path, text in written(final, rule).values() if path}


MISREADINGS = {
    "it is a standard deal, and nothing was conceded": partial(_misread, rule="kind"),
    "least figures are taken for most figures": partial(_misread, rule="bound"),
    "nothing is beyond negotiation": partial(_misread, rule="escalate"),
}
