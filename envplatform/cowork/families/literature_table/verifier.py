"""Grades the table, worked out anew from the reports that are held."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from seedlib import Final, overlap, parameters, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
LEAST = DRAWN["least"]
LISTS_ALL = FACETS["listed"] == "all"
HEAD = ["study", "year", "people", "weeks", "effect", "low", "high"]
HEAD += ["reason"] if LISTS_ALL else []
FIGURE = r"(-?\d+\.\d)"
Report = dict[str, Any]


class Screening:
    """All reports; `misread` names a rule that is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        folder = Path(final.served / "held" / FACETS["place"])
        self.reports: list[Report] = []
        for path in sorted(folder.glob("S*.md")):
            text = final.held(f"{FACETS['place']}/{path.name}") or ""
            self.reports.append(self._read(path.stem, text))
        passed: dict[str, list[Report]] = {}
        for one in self.reports:
            one["reason"] = self._reason(one)
            if one["reason"] == "-":
                passed.setdefault(one["registration"], []).append(one)
        for same in passed.values():
            same.sort(key=self._rank)
            for one in same[1:] if misread != "repeat" else []:
                one["reason"] = "repeat"

    def _read(self, name: str, text: str) -> Report:
        lines = text.replace("\n\n", "\0").replace("\n", " ").split("\0")
        words = " ".join(line for line in lines if not line.startswith("|"))
        author, year, registration = re.findall(
            r"(\w+) and others, (\d+)\..*?(REG-\d+)", words
        )[0]
        numbers = re.findall(r"\d+", words[words.index("REG-") + 9 :])
        # The first two numbers after the head line are the people, in every layout.
        enrolled, analysed = int(numbers[0]), int(numbers[1])
        counts = FACETS["people"]
        if self.misread == "people":
            counts = "enrolled" if counts == "analysed" else "analysed"
        table = [line.strip("| ").split(" | ") for line in text.splitlines()]
        rows = {int(line[0]): line[1:] for line in table if line[0].isdigit()}
        one: Report = {
            "study": name,
            "title": lines[0].removeprefix("# "),
            "author": author,
            "year": int(year),
            "registration": registration,
            "is_trial": "randomised trial" in words,
            "is_cohort": "cohort with a control group" in words,
            "people": {"enrolled": enrolled, "analysed": analysed}[counts],
            "until": max(rows),
        }
        week = self._week(sorted(rows))
        printed = re.findall(FIGURE, " ".join(rows[week]))
        printed = [*printed, "NR", "NR", "NR"][:3]
        said = re.search(rf"At {week} weeks .*? was {FIGURE}", words)
        span = re.search(rf"CI {FIGURE} to {FIGURE}\)", words)
        told = (
            [said[1], *(span.groups() if span else ("NR", "NR"))] if said else printed
        )
        return one | {"week": week} | self._taken(printed, told)

    def _week(self, weeks: list[int]) -> int:
        rule = FACETS["moment"]
        if self.misread == "moment":
            rule = "first" if rule != "first" else "last"
        if rule == "nearest":
            return min(weeks, key=lambda week: (abs(week - 12), week))
        return weeks[0] if rule == "first" else weeks[-1]

    def _taken(self, printed: list[str], told: list[str]) -> Report:
        rule = FACETS["conflict"]
        if self.misread == "conflict":
            rule = "text" if rule == "table" else "table"
        differs = printed != told
        effect = printed
        if differs and rule != "table":
            effect = told if rule == "text" else ["", "", ""]
        is_told = differs and self.misread != "conflict"
        return {"effect": effect, "conflict": is_told, "missing": "NR" in effect}

    def _reason(self, one: Report) -> str:
        takes_cohorts = FACETS["designs"] == "controlled"
        if not (one["is_trial"] or (takes_cohorts and one["is_cohort"])):
            return "design"
        if one["people"] < LEAST["people"]:
            return "people"
        if one["until"] < LEAST["weeks"]:
            return "weeks"
        return "year" if one["year"] < LEAST["year"] else "-"

    def _rank(self, one: Report) -> int:
        ranks = {
            "largest": -one["people"],
            "latest": -one["year"],
            "first": one["year"],
        }
        return int(ranks[FACETS["repeats"]])

    @property
    def included(self) -> list[Report]:
        """Reports that are included."""
        return [one for one in self.reports if one["reason"] == "-"]

    def table(self) -> list[list[str]]:
        """Return the rows that are wanted, in order."""
        rows = sorted(self.reports if LISTS_ALL else self.included, key=_order)
        found = []
        for one in rows:
            taken = [str(one["week"]), *one["effect"]]
            cells = taken if one["reason"] == "-" else [""] * 4
            row = [one["study"], str(one["year"]), str(one["people"]), *cells]
            found.append([*row, one["reason"]][: len(HEAD)])
        return found

    def open(self) -> dict[str, Any]:
        """Return what the authors are asked."""
        conflicts = [one["study"] for one in self.included if one["conflict"]]
        rest = [one for one in self.included if not one["conflict"]]
        missing = [one["study"] for one in rest if one["missing"]]
        if FACETS["open"] == "lists":
            return {"conflicts": conflicts, "missing": missing}
        return {
            **dict.fromkeys(conflicts, "conflict"),
            **dict.fromkeys(missing, "missing"),
        }

    def summary(self) -> dict[str, Any]:
        """Return the summary that is wanted."""
        included = self.included
        if FACETS["summary"] == "flow":
            reasons = [one["reason"] for one in self.reports]
            found = {name: reasons.count(name) for name in reasons if name != "-"}
            return {**found, "screened": len(reasons), "included": len(included)}
        if FACETS["summary"] == "range":
            printed = [
                o["effect"][0] for o in included if o["effect"][0] not in {"", "NR"}
            ]
            printed.sort(key=Decimal)
            people = sum(one["people"] for one in included)
            return {"smallest": printed[0], "largest": printed[-1], "people": people}
        spans = [o["effect"][1:] for o in included if o["effect"][1] not in {"", "NR"}]
        below = sum(Decimal(high) < 0 for _, high in spans)
        above = sum(Decimal(low) > 0 for low, _ in spans)
        better, worse = (below, above) if DRAWN["side"] == "below" else (above, below)
        return {
            "better": better,
            "worse": worse,
            "unclear": len(spans) - better - worse,
        }

    def extra(self) -> str:
        """Return the text that is wanted besides."""
        if FACETS["extra"] == "references":
            lines = [
                f"{o['author']} ({o['year']}). {o['title']}. {o['registration']}"
                for o in sorted(self.included, key=lambda one: str(one["author"]))
            ]
        else:
            out = [one for one in self.reports if one["reason"] != "-"]
            rows = [f"{o['study']},{o['author']},{o['reason']}" for o in out]
            lines = ["study,author,reason", *rows]
        return "".join(f"{line}\n" for line in lines)


