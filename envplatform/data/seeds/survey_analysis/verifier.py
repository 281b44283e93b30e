"""Grades the survey's figures, worked out anew from what the broker holds.

Whether the user took part is told by the log: it corrects the code book as soon as this
was read. From then on its correction holds, and what it tells of one batch.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from seedlib import Final, rows_of, share

CODE_BOOK = "field/codebook.md"
TURNED = ("B4", "q3")
"""Batch and question that the user tells of."""
COLUMNS = ["region", "n", "satisfied_percent", "index_mean"]
_RULE = re.compile(r"^\| ([a-z ]+) \| (\w+) \| ([<=]) (\w+) \|$", re.MULTILINE)


class Person(NamedTuple):
    """One respondent who is kept."""

    region: str
    cell: tuple[str, int]
    satisfied: float | None
    opinion: float | None
    """The index; None without enough answers."""


class Line(NamedTuple):
    """Figures of one region, rounded."""

    n: int
    satisfied: float
    opinion: float


def counts_and_people(final: Final) -> tuple[dict[str, int], list[Person]]:
    """Sift the questionnaires; fail where the code book was never read."""
    if not final.asked("read", CODE_BOOK):
        msg = f"{CODE_BOOK} was not read"
        raise ValueError(msg)
    rules = _RULE.findall(final.held("codebook.md") or "")
    answers = rows_of(final.held("answers.csv")) or []
    is_told = any(entry["by"] == "user" for entry in final.log())
    names = {
        str(code): name for code, name in _register(final, "code, name", "regions")
    }
    latest = {row["respondent"]: row["sent"] for row in sorted(answers, key=_sent)}
    counts = Counter(dict.fromkeys(["superseded", *(rule[0] for rule in rules)], 0))
    people = []
    for row in answers:
        if row["sent"] != latest[row["respondent"]]:
            counts["superseded"] += 1
            continue
        struck = [rule[0] for rule in rules if _falls(row, *rule[1:])]
        counts[struck[0] if struck else "kept"] += 1
        if not struck:
            people.append(_person(row, names[row["region"]], is_told=is_told))
    return dict(counts), people


def _sent(row: dict[str, str]) -> str:
    return row["sent"]


def _falls(row: dict[str, str], column: str, sign: str, value: str) -> bool:
    if sign == "=":
        return row[column] == value
    return float(row[column]) < float(value)


def _person(row: dict[str, str], region: str, *, is_told: bool) -> Person:
    scores = []
    for question in ("q1", "q2", "q3", "q4"):
        score = int(row[question])
        turns = question == "q2"
        turns ^= is_told and (row["batch"], question) == TURNED
        if score <= 5:
            scores.append(6 - score if turns else score)
    return Person(
        region=region,
        cell=(region, _group(int(row["age"]))),
        satisfied=None if int(row["q5"]) > 2 else float(row["q5"] == "1"),
        opinion=sum(scores) / len(scores) if len(scores) >= 3 else None,
    )


def _group(age: int) -> int:
    return (age >= 35) + (age >= 55)


def _register(final: Final, columns: str, table: str) -> list[tuple[str, ...]]:
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("register.sql") or "")
    statement = f"SELECT {columns} FROM {table} ORDER BY rowid"  # noqa: S608  ours
    return store.execute(statement).fetchall()


def expected(final: Final) -> dict[str, Line]:
    """Return the figures by region, in order, and of all."""
    _, people = counts_and_people(final)
    population: Counter[tuple[str, int]] = Counter()
    for region, age, count in _register(
        final, "region, age_from, people", "population"
    ):
        population[region, _group(int(age))] += int(count)
    cells = Counter(one.cell for one in people)
    weights = {
        cell: population[cell] * len(people) / (population.total() * count)
        for cell, count in cells.items()
    }
    order = sorted(_register(final, "place, name", "regions"))
    found = {
        name: _line([one for one in people if one.region == name], weights)
        for _, name in order
    }
    return {**found, "all": _line(people, weights)}


def _line(people: list[Person], weights: dict[tuple[str, int], float]) -> Line:
    satisfied = _mean((one.satisfied, weights[one.cell]) for one in people)
    index = _mean((one.opinion, weights[one.cell]) for one in people)
    return Line(len(people), round(100 * satisfied, 1), round(index, 2))


def _mean(pairs: Iterable[tuple[float | None, float]]) -> float:
    known = [(value, weight) for value, weight in pairs if value is not None]
    return sum(v * w for v, w in known) / sum(w for _, w in known)


def _agreement(final: Final, column: str, place: int) -> float:
    """Share of lines with the right figure; that of all counts like the others."""
    wanted = expected(final)
    rows = final.rows("figures.csv") or []
    given = {row["region"]: row[column] for row in rows}
    right = sum(
        name in given and abs(float(given[name]) - line[place]) < 1e-9
        for name, line in wanted.items()
    )
    return share(right, len(wanted.keys() | given.keys()))


def exclusions(final: Final) -> float:
    """Share of the right counts of those left out and kept."""
    wanted, _ = counts_and_people(final)
    given = final.json("exclusions.json")
    if not isinstance(given, dict):
        return 0.0
    right = sum(given.get(name) == count for name, count in wanted.items())
    return share(right, len(wanted.keys() | given.keys()))


def sizes(final: Final) -> float:
    """Counts of those kept."""
    return _agreement(final, "n", 0)


def satisfied(final: Final) -> float:
    """Percentages."""
    return _agreement(final, "satisfied_percent", 1)


def index(final: Final) -> float:
    """Means of the index."""
    return _agreement(final, "index_mean", 2)


def form(final: Final) -> float:
    """All regions and `all`, in order, under the four columns."""
    rows = final.rows("figures.csv") or []
    if not rows or list(rows[0]) != COLUMNS:
        return 0.0
    return float([row["region"] for row in rows] == list(expected(final)))


CRITERIA = {
    "exclusions": exclusions,
    "sizes": sizes,
    "satisfied": satisfied,
    "index": index,
    "form": form,
}
