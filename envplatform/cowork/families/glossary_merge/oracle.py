"""Brings the lists together through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import NamedTuple

from seedlib import deliver, parameters, ws, ws_json, ws_text

FACETS = parameters()["facets"]


class Entry(NamedTuple):
    """One line of one list."""

    department: str
    definition: str
    changed: str
    retired: bool


def solve() -> None:
    """Read, choose, write."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    rules = ws_text("read", name)
    ranks = re.findall(r"^\d+\. (.+)$", rules, re.MULTILINE)
    by_term: dict[str, list[Entry]] = defaultdict(list)
    for term, entry in entries():
        by_term[term.lower()].append(entry)
    chosen, retired = {}, []
    for term, all_of in sorted(by_term.items()):
        live = [one for one in all_of if not one.retired]
        if not live:
            retired.append(term)
        chosen[term] = choose(live or all_of, ranks, " ".join(rules.split()))
    listed = {
        term: one
        for term, one in chosen.items()
        if term not in retired or FACETS["retired"] == "marked"
    }
    text = "# Glossary\n\n" + written(listed, retired, ranks)
    if FACETS["place"] == "shared":
        ws("write", FACETS["glossary"], text)
    else:
        deliver("glossary.md", text)
    if FACETS["retired"] == "apart":
        deliver("retired.txt", "".join(f"{term}\n" for term in retired))
    if FACETS["extra"] == "counts":
        counts = Counter(one.department for one in listed.values())
        deliver("counts.json", json.dumps(counts, indent=1))
    if FACETS["extra"] == "conflicts":
        deliver("conflicts.csv", conflicts(by_term, ranks))


def entries() -> list[tuple[str, Entry]]:
    """Return all entries of all departments with their terms."""
    if FACETS["source"] == "store":
        sql = "SELECT term, department, definition, changed, retired FROM entries"
        rows = ws_json("query", FACETS["at"], sql)["rows"]
        return [
            (term, Entry(who, what, day, bool(old)))
            for term, who, what, day, old in rows
        ]
    found = []
    for one in ws_json("list", FACETS["at"] + "/")["names"]:
        text = ws_text("read", one["name"])
        head, *parts = text.split("\n## ")
        department = head.splitlines()[0].removeprefix("# Terms of ")
        for part in parts:
            term, definition, told = [line for line in part.splitlines() if line][:3]
            day = re.search(r"changed (\S+?)[,_]", told)
            entry = Entry(
                department, definition, day[1] if day else "", "retired" in told
            )
            found.append((term, entry))
    return found


def choose(entries: list[Entry], ranks: list[str], rules: str) -> Entry:
    """Return the entry whose definition is taken."""
    if "the one that was changed last is taken" in rules:
        return max(entries, key=lambda one: one.changed)
    if "the longest one" in rules:
        return max(entries, key=lambda one: len(one.definition))
    return min(entries, key=lambda one: ranks.index(one.department))


def written(listed: dict[str, Entry], retired: list[str], ranks: list[str]) -> str:
    """Return the entries in form and order."""
    terms = sorted(listed)
    if FACETS["order"] == "department":
        terms.sort(key=lambda term: ranks.index(listed[term].department))
    if FACETS["order"] == "newest":
        terms.sort(key=lambda term: listed[term].changed, reverse=True)
    lines = []
    if FACETS["form"] == "table":
        lines = ["| Term | Definition |", "|---|---|"]
    for term in terms:
        one = listed[term]
        name = f"{term} (retired)" if term in retired else term
        text = one.definition
        if FACETS["owners"] == "brackets":
            text += f" ({one.department})"
        if FACETS["owners"] == "line":
            text += f" - {one.department}"
        form = {
            "list": f"- **{name}**: {text}",
            "table": f"| {name} | {text} |",
            "headings": f"## {name}\n{text}",
        }
        lines.append(form[FACETS["form"]])
    return "\n".join([*lines, ""])


def conflicts(by_term: dict[str, list[Entry]], ranks: list[str]) -> str:
    """Return the table of terms that several departments define."""
    lines = ["term,departments"]
    for term, all_of in sorted(by_term.items()):
        who = {one.department for one in all_of if not one.retired}
        if len(who) > 1:
            lines.append(f"{term},{'; '.join(sorted(who, key=ranks.index))}")
    return "\n".join([*lines, ""])
