"""Grades the review, worked out anew from the lock file that is held."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache
from typing import Any

from marks import csv_text, table_mark
from seedlib import Final, overlap, parameters, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
CLASSES = DRAWN["classes"]
HEAD = {
    "class": ["package", "version", "licence", "class", "verdict"],
    "plain": ["package", "licence", "verdict"],
    "scope": ["package", "version", "scope", "licence", "verdict"],
}[FACETS["columns"]]
ORDER = ["permissive", "weak", "strong"]
WHY = "why"


class Review:
    """All verdicts; `misread` names a rule that is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.misread = misread
        self.packages = {one["name"]: one for one in _packages(final)}
        self.rows: dict[str, dict[str, str]] = {}
        for name in sorted(self.packages):
            self.rows[name] = self._judged(final, self.packages[name])

    def _judged(self, final: Final, one: dict[str, str]) -> dict[str, str]:
        found = {"package": one["name"], "version": one["version"], "licence": ""}
        found["scope"] = one["scope"]
        found |= {"class": "unknown", "verdict": "unknown", WHY: "undeclared"}
        licence = one.get("licence", "")
        if licence == "SEE FILE":
            text = final.held(f"{FACETS['texts']}/{one['name']}.txt") or ""
            licence = text.partition("\n")[0]
            found[WHY] = "no_file"
        if not licence:
            return found
        licence = DRAWN["spellings"].get(licence, licence)
        found |= {"licence": licence, WHY: "not_in_policy"}
        words = licence.split()
        ranks = [CLASSES.get(word) for word in words[::2]]
        if None in ranks:
            guess = {"class": "permissive", "verdict": "allow"}
            return found | guess if self.misread == "unknown" else found
        by_rank = sorted(ranks, key=ORDER.index)
        kind = by_rank[-1]
        if "OR" in words and FACETS["choice"] != "review":
            kind = by_rank[0] if FACETS["choice"] == "best" else ranks[0]
        if self.misread == "choice" and len(words) > 1:
            kind = by_rank[0] if "AND" in words else by_rank[-1]
        verdict = self._verdict(kind, one)
        if "OR" in words and FACETS["choice"] == "review" and by_rank[-1] != ORDER[0]:
            verdict = "allow" if self.misread == "choice" else "review"
        verdict = self._for_scope(verdict, one["scope"])
        if verdict in {"deny", "review"} and self._is_excepted(one):
            verdict = "excepted"
        return found | {"class": kind, "verdict": verdict}

    def _verdict(self, kind: str, one: dict[str, str]) -> str:
        weak = {"review": "review", "allow": "allow"}.get(FACETS["weak"], "")
        if not weak:
            weak = "allow" if one["linked"] == "dynamic" else "deny"
        return {"permissive": "allow", "weak": weak, "strong": "deny"}[kind]

    def _for_scope(self, verdict: str, scope: str) -> str:
        if scope != "dev":
            return verdict
        rule = FACETS["dev"]
        if self.misread == "dev":
            rule = "same" if rule == "exempt" else "exempt"
        if rule == "exempt":
            return "allow"
        return "review" if rule == "softer" and verdict == "deny" else verdict

    def _is_excepted(self, one: dict[str, str]) -> bool:
        for name, version in DRAWN["exemptions"]:
            if name != one["name"] or self.misread == "exceptions":
                continue
            length = {"exact": 3, "major": 1, "any": 0}[FACETS["exceptions"]]
            if version.split(".")[:length] == one["version"].split(".")[:length]:
                return True
        return False

    def table(self) -> list[list[str]]:
        """Return the rows that are wanted, in order."""
        rows = list(self.rows.values())
        if FACETS["listed"] != "all":
            rows = [row for row in rows if row["verdict"] != "allow"]
        rows.sort(key=lambda row: (row[FACETS["order"]], row["package"]))
        return [[row[name] for name in HEAD] for row in rows]

    def notice(self) -> str:
        """Return the notice file that is wanted."""
        shipped = [
            row
            for name, row in self.rows.items()
            if row["verdict"] in {"allow", "excepted"}
            and self.packages[name]["scope"] == "runtime"
        ]
        if FACETS["notice"] == "lines":
            lines = [f"{r['package']} {r['version']} ({r['licence']})" for r in shipped]
            return "".join(f"{line}\n" for line in lines)
        found = []
        for licence in sorted({row["licence"] for row in shipped}):
            mine = [row for row in shipped if row["licence"] == licence]
            found += [
                f"{licence}:",
                *(f"- {r['package']} {r['version']}" for r in mine),
            ]
        return "".join(f"{line}\n" for line in found)

    def unknown(self) -> Any:  # noqa: ANN401  JSON
        """Return what is not known."""
        found = {n: r[WHY] for n, r in self.rows.items() if r["verdict"] == "unknown"}
        return found if FACETS["unknown"] == "reasons" else list(found)

    def paths(self) -> list[list[str]]:
        """Return through what denied packages come."""
        rows = [r["package"] for r in self.rows.values() if r["verdict"] == "deny"]
        return [[name, self._top(name)] for name in rows]

    def _top(self, name: str) -> str:
        above = self.packages[name]["via"]
        return name if above == "-" else self._top(above)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the counts that are wanted."""
        found: dict[str, dict[str, int]] = {}
        for name, row in self.rows.items():
            mine = found.setdefault(row["verdict"], {"runtime": 0, "dev": 0})
            mine[self.packages[name]["scope"]] += 1
        return found


def _packages(final: Final) -> list[dict[str, str]]:
    text = final.held(DRAWN["lock"]) or ""
    if FACETS["lock"] == "json":
        return list(json.loads(text)["packages"])
    if FACETS["lock"] == "csv":
        return list(csv.DictReader(io.StringIO(text)))
    found: list[dict[str, str]] = []
    for line in text.splitlines():
        if line == "[[package]]":
            found.append({})
        match = re.fullmatch(r'(\w+) = "(.*)"', line)
        if match and found:
            found[-1][match[1]] = match[2]
    return found


@cache
def _due(final: Final) -> Review:
    return Review(final)


def verdicts(final: Final) -> float:
    """How far the verdicts agree."""
    return table_mark(final, "verdicts.csv", [HEAD, *_due(final).table()])


def notice(final: Final) -> float:
    """How far the lines agree, squared; half at most if anything is wrong."""
    given, due = final.text("NOTICE") or "", _due(final).notice()
    score = overlap(set(given.splitlines()), set(due.splitlines())) ** 2
    return score if given.rstrip("\n") == due.rstrip("\n") else min(score, 0.5)


def unknown(final: Final) -> float:
    """How far what is not known agrees, squared; half at most if anything is wrong."""
    return _entries(final.json("unknown.json"), _due(final).unknown())


def _entries(given: Any, due: Any) -> float:  # noqa: ANN401  JSON
    if type(given) is not type(due):
        return 0.0
    if isinstance(due, list):
        score = overlap({str(one) for one in given}, set(due)) ** 2
    else:
        right = sum(json.dumps(given.get(n)) == json.dumps(due[n]) for n in due)
        score = share(right, len(given.keys() | due.keys())) ** 2
    return score if given == due and score == 1 else min(score, 0.5)


def extra(final: Final) -> float:
    """How far what is wanted besides agrees."""
    if FACETS["extra"] == "paths":
        head = ["package", "direct"]
        return table_mark(final, "paths.csv", [head, *_due(final).paths()])
    given, due = final.json("counts.json"), _due(final).counts()
    if not isinstance(given, dict) or not all(
        isinstance(o, dict) for o in given.values()
    ):
        return 0.0
    flat = {f"{v} {s}": n for v, one in given.items() for s, n in one.items()}
    wanted = {f"{v} {s}": n for v, one in due.items() for s, n in one.items()}
    return _entries(flat, wanted)


CRITERIA = spelt(
    {
        "verdicts": verdicts,
        "notice": notice,
        "unknown": unknown,
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _written(_due(final)),
)


def _written(review: Review) -> dict[str, str]:
    files = {
        "verdicts.csv": csv_text([HEAD, *review.table()]),
        "NOTICE": review.notice(),
        "unknown.json": json.dumps(review.unknown()),
    }
    if FACETS["extra"] == "paths":
        files["paths.csv"] = csv_text([["package", "direct"], *review.paths()])
    if FACETS["extra"] == "counts":
        files["counts.json"] = json.dumps(review.counts())
    return files


MISREADINGS = {
    "exceptions are forgotten": lambda final: _written(Review(final, "exceptions")),
    "OR and AND are mixed up": lambda final: _written(Review(final, "choice")),
    "scopes are judged the other way": lambda final: _written(Review(final, "dev")),
    "what the policy does not know is let through": lambda f: _written(
        Review(f, "unknown")
    ),
}
