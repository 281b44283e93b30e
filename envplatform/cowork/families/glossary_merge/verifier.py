"""Grades a glossary, made anew from the lists as they are held."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

from seedlib import Final, overlap, parameters, share
from spelling import spelt

FACETS = parameters()["facets"]
RANKS = parameters()["departments"]
Entry = dict[str, Any]
_PART = re.compile(
    r"^## (?P<term>.+)\n\n(?P<definition>.+)\n\n"
    r"_changed (?P<changed>[\d-]+)(?P<retired>, retired)?_$",
    re.MULTILINE,
)


def entries(final: Final) -> list[Entry]:
    """Return all entries, terms in small letters."""
    if FACETS["source"] == "store":
        store = sqlite3.connect(":memory:")
        store.row_factory = sqlite3.Row
        store.executescript(final.held(f"{FACETS['at']}.sql") or "")
        rows = [dict(row) for row in store.execute("SELECT * FROM entries")]
        return [{**row, "term": row["term"].lower()} for row in rows]
    found = []
    for path in sorted(Path(final.served / "held" / FACETS["at"]).glob("*.md")):
        text = final.held(f"{FACETS['at']}/{path.name}") or ""
        department = text.partition("\n")[0].replace("# Terms of ", "")
        for match in _PART.finditer(text):
            one = match.groupdict()
            one["term"] = one["term"].lower()
            found.append({**one, "department": department})
    return found


def chosen(final: Final, misread: str = "") -> list[Entry]:
    """Return the entries of the glossary in their order; `misread`: a rule missed."""
    of: dict[str, list[Entry]] = {}
    for one in entries(final):
        of.setdefault(one["term"], []).append(one)
    found = []
    for all_of in of.values():
        live = [one for one in all_of if not one["retired"]]
        pool = all_of if misread == "retired" else (live or all_of)
        best = _best(pool, misread)
        found.append({**best, "gone": not live and misread != "retired"})
    found.sort(key=lambda one: str(one["term"]))
    match FACETS["order"]:
        case "department":
            found.sort(key=lambda one: int(RANKS.index(one["department"])))
        case "newest":
            found.sort(key=lambda one: str(one["changed"]), reverse=True)
    return found


def _best(pool: list[Entry], misread: str) -> Entry:
    if misread == "first":
        return min(pool, key=lambda one: str(one["changed"]))
    match FACETS["winner"]:
        case "newest":
            return max(pool, key=lambda one: str(one["changed"]))
        case "longest":
            return max(pool, key=lambda one: len(one["definition"]))
        case _:
            return min(pool, key=lambda one: int(RANKS.index(one["department"])))


def listed(found: list[Entry]) -> list[Entry]:
    """Return those that the glossary shows."""
    stays = FACETS["retired"] == "marked"
    return [one for one in found if stays or not one["gone"]]


def written(found: list[Entry]) -> list[tuple[str, str]]:
    """Return terms and texts as they should be shown, in order."""
    pairs = []
    for one in listed(found):
        text = one["definition"]
        if FACETS["owners"] == "brackets":
            text = f"{text} ({one['department']})"
        elif FACETS["owners"] == "line":
            text = f"{text} - {one['department']}"
        pairs.append((one["term"] + (" (retired)" if one["gone"] else ""), text))
    return pairs


def shaped(pairs: list[tuple[str, str]]) -> str:
    """Return the whole document."""
    form = FACETS["form"]
    begin = "# Glossary\n\n"
    if form == "table":
        begin += "| Term | Definition |\n|---|---|\n"
    line = {
        "list": "- **{}**: {}\n",
        "table": "| {} | {} |\n",
        "headings": "## {}\n{}\n",
    }
    return begin + "".join(line[form].format(*pair) for pair in pairs)


def _text(final: Final) -> str:
    if FACETS["place"] == "shared":
        return final.held(FACETS["glossary"]) or ""
    return final.text("glossary.md") or ""


def _told(final: Final) -> list[tuple[str, str]]:
    """Return terms and texts of the glossary, whatever is wrong with the rest."""
    if FACETS["place"] == "shared" and not _was_written(final):
        return []
    pattern = {
        "list": r"^- \*\*(.+?)\*\*: (.+)$",
        "table": r"^\| (?!Term \|)([^|]+) \| ([^|]+) \|$",
        "headings": r"^## (.+)\n(.+)$",
    }[FACETS["form"]]
    return re.findall(pattern, _text(final), re.MULTILINE)


def _was_written(final: Final) -> bool:
    changing = ("write", "edit")
    return any(final.asked(one, FACETS["glossary"]) for one in changing)


def terms(final: Final) -> float:
    """How far the terms agree, squared; each counts once."""
    told, due = [one for one, _ in _told(final)], written(chosen(final))
    return _agreement(told, [one for one, _ in due])


def definitions(final: Final) -> float:
    """Share of terms with the right text, squared twice; most have one to choose only."""
    told, due = dict(_told(final)), dict(written(chosen(final)))
    right = sum(told.get(term) == text for term, text in due.items())
    return share(right, len(told.keys() | due.keys())) ** 4


def form(final: Final) -> float:
    """The whole document as it should be, of what was told; then in the right order."""
    told, due = _told(final), [term for term, _ in written(chosen(final))]
    if not told or _text(final) != shaped(told):
        return 0.0
    wanted = [one for one in due if one in dict(told)]
    is_ordered = [one for one, _ in told if one in due] == wanted
    return (1.0 if is_ordered else 0.3) * overlap({one for one, _ in told}, set(due))


def retired(final: Final) -> float:
    """How far the list of retired terms agrees, squared; in disorder, at most 0.8."""
    told = (final.text("retired.txt") or "").splitlines()
    due = sorted(str(one["term"]) for one in chosen(final) if one["gone"])
    score = _agreement(told, due)
    return score if told == due else min(score, 0.8)


def _agreement(told: list[str], due: list[str]) -> float:
    score = overlap(set(told), set(due)) ** 2
    return score if sorted(told) == sorted(due) else min(score, 0.8)


def conflicts_of(final: Final, *, gone: bool = False) -> list[list[str]]:
    """Return terms that several departments define, with these."""
    of: dict[str, set[str]] = {}
    for one in entries(final):
        if gone or not one["retired"]:
            of.setdefault(one["term"], set()).add(one["department"])
    return [
        [term, "; ".join(sorted(who, key=RANKS.index))]
        for term, who in sorted(of.items())
        if len(who) > 1
    ]


def counts_of(found: list[Entry]) -> dict[str, int]:
    """Return how many definitions each department gave."""
    names = [one["department"] for one in listed(found)]
    return {name: names.count(name) for name in names}


def extra(final: Final) -> float:
    """Conflicts or counts, squared; conflicts in disorder get less."""
    if FACETS["extra"] == "counts":
        told, due = final.json("counts.json"), counts_of(chosen(final))
        if not isinstance(told, dict):
            return 0.0
        right = sum(told.get(name) == count for name, count in due.items())
        return share(right, len(told.keys() | due.keys())) ** 2
    rows = final.rows("conflicts.csv") or []
    if not rows or list(rows[0]) != ["term", "departments"]:
        return 0.0
    given, wanted = [list(row.values()) for row in rows], conflicts_of(final)
    score = overlap({tuple(r) for r in given}, {tuple(r) for r in wanted}) ** 2
    return score if given == wanted else min(score, 0.6)


CRITERIA = spelt(
    {
        "terms": terms,
        "definitions": definitions,
        "form": form,
        **({"retired": retired} if FACETS["retired"] == "apart" else {}),
        **({} if FACETS["extra"] == "none" else {"extra": extra}),
    },
    lambda final: _delivered(final, chosen(final)),
)


def _delivered(
    final: Final, found: list[Entry], *, gone: bool = False
) -> dict[str, str]:
    shared = FACETS["place"] == "shared"
    path = f"held:{FACETS['glossary']}" if shared else "glossary.md"
    files = {path: shaped(written(found))}
    if FACETS["retired"] == "apart":
        files["retired.txt"] = "".join(f"{o['term']}\n" for o in found if o["gone"])
    if FACETS["extra"] == "counts":
        files["counts.json"] = json.dumps(counts_of(found))
    if FACETS["extra"] == "conflicts":
        rows = [",".join(row) for row in conflicts_of(final, gone=gone)]
        files["conflicts.csv"] = "\n".join(["term,departments", *rows, ""])
    return files


MISREADINGS = {
    "retired entries define terms": lambda final: _delivered(
        final, chosen(final, "retired"), gone=True
    ),
    "the oldest entry is taken": lambda final: _delivered(
        final, chosen(final, "first")
    ),
    "the glossary is left empty": lambda final: _delivered(final, []),
}
