"""Works the survey out through `ws`."""

from __future__ import annotations

import json
from typing import Any

from seedlib import deliver, rows_of, ws_json, ws_text

GROUPS = ((18, 34), (35, 54), (55, 999))
Row = dict[str, str]


def solve() -> None:
    """Read, hear what the user has to say, read again, write both files."""
    first = ws_text("read", "field/codebook.md")
    answers = rows_of(ws_text("read", "field/answers.csv")) or []
    book = ws_text("read", "field/codebook.md")
    if book != first:  # there is somebody who corrects it
        said = ws_json("say", "I have read code book and answers.")["user_message"]
        turn_back(answers, said)
        book = ws_text("read", "field/codebook.md")
    kept, counts = sift(answers, exclusions(book))
    deliver("exclusions.json", json.dumps(counts, indent=1))
    regions = rows("SELECT code, name FROM regions ORDER BY place")
    weights = weigh(kept, dict(regions))
    lines = ["region,n,satisfied_percent,index_mean"]
    for code, name in [*regions, ("", "all")]:
        mine = [row for row in kept if str(code) in {row["region"], ""}]
        percent = mean(mine, satisfied, weights) * 100
        index = mean(mine, index_of, weights)
        lines.append(f"{name},{len(mine)},{percent:.1f},{index:.2f}")
    deliver("figures.csv", "\n".join([*lines, ""]))


def turn_back(answers: list[Row], said: str) -> None:
    """Put the answers of the batch right that the user names."""
    for row in answers:
        if row["batch"] in said and row["q3"] in "12345":
            row["q3"] = str(6 - int(row["q3"]))


def exclusions(book: str) -> list[list[str]]:
    """Return rule, column, sign and value."""
    _, _, table = book.partition("excluded if |")
    lines = table.partition("\n\n")[0].splitlines()[2:]
    cells = [line.split("|") for line in lines]
    return [[c[1].strip(), c[2].strip(), *c[3].split()] for c in cells]


def sift(
    answers: list[Row], rules: list[list[str]]
) -> tuple[list[Row], dict[str, int]]:
    """Return those kept, and how many fell to what."""
    last: dict[str, Row] = {}
    for row in sorted(answers, key=lambda one: one["sent"]):
        last[row["respondent"]] = row
    counts = {"superseded": len(answers) - len(last), **{one[0]: 0 for one in rules}}
    kept = []
    for row in last.values():
        for name, column, sign, value in rules:
            found = row[column]
            if found == value if sign == "=" else int(found) < int(value):
                counts[name] += 1
                break
        else:
            kept.append(row)
    return kept, {**counts, "kept": len(kept)}


def weigh(kept: list[Row], regions: dict[int, str]) -> dict[str, float]:
    """Return the weight of every respondent."""
    people: dict[tuple[str, int], int] = {}
    for region, age, count in rows("SELECT region, age_from, people FROM population"):
        cell = (region, group(age))
        people[cell] = people.get(cell, 0) + count
    cells = [(regions[int(one["region"])], group(int(one["age"]))) for one in kept]
    total = sum(people.values())
    return {
        row["respondent"]: people[cell] / total / (cells.count(cell) / len(kept))
        for row, cell in zip(kept, cells, strict=True)
    }


def group(age: int) -> int:
    """Return the number of an age group."""
    return next(n for n, (low, high) in enumerate(GROUPS) if low <= age <= high)


def satisfied(row: Row) -> float | None:
    """Return 1 for yes, 0 for no."""
    return {"1": 1.0, "2": 0.0}.get(row["q5"])


def index_of(row: Row) -> float | None:
    """Return a respondent's index."""
    given = {q: int(row[q]) for q in ("q1", "q2", "q3", "q4") if row[q] not in "89"}
    if "q2" in given:
        given["q2"] = 6 - given["q2"]
    return sum(given.values()) / len(given) if len(given) > 2 else None


def mean(kept: list[Row], of: Any, weights: dict[str, float]) -> float:  # noqa: ANN401  a function
    """Return a weighted mean of those who have the figure."""
    pairs = [(of(row), weights[row["respondent"]]) for row in kept]
    known = [(value, weight) for value, weight in pairs if value is not None]
    return float(sum(v * w for v, w in known) / sum(w for _, w in known))


def rows(sql: str) -> list[list[Any]]:
    """Ask the register."""
    found: list[list[Any]] = ws_json("query", "register", sql)["rows"]
    return found
