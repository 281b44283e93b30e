"""How far a deliverable agrees with the right one; lies beside verifiers of families.

Every mark is 1 only for what is exactly right, and 0 for what is missing.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from seedlib import Final, overlap, share


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows, the head line first, as a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def graded(right: int, of: int, *, exact: bool) -> float:
    """1 if all is exact; otherwise the share that is right, squared, and 0.6 at most."""
    return 1.0 if exact else 0.6 * share(right, of) ** 2


def alike(given: object, due: dict[str, Any]) -> float:
    """How far an object agrees by its entries, as `graded`."""
    if not isinstance(given, dict):
        return 0.0
    told = {key: json.dumps(value, sort_keys=True) for key, value in given.items()}
    wished = {key: json.dumps(value, sort_keys=True) for key, value in due.items()}
    right = len(told.items() & wished.items())
    return graded(right, len(told.keys() | wished.keys()), exact=told == wished)


def rows_under(final: Final, path: str, head: list[str]) -> list[list[str]]:
    """Return the rows of a table; none if it has another head."""
    rows = list(csv.reader(io.StringIO(final.text(path) or "")))
    return rows[1:] if rows and rows[0] == head else []


def listed(path: str, given_text: str | None, due_text: str) -> float:
    """How far a file agrees line by line, as `graded`; the head of a table is not counted."""
    given, due = (given_text or "").splitlines(), due_text.splitlines()
    head = path.endswith(".csv")
    right = len(set(given[head:]) & set(due[head:]))
    return graded(right, max(len(given), len(due)) - head, exact=given == due)


def agreement(given: list[Any], due: list[Any]) -> float:
    """How far lists agree, squared; in another order or with repeats, 0.8 at most."""
    score = overlap(set(given), set(due)) ** 2
    return score if given == due else min(score, 0.8)


def table_mark(final: Final, path: str, due: list[list[str]]) -> float:
    """How far a table agrees with `due`, head first, squared; if inexact, half at most."""
    rows = final.rows(path) or []
    if not rows or list(rows[0]) != due[0]:
        return 0.0
    given = [list(row.values()) for row in rows]
    score = overlap({tuple(one) for one in given}, {tuple(one) for one in due[1:]}) ** 2
    return score if given == due[1:] else min(score, 0.5)


def parts(path: str, text: str) -> list[str]:
    """Return the lines of a file, or the entries of an object."""
    if not path.endswith(".json"):
        return [line.rstrip() for line in text.rstrip("\n").split("\n") if text]
    try:
        return sorted(json.dumps(o, sort_keys=True) for o in json.loads(text).items())
    except (ValueError, AttributeError, RecursionError):
        return []


def likeness(path: str, given_text: str | None, due_text: str) -> float:
    """How far a file agrees by its parts, squared; with anything wrong, half at most."""
    due, given = parts(path, due_text), parts(path, given_text or "")
    if given == due:
        return 1.0
    if path.endswith(".csv"):
        if given[:1] != due[:1]:
            return 0.0
        given, due = given[1:], due[1:]
    return float(min(0.5, overlap(set(given), set(due)) ** 2))
