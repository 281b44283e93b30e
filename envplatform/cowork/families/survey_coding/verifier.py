"""Grades the coding, worked out anew from the answers that are held."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from marks import csv_text, table_mark
from seedlib import Final, overlap, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
NAMES = {"97": "apart", "98": "no answer", "99": "unclassified"}
NAMES |= {number: name for number, name, _, _ in DRAWN["codes"]}
WEIGHT = {number: weight for number, _, _, weight in DRAWN["codes"]}
HEAD = ["answer", "batch", "code", *(["second"] if FACETS["codes"] == "two" else [])]
PRAISE = "No complaint about the "


class Coded(NamedTuple):
    """One answer that counts."""

    number: str
    batch: str
    text: str
    codes: tuple[str, ...]


class Coding:
    """The whole survey; `misread` names a rule that is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.open = "" if misread == "open" else FACETS["open"]
        self.answers = sorted(_answers(final))
        self.twice: dict[str, list[str]] = {}
        for number, _, person, _ in self.answers:
            self.twice.setdefault(person, []).append(number)
        self.coded = [
            Coded(number, batch, text, self._codes(batch, text))
            for number, batch, person, text in self.answers
            if self._counts(number, batch, person)
        ]

    def _counts(self, number: str, batch: str, person: str) -> bool:
        if self.open == "batch_out" and batch == DRAWN["unclear"]:
            return False
        rule = FACETS["again"]
        if self.misread == "again":
            rule = "first" if rule == "both" else "both"
        numbers = self.twice[person]
        wanted = {"first": numbers[0], "last": numbers[-1], "both": number}
        return number == wanted[rule]

    def _codes(self, batch: str, text: str) -> tuple[str, ...]:
        if self.open == "batch_apart" and batch == DRAWN["unclear"]:
            return ("97",)
        if text.count(" ") < 2:
            return ("98",)
        places: dict[str, int] = {}
        for number, _, terms, _ in DRAWN["codes"]:
            found = [at for term in terms for at in self._mentions(term, text)]
            code = number
            if number == DRAWN["unclear"] and self.open == "merged":
                code = DRAWN["target"]
            if found and not (number == DRAWN["unclear"] and self.open == "dropped"):
                places[code] = min([*found, places.get(code, 10_000)])
        ranks: dict[str, Callable[[str], int]] = {
            "book": int,
            "mention": lambda code: places[code],
            "weight": lambda code: -WEIGHT[code],
        }
        order = sorted(places, key=ranks[FACETS["precedence"]])
        if self.misread == "precedence":
            order.reverse()
        return tuple(order[: len(HEAD) - 2]) or ("99",)

    def _mentions(self, term: str, text: str) -> list[int]:
        counts = FACETS["praise"] == "counted"
        if self.misread == "praise":
            counts = not counts
        found, at = [], text.find(term)
        while at >= 0:
            if counts or not text[:at].endswith(PRAISE):
                found.append(at)
            at = text.find(term, at + 1)
        return found

    def table(self) -> list[list[str]]:
        """Return the rows that are wanted, in order."""
        rows = self.coded
        match FACETS["order"]:
            case "code":
                rows = sorted(rows, key=lambda one: (one.codes[0], one.number))
            case "batch":
                rows = sorted(rows, key=lambda one: (one.batch, one.number))
        cells = [[*map(_shown, one.codes), ""] for one in rows]
        wide = len(HEAD) - 2
        return [
            [one.number, one.batch, *mine[:wide]]
            for one, mine in zip(rows, cells, strict=True)
        ]

    def frequencies(self) -> dict[str, Any]:
        """Return the counts that are wanted."""
        pairs = [(one.batch, _shown(code)) for one in self.coded for code in one.codes]
        if FACETS["frequencies"] == "by_batch":
            return {
                batch: {
                    code: pairs.count((batch, code)) for b, code in pairs if b == batch
                }
                for batch, _ in pairs
            }
        counts = {code: sum(c == code for _, c in pairs) for _, code in pairs}
        if FACETS["frequencies"] == "total":
            return counts
        step = Decimal("0.1")
        parts = {c: Decimal(100 * n) / len(self.coded) for c, n in counts.items()}
        return {c: str(part.quantize(step, ROUND_HALF_UP)) for c, part in parts.items()}

    @property
    def lost(self) -> list[Coded]:
        """Answers that no code fits."""
        return [one for one in self.coded if one.codes == ("99",)]

    def extra(self) -> list[list[str]]:
        """Return what is wanted besides, with its head."""
        if FACETS["extra"] == "repeats":
            mine = [(who, them) for who, them in self.twice.items() if len(them) == 2]
            return [["person", "first", "last"], *([w, *t] for w, t in sorted(mine))]
        first = {one.codes[0]: one for one in reversed(self.coded)}
        rows = [[_shown(c), first[c].number, first[c].text] for c in sorted(first)]
        return [["code", "answer", "text"], *rows]