def _order(one: Report) -> tuple[int, str]:
    keys = {"study": 0, "year": one["year"], "people": -one["people"]}
    return keys[FACETS["order"]], one["study"]


@cache
def _due(final: Final) -> Screening:
    return Screening(final)


def _rows(final: Final) -> list[list[str]]:
    rows = final.rows("evidence.csv") or []
    if not rows or list(rows[0]) != HEAD:
        return []
    return [list(row.values()) for row in rows]


def _agree(given: list[tuple[str, ...]], due: list[tuple[str, ...]]) -> float:
    score = overlap(set(given), set(due)) ** 2
    return score if given == due else min(score, 0.5)


def selection(final: Final) -> float:
    """How far studies, their years and reasons agree; half at most if one is wrong."""
    given = [(*row[:2], *row[7:]) for row in _rows(final)]
    return _agree(given, [(*row[:2], *row[7:]) for row in _due(final).table()])


def figures(final: Final) -> float:
    """How far the figures agree; half at most if one is wrong."""
    given = [(row[0], *row[2:7]) for row in _rows(final)]
    return _agree(given, [(row[0], *row[2:7]) for row in _due(final).table()])


def unresolved(final: Final) -> float:
    """How far the open points agree; half at most if one is wrong."""
    given, due = final.json("open.json"), _due(final).open()
    if not isinstance(given, dict):
        return 0.0
    score = overlap(set(_flat(given)), set(_flat(due))) ** 2
    return score if given == due else min(score, 0.5)


def _flat(record: dict[str, Any]) -> list[str]:
    """Return entries as texts: study and word, whichever way they are told."""
    pairs = []
    for name, value in record.items():
        values = value if isinstance(value, list) else [value]
        pairs += [f"{name} {one}" for one in values]
    return pairs


def summary(final: Final) -> float:
    """Share of the entries that are right, squared; half at most if one is wrong."""
    given, due = final.json("summary.json"), _due(final).summary()
    if not isinstance(given, dict):
        return 0.0
    right = sum(json.dumps(given.get(name)) == json.dumps(due[name]) for name in due)
    score = share(right, len(given.keys() | due.keys())) ** 2
    return score if score == 1 else min(score, 0.5)


def extra(final: Final) -> float:
    """How far the lines agree; half at most if one is wrong."""
    path = "references.txt" if FACETS["extra"] == "references" else "excluded.csv"
    given, due = (final.text(path) or "").splitlines(), _due(final).extra().splitlines()
    head = 1 if path == "excluded.csv" else 0
    score = _agree([(o,) for o in given[head:]], [(o,) for o in due[head:]])
    return score if given == due else min(score, 0.5)


CRITERIA = spelt(
    {
        "selection": selection,
        "figures": figures,
        "unresolved": unresolved,
        "summary": summary,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(_due(final)),
)


def _written(screening: Screening) -> dict[str, str]:
    lines = [",".join(row) for row in [HEAD, *screening.table()]]
    files = {
        "evidence.csv": "\n".join([*lines, ""]),
        "open.json": json.dumps(screening.open()),
        "summary.json": json.dumps(screening.summary()),
    }
    if FACETS["extra"] == "references":
        files["references.txt"] = screening.extra()
    if FACETS["extra"] == "excluded":
        files["excluded.csv"] = screening.extra()
    return files


MISREADINGS = {
    "another point in time": lambda final: _written(Screening(final, "moment")),
    "conflicts are not noticed": lambda final: _written(Screening(final, "conflict")),
    "reports are counted twice": lambda final: _written(Screening(final, "repeat")),
    "the other number of people": lambda final: _written(Screening(final, "people")),
}
