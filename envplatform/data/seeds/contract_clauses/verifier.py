"""Grades the review of a contract's second version."""

from __future__ import annotations

import re
from typing import NamedTuple

from seedlib import Final, overlap, rows_of, share

KEYS = {"heading", "earlier", "clause", "change", "standing"}
CLAUSE = re.compile(r"^(\d+\.\d+) ([^.\n]+)\. (.*(?:\n    .*)*)", re.MULTILINE)
REFERENCE = re.compile(r"(clause) \d+\.\d+ (\([^)]*\))", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Clause(NamedTuple):
    """One clause of a document."""

    number: str
    words: str
    """Without line ends; numbers of references are left in."""

    @property
    def meaning(self) -> str:
        """The words without the numbers of references."""
        return REFERENCE.sub(r"\1 \2", self.words)


class Reported(NamedTuple):
    """One line of the review, by its heading."""

    earlier: str | None
    clause: str | None
    change: str
    standing: str


def clauses_of(text: str) -> dict[str, Clause]:
    """Read a document, clauses by heading, in their order."""
    return {
        heading: Clause(number, " ".join(words.split()))
        for number, heading, words in CLAUSE.findall(text)
    }


def second(final: Final) -> dict[str, Clause]:
    """Read version 2, with the parties called as in version 1."""
    text = final.held("contracts/services_agreement_v2.txt") or ""
    note = final.held("contracts/cover_note_v2.txt") or ""
    for before, now in re.findall(r"(\w+) +is now called +(\w+)", note):
        text = re.sub(rf"\b{now}\b", before, text)
    return clauses_of(text)


def expected(final: Final) -> dict[str, Reported]:
    """Review version 2 anew, from what the broker holds; in the order that is asked."""
    first = clauses_of(final.held("contracts/services_agreement_v1.txt") or "")
    standard = clauses_of(final.held("standard/terms.txt") or "")
    allowed = rows_of(final.held("standard/playbook.csv")) or []
    playbook = {row["heading"]: row["allowed"] for row in allowed}
    now = second(final)
    found = {}
    for heading in (*now, *sorted((set(first) | set(standard)) - set(now))):
        one, two, norm = (part.get(heading) for part in (first, now, standard))
        line = Reported(
            one.number if one else None,
            two.number if two else None,
            _change(one, two),
            _standing(two, norm, playbook.get(heading)),
        )
        if line.change != "none" or line.standing in {"deviating", "missing"}:
            found[heading] = line
    return found


def _change(one: Clause | None, two: Clause | None) -> str:
    if one is None or two is None:
        return ("added" if two else "none") if one is None else "deleted"
    if one.meaning == two.meaning:
        return "none"
    plain = [NUMBER.sub("0", clause.meaning) for clause in (one, two)]
    return "figures" if plain[0] == plain[1] else "words"


def _standing(two: Clause | None, norm: Clause | None, allowed: str | None) -> str:
    if norm is None:
        return "foreign"
    if two is None:
        return "missing"
    if two.meaning == norm.meaning:
        return "standard"
    return "allowed" if allowed and _fits(two, norm, allowed) else "deviating"


def _fits(two: Clause, norm: Clause, allowed: str) -> bool:
    if allowed == "any words":
        return True
    if NUMBER.sub("0", two.meaning) != NUMBER.sub("0", norm.meaning):
        return False
    figures = map(float, NUMBER.findall(two.meaning))
    ranges = [list(map(float, part.split(" to "))) for part in allowed.split(";")]
    return all(r[0] <= f <= r[-1] for f, r in zip(figures, ranges, strict=True))


def stale_references(final: Final) -> list[tuple[str, str]]:
    """Return clause and number of each reference that leads elsewhere, in order."""
    now = second(final)
    headings = {clause.number: heading for heading, clause in now.items()}
    pattern = re.compile(r"clause (\d+\.\d+) \(([^)]*)\)", re.IGNORECASE)
    return [
        (clause.number, number)
        for clause in now.values()
        for number, heading in pattern.findall(clause.words)
        if headings.get(number) != heading
    ]


def _given(final: Final) -> dict[str, dict[str, object]]:
    listed = final.json("clauses.json")
    lines = [one for one in listed if isinstance(one, dict)] if listed else []
    return {str(line.get("heading")): line for line in lines}


def found(final: Final) -> float:
    """How far the clauses reported agree; to report every clause is worth little."""
    return max(0.0, 2 * overlap(set(_given(final)), set(expected(final))) - 1)


def change(final: Final) -> float:
    """Mean, over the kinds of change, of the share told rightly."""
    return _by_kind(final, "change")


def standing(final: Final) -> float:
    """Mean, over the standings, of the share told rightly."""
    return _by_kind(final, "standing")


def _by_kind(final: Final, key: str) -> float:
    given = _given(final)
    if len({str(line.get(key)) for line in given.values()}) < 3:
        return 0.0
    right: dict[str, list[bool]] = {}
    for heading, line in expected(final).items():
        kind = getattr(line, key)
        is_right = given.get(heading, {}).get(key) == kind
        right.setdefault(kind, []).append(is_right)
    shares = [share(sum(oks), len(oks)) for oks in right.values()]
    return sum(shares) / len(shares)


def numbers(final: Final) -> float:
    """Share of clauses reported that have both numbers right."""
    given = {
        (heading, line.get("earlier"), line.get("clause"))
        for heading, line in _given(final).items()
    }
    wanted = {(heading, *line[:2]) for heading, line in expected(final).items()}
    return overlap(given, wanted)


def stale(final: Final) -> float:
    """How far the stale references agree; all of them out of order are not quite right."""
    listed = final.json("stale.json")
    if not isinstance(listed, list):
        return 0.0
    given = [(str(one["clause"]), str(one["names"])) for one in listed]
    wanted = stale_references(final)
    agrees = overlap(set(given), set(wanted))
    return agrees if agrees < 1 or given == wanted else 0.9


def form(final: Final) -> float:
    """A list of objects with just the keys asked for, in the order asked for."""
    listed = final.json("clauses.json")
    if not isinstance(listed, list) or not listed:
        return 0.0
    if len(_given(final)) != len(listed):
        return 0.0
    has_keys = all(isinstance(one, dict) and set(one) == KEYS for one in listed)
    if not has_keys:
        return 0.0
    place = {heading: at for at, heading in enumerate(second(final))}
    order = [place.get(one["heading"], len(place)) for one in listed]
    others = [one["heading"] for one in listed if one["heading"] not in place]
    return 1.0 if order == sorted(order) and others == sorted(others) else 0.0


CRITERIA = {
    "found": found,
    "change": change,
    "standing": standing,
    "numbers": numbers,
    "stale": stale,
    "form": form,
}
