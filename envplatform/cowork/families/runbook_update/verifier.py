"""Grades runbooks and log, decided anew from the requests as they are held in the end."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

from seedlib import Final, overlap, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
BOOKS: dict[str, str] = DRAWN["runbooks"]
"""As they were before any work, by file name."""
HEAD = ["request", "decision", "service", "fact", "before", "after"]
Line = tuple[str, int, str]
"""File, line, what stands there."""


class Request(NamedTuple):
    """One request, in the order in which the store has its columns."""

    number: str
    service: str
    fact: str
    value: str
    status: str
    approver: str
    approved: str
    effective: str

    @property
    def line(self) -> tuple[int, str]:
        """Number and text of its fact's line in the runbook; -1 if there is none."""
        lines = BOOKS.get(f"{self.service}.md", "").splitlines()
        mark = f"- {self.fact}: "
        return next(
            ((at, one) for at, one in enumerate(lines) if one.startswith(mark)),
            (-1, ""),
        )

    @property
    def before(self) -> str:
        """What the runbook says."""
        return self.line[1].partition(": ")[2]


def requests(final: Final) -> list[Request]:
    """Return all as they are held, by number."""
    at = FACETS["at"]
    match FACETS["requests"]:
        case "store":
            store = sqlite3.connect(":memory:")
            store.executescript(final.held(f"{at}.sql") or "")
            rows = store.execute("SELECT * FROM requests").fetchall()
        case "csv":
            rows = [one.values() for one in rows_of(final.held(f"{at}.csv")) or []]
        case _:
            folder = Path(final.served / "held" / at)
            texts = [final.held(f"{at}/{o.name}") or "" for o in folder.glob("*.txt")]
            rows = [re.findall(r": (.*)", text) for text in texts]
    return sorted(Request(*row) for row in rows)


def decided(final: Final, misread: str = "") -> list[tuple[Request, str]]:
    """Return each request with its decision; `misread` names a rule that is missed."""
    found = []
    pool = requests(final)
    fit = [one for one in pool if not _objection(one, misread)]
    for one in pool:
        decision = _objection(one, misread)
        if not decision:
            rivals = [o for o in fit if (o.service, o.fact) == (one.service, one.fact)]
            decision = "superseded"
            if misread == "superseded" or _last(rivals) == one:
                decision = "no_change" if one.value == one.before else "applied"
        found.append((one, decision))
    return found


def _last(rivals: list[Request]) -> Request:
    field = {"effective": 7, "number": 0, "approved": 6}[FACETS["conflict"]]
    return max(rivals, key=lambda one: one[field])


def _objection(one: Request, misread: str) -> str:
    day = dt.date.fromisoformat(DRAWN["day"])
    ahead = (dt.date.fromisoformat(one.effective) - day).days
    most = {"by_day": 0, "before_day": -1, "week_after": 7}[FACETS["due"]]
    owner = re.search(r"Owner: (.+)", BOOKS.get(f"{one.service}.md", ""))
    may = {
        "status": {one.approver},
        "owner": {owner[1] if owner else ""},
        "board": set(DRAWN["board"]),
    }[FACETS["approval"]]
    reasons = {
        "unknown": not one.before,
        "not_approved": one.status != "approved",
        "wrong_approver": one.approver not in may,
        "not_yet": ahead > most,
    }
    return next((k for k, holds in reasons.items() if holds and k != misread), "")


def _made(final: Final) -> list[Request]:
    return [one for one, decision in decided(final) if decision == "applied"]


def due_texts(final: Final) -> dict[str, list[str]]:
    """Return the lines of each runbook, the day of review left out."""
    found = {name: text.splitlines() for name, text in BOOKS.items()}
    for one in _made(final):
        lines = found[f"{one.service}.md"]
        at = one.line[0]
        lines[at] = f"- {one.fact}: {one.value}"
        if FACETS["reach"] == "facts_was":
            lines[at] += f" (was {one.before})"
        if FACETS["reach"] == "everywhere":
            end = lines.index("## History")
            lines[at:end] = [o.replace(one.before, one.value) for o in lines[at:end]]
    return found


def _review_line(final: Final, name: str) -> str:
    """Return the line as it should be."""
    made = [one.number for one in _made(final) if f"{one.service}.md" == name]
    if not made and FACETS["reviewed"] != "all":
        return BOOKS[name].splitlines()[3]
    day = dt.date.fromisoformat(DRAWN["day"])
    form = {
        "iso": "{0:%Y-%m-%d}",
        "long": "{0.day} {0:%B %Y}",
        "dotted": "{0:%d.%m.%Y}",
    }
    line = "Last reviewed: " + form[FACETS["day"]].format(day)
    return line + (f" ({', '.join(made)})" if FACETS["reviewed"] == "numbered" else "")


def _held(final: Final, name: str) -> str:
    return final.held(f"{FACETS['runbooks']}/{name}") or ""


def _changes(texts: dict[str, list[str]]) -> set[Line]:
    """Return the lines that are not as they were; the day of review left out."""
    found = set()
    for name, text in BOOKS.items():
        old, new = text.splitlines(), texts[name]
        if len(old) != len(new):
            found.add((name, -1, str(len(new))))
        pairs = enumerate(zip(old, new))  # noqa: B905  the length was looked at
        found |= {(name, n, b) for n, (a, b) in pairs if a != b and n != 3}
    return found


