"""Grades the comparison, worked out anew from the files that are held."""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

from marks import table_mark
from seedlib import Final, overlap, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
LISTS_ALL = FACETS["listed"] == "all"
ROW = ["service", "environment", "key", "found", "wanted", "kind", "exception"]
LEFT_OUT = {
    "full": {"file"},
    "brief": {"file", "wanted"},
    "file": {"service", "environment"},
}[FACETS["columns"]] | (set() if LISTS_ALL else {"exception"})
HEAD = [name for name in ["file", *ROW] if name not in LEFT_OUT]
OLD = {old: key for key, old, _, _ in DRAWN["baseline"]}
WANTED = {key: wanted for key, _, _, wanted in DRAWN["baseline"]}
DEFAULT = {key: default for key, _, default, _ in DRAWN["baseline"]}
SIGN = {"env": "=", "properties": "=", "yaml": ":"}[FACETS["form"]]
Lines = list[tuple[str, str]]
"""Key of today and value; of a comment no key, and the line."""


class Comparison:
    """All drift; `misread` names what is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.files = _files(final)
        self.register = _register(final)
        self.rows: list[list[str]] = []
        for (service, environment), lines in self.files.items():
            if FACETS["scope"] == "all" or environment != "dev":
                self.rows += self._compared(service, environment, dict(lines))

    def _compared(
        self, service: str, environment: str, values: dict[str, str]
    ) -> list[list[str]]:
        found = []
        for key in [*WANTED, *sorted(values.keys() - WANTED.keys() - {""})]:
            rule, wanted = WANTED.get(key, {}).get(environment, ("absent", []))
            kind = self._kind(key, rule, wanted, values.get(key))
            if kind:
                shown = " or ".join(wanted)
                shown = f"{rule} {shown}" if rule.startswith("at") else shown or rule
                row = [service, environment, key, values.get(key, ""), shown, kind]
                found.append([*row, self._exception(row)])
        return found

    def _kind(self, key: str, rule: str, wanted: list[str], value: str | None) -> str:
        if key not in WANTED:
            return "unknown" if FACETS["unknown"] == "reported" else ""
        if rule == "any":
            return ""
        if rule == "absent":
            return "" if value is None or self.misread == "absent" else "forbidden"
        if value is not None:
            return "" if _fits(rule, wanted, value, self.misread) else "value"
        if FACETS["missing"] == "default" and DEFAULT[key] != "-":
            return "" if _fits(rule, wanted, DEFAULT[key], "") else "missing"
        return "missing"

    def _exception(self, row: list[str]) -> str:
        service, environment, key, value = row[:4]
        for number, *place, allowed, until, approved in self.register:
            if self.misread == "exceptions":
                break
            at = [[service, environment, key], [service, "all", key]]
            is_over = until < DRAWN["day"] and self.misread != "until"
            if place not in at or is_over:
                continue
            rules = {
                "value": allowed == value,
                "key": True,
                "approved": approved != "-",
            }
            if rules[FACETS["exceptions"]]:
                return str(number)
        return "-"

    @property
    def still(self) -> list[list[str]]:
        """Rows that nothing excuses."""
        return [row for row in self.rows if row[6] == "-"]

    def table(self) -> list[list[str]]:
        """Return the rows that are wanted, in order."""
        orders = {"service": (0, 1, 2), "environment": (1, 0, 2), "key": (2, 0, 1)}
        order = orders[FACETS["order"]]
        rows = self.rows if LISTS_ALL else self.still
        rows = sorted(rows, key=lambda row: tuple(row[at] for at in order))
        named = [
            dict(zip(["file", *ROW], [_name(row), *row], strict=True)) for row in rows
        ]
        return [[row[name] for name in HEAD] for row in named]

    def summary(self) -> dict[str, int]:
        """Return the counts that are wanted."""
        at = {"by_service": 0, "by_environment": 1, "by_kind": 5}[FACETS["summary"]]
        names: set[str] = set() if at == 5 else {where[at] for where in self.files}
        if FACETS["scope"] != "all":
            names -= {"dev"}
        found = dict.fromkeys(names, 0)
        for row in self.still:
            found[row[at]] = found.get(row[at], 0) + 1
        return found

    def corrected(self) -> str:
        """Return the file that is wanted."""
        service, environment = DRAWN["target"]
        mine = {r[2]: r for r in self.still if r[:2] == [service, environment]}
        put = {key: row[4].split(" or ")[0].split()[-1] for key, row in mine.items()}
        gone = {key for key, row in mine.items() if row[5] in {"forbidden", "unknown"}}
        lines = [
            (key, put.get(key, value) if key else value)
            for key, value in self.files[service, environment]
            if key not in gone
        ]
        lines += [(k, put[k]) for k in WANTED if k in mine and mine[k][5] == "missing"]
        if FACETS["fix"] == "sorted":
            lines = sorted(one for one in lines if one[0])
        return "".join(f"{_spelled(key, value)}\n" for key, value in lines)

    def extra(self) -> Any:  # noqa: ANN401  JSON
        """Return what is wanted besides."""
        if FACETS["extra"] == "expired":
            return sorted(row[0] for row in self.register if row[5] < DRAWN["day"])
        keys = {row[2] for row in self.still}
        return {k: sorted({r[0] for r in self.still if r[2] == k}) for k in keys}


def _name(row: list[str]) -> str:
    suffix = DRAWN["file"].split(".")[-1]
    return f"{row[0]}.{row[1]}.{suffix}"


def _fits(rule: str, wanted: list[str], value: str, misread: str) -> bool:
    if FACETS["booleans"] == "same":
        value = "true" if value in {"yes", "on"} else value
    if rule in {"exactly", "one of"}:
        return value in wanted
    is_minutes = value.endswith("m") and misread != "minutes"
    number = value.removesuffix("m")
    if not number.isdigit():
        return False
    amount = int(number) * (60 if is_minutes else 1)
    limit = int(wanted[0])
    return amount <= limit if rule == "at most" else amount >= limit


def _spelled(key: str, value: str) -> str:
    if not key:
        return value
    forms = {
        "env": f"{key.upper()}={value}",
        "properties": f"{key} = {value}",
        "yaml": f"{key}: {value}",
    }
    return forms[FACETS["form"]]


def _files(final: Final) -> dict[tuple[str, str], Lines]:
    found = {}
    folder = Path(final.served / "held" / FACETS["place"])
    for path in sorted(folder.glob("*.*.*")):
        service, environment, _ = path.name.split(".")
        lines: Lines = []
        for line in (final.held(f"{FACETS['place']}/{path.name}") or "").splitlines():
            key, sign, value = line.partition(SIGN)
            if line.startswith("#") or not sign:
                lines.append(("", line))
                continue
            key = key.strip().lower()
            lines.append((OLD.get(key, key), value.strip()))
        found[service, environment] = lines
    return found


def _register(final: Final) -> list[list[str]]:
    if FACETS["register"] == "csv":
        rows = rows_of(final.held(DRAWN["register"])) or []
        return [list(row.values()) for row in rows]
    store = sqlite3.connect(":memory:")
    store.executescript(final.held(f"{DRAWN['register']}.sql") or "")
    return [list(row) for row in store.execute("SELECT * FROM exemptions")]


@cache
def _due(final: Final) -> Comparison:
    return Comparison(final)


def drifts(final: Final) -> float:
    """How far the table agrees, squared; half at most if anything is wrong."""
    return table_mark(final, "drift.csv", [HEAD, *_due(final).table()])


def corrected(final: Final) -> float:
    """How far the lines agree, to the fourth: most of them stand in the file as it is."""
    given, due = final.text(DRAWN["file"]) or "", _due(final).corrected()
    score = overlap(set(given.splitlines()), set(due.splitlines())) ** 4
    return score if given.rstrip("\n") == due.rstrip("\n") else min(score, 0.5)


def summary(final: Final) -> float:
    """Share of the counts that are right, squared; half at most if one is wrong."""
    given, due = final.json("summary.json"), _due(final).summary()
    if not isinstance(given, dict):
        return 0.0
    right = [n for n in due if type(given.get(n)) is int and given[n] == due[n]]
    score = share(len(right), len(given.keys() | due.keys())) ** 2
    return score if score == 1 else min(score, 0.5)


def extra(final: Final) -> float:
    """Share of the entries that are right, squared; half at most if one is wrong."""
    given, due = final.json(f"{FACETS['extra']}.json"), _due(final).extra()
    if type(given) is not type(due):
        return 0.0
    if isinstance(due, list):
        score = overlap({str(one) for one in given}, set(due)) ** 2
    else:
        right = sum(given.get(key) == names for key, names in due.items())
        score = share(right, len(given.keys() | due.keys())) ** 2
    return score if given == due else min(score, 0.5)


CRITERIA = spelt(
    {
        "drifts": drifts,
        "corrected": corrected,
        "summary": summary,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(_due(final)),
)


def _written(comparison: Comparison) -> dict[str, str]:
    lines = [",".join(row) for row in [HEAD, *comparison.table()]]
    files = {
        "drift.csv": "\n".join([*lines, ""]),
        DRAWN["file"]: comparison.corrected(),
        "summary.json": json.dumps(comparison.summary()),
    }
    if FACETS["extra"] != "none":
        files[f"{FACETS['extra']}.json"] = json.dumps(comparison.extra())
    return files


MISREADINGS = {
    "exceptions excuse nothing": lambda f: _written(Comparison(f, "exceptions")),
    "exceptions never end": lambda f: _written(Comparison(f, "until")),
    "minutes are read as seconds": lambda f: _written(Comparison(f, "minutes")),
    "what must be absent may be false": lambda f: _written(Comparison(f, "absent")),
}