def _shown(code: str) -> str:
    return code if FACETS["label"] == "number" else str(NAMES[code])


def _answers(final: Final) -> list[tuple[str, str, str, str]]:
    place = FACETS["place"]
    if FACETS["data"] == "store":
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(f"{place}.sql") or "")
        sql = "SELECT answer, batch, person, text FROM answers"
        return store.execute(sql).fetchall()
    paths = [f"{place}.csv"]
    if FACETS["data"] == "folder":
        folder = Path(final.served / "held" / place)
        paths = [f"{place}/{path.name}" for path in folder.glob("*.csv")]
    rows = [row for path in paths for row in rows_of(final.held(path)) or []]
    return [(o["answer"], o["batch"], o["person"], o["text"]) for o in rows]


@cache
def _due(final: Final) -> Coding:
    return Coding(final)


def codes(final: Final) -> float:
    """How far the coded answers agree."""
    return table_mark(final, "coded.csv", [HEAD, *_due(final).table()])


def frequencies(final: Final) -> float:
    """Share of the entries that are right, squared; half at most if one is wrong."""
    given, due = final.json("frequencies.json"), _due(final).frequencies()
    if not isinstance(given, dict):
        return 0.0
    right = [name for name in due if _is_same(given.get(name), due[name])]
    score = share(len(right), len(given.keys() | due.keys())) ** 2
    return score if score == 1 else min(score, 0.5)


def _is_same(given: object, due: object) -> bool:
    """Whether value and type agree: a count that is text is no count."""
    return json.dumps(given, sort_keys=True) == json.dumps(due, sort_keys=True)


def unclassified(final: Final) -> float:
    """How far the list agrees, squared; half at most if anything is wrong."""
    if FACETS["unclassified"] == "list":
        given = final.json("unclassified.json")
        due = [one.number for one in _due(final).lost]
        if not isinstance(given, list) or not all(isinstance(o, str) for o in given):
            return 0.0
    else:
        given = (final.text("unclassified.txt") or "").splitlines()
        due = _lines(_due(final)).splitlines()
    score = overlap(set(given), set(due)) ** 2
    return score if given == due else min(score, 0.5)


def _lines(coding: Coding) -> str:
    return "".join(f"{one.number}: {one.text}\n" for one in coding.lost)


def extra(final: Final) -> float:
    """How far what is wanted besides agrees."""
    return table_mark(final, f"{FACETS['extra']}.csv", _due(final).extra())


CRITERIA = spelt(
    {
        "codes": codes,
        "frequencies": frequencies,
        "unclassified": unclassified,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(_due(final)),
)


def _written(coding: Coding) -> dict[str, str]:
    files = {
        "coded.csv": csv_text([HEAD, *coding.table()]),
        "frequencies.json": json.dumps(coding.frequencies()),
    }
    if FACETS["unclassified"] == "list":
        files["unclassified.json"] = json.dumps([one.number for one in coding.lost])
    else:
        files["unclassified.txt"] = _lines(coding)
    if FACETS["extra"] != "none":
        files[f"{FACETS['extra']}.csv"] = csv_text(coding.extra())
    return files


MISREADINGS = {
    "the owner's word is not heard": lambda final: _written(Coding(final, "open")),
    "praise is taken the other way": lambda final: _written(Coding(final, "praise")),
    "precedence is turned around": lambda final: _written(Coding(final, "precedence")),
    "who counts is got wrong": lambda final: _written(Coding(final, "again")),
}