def edits(final: Final) -> float:
    """How far the changed lines agree, squared; other changes cost."""
    given = {name: _held(final, name).splitlines() for name in BOOKS}
    score = overlap(_changes(given), _changes(due_texts(final))) ** 2
    whole = all(_held(final, name).endswith(".\n") for name in BOOKS)
    return score if whole else min(score, 0.8)


def reviewed(final: Final) -> float:
    """How far the days of review agree, squared; untouched ones count if changed."""
    given, due = set(), set()
    for name, text in BOOKS.items():
        old, lines = text.splitlines()[3], _held(final, name).splitlines()[3:4]
        given |= {(name, one) for one in lines or [""] if one != old}
        due |= {(name, one) for one in [_review_line(final, name)] if one != old}
    return overlap(given, due) ** 2


def log(found: list[tuple[Request, str]]) -> list[list[str]]:
    """Return the rows of the log in their order."""
    rows = []
    for one, decision in found:
        values = [one.before, one.value] if decision == "applied" else ["", ""]
        rows.append([one.number, decision, one.service, one.fact, *values])
    key = {"number": 0, "runbook": 2, "decision": 1}[FACETS["order"]]
    return sorted(rows, key=lambda row: (row[key], row[0]))


def _given(final: Final) -> list[list[str]]:
    rows = final.rows("changelog.csv") or []
    return [list(o.values()) for o in rows] if rows and list(rows[0]) == HEAD else []


def decisions(final: Final) -> float:
    """Mean over all decisions of the share that is right, cubed; then the order."""
    given, due = _given(final), log(decided(final))
    told = {row[0]: row[1] for row in given}
    right: dict[str, list[bool]] = {}
    for row in due:
        right.setdefault(row[1], []).append(told.get(row[0]) == row[1])
    shares = [share(sum(one), len(one)) for one in right.values()]
    score = (sum(shares) / len(shares)) ** 3
    numbers = [row[0] for row in due]
    return score if [row[0] for row in given] == numbers else min(score, 0.8)


def values(final: Final) -> float:
    """How far the rows of what was applied agree, cubed; others must hold nothing."""
    given, due = _given(final), log(decided(final))
    told = {tuple(row[:1] + row[2:]) for row in given if row[1] == "applied"}
    wanted = {tuple(row[:1] + row[2:]) for row in due if row[1] == "applied"}
    score = overlap(told, wanted) ** 3
    rest = sorted(row[2:] for row in given) == sorted(row[2:] for row in due)
    return score if rest else min(score, 0.8)


def besides(found: list[tuple[Request, str]]) -> dict[str, Any]:
    """Return what is wanted besides: pairs of owner and numbers, or lines."""
    if FACETS["extra"] == "owners":
        owners: dict[str, list[str]] = {}
        for one, decision in found:
            text = BOOKS.get(f"{one.service}.md", "")
            if decision == "applied":
                owner = text.partition("Owner: ")[2].partition("\n")[0]
                owners.setdefault(owner, []).append(one.number)
        return {"owners.json": owners}
    late = sorted(
        (o.effective, o.number, o.service) for o, d in found if d == "not_yet"
    )
    return {"pending.txt": [" ".join(one) for one in late]}


def extra(final: Final) -> float:
    """How far it agrees, squared; lines out of order get 0.8 at most."""
    due = besides(decided(final))
    if "owners.json" in due:
        told = final.json("owners.json")
        given = set(map(str, told.items())) if isinstance(told, dict) else set()
        return overlap(given, set(map(str, due["owners.json"].items()))) ** 2
    lines = (final.text("pending.txt") or "").splitlines()
    score = overlap(set(lines), set(due["pending.txt"])) ** 2
    return score if lines == due["pending.txt"] else min(score, 0.8)


CRITERIA = spelt(
    {
        "edits": edits,
        "reviewed": reviewed,
        "decisions": decisions,
        "values": values,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: {**_written(decided(final)), **_edited(final)},
)


def _written(found: list[tuple[Request, str]]) -> dict[str, str]:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *log(found)])
    files = {"changelog.csv": text.getvalue()}
    if FACETS["extra"] != "none":
        for path, due in besides(found).items():
            is_lines = isinstance(due, list)
            files[path] = (
                "".join(f"{o}\n" for o in due) if is_lines else json.dumps(due)
            )
    return files


def _edited(final: Final) -> dict[str, str]:
    found = {}
    for name, lines in due_texts(final).items():
        whole = [*lines[:3], _review_line(final, name), *lines[4:]]
        path = f"held:{FACETS['runbooks']}/{name}"
        found[path] = "".join(f"{line}\n" for line in whole)
    return found


MISREADINGS = {
    "dates do not matter": lambda final: _written(decided(final, "not_yet")),
    "all of several changes are made": lambda f: _written(decided(f, "superseded")),
    "approval does not matter": lambda final: _written(decided(final, "not_approved")),
}
