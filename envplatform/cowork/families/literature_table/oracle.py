"""Screens and extracts through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NamedTuple

from seedlib import deliver, parameters, ws_json, ws_text

FACETS = parameters()["facets"]
EMPTY = ("", "", "")


class Study(NamedTuple):
    """One report."""

    study: str
    title: str
    author: str
    year: int
    registration: str
    design: str
    people: int
    effects: dict[int, tuple[str, ...]]
    """As the table has them, by week."""
    told: dict[int, tuple[str, ...]]
    """As the text has it."""


class Taken(NamedTuple):
    """What is taken of one report."""

    week: int
    effect: tuple[str, ...]
    is_conflict: bool


def solve() -> None:
    """Read, screen, extract, write."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    protocol = " ".join(ws_text("read", name).split())
    entries = ws_json("list", FACETS["place"] + "/")["names"]
    studies = sorted(read(one["name"], protocol) for one in entries)
    reasons = {one.study: reason(one, protocol) for one in studies}
    for one in studies:
        if reasons[one.study] == "-" and is_repeat(one, studies, reasons, protocol):
            reasons[one.study] = "repeat"
    taken = {one.study: take(one, protocol) for one in studies}
    write(studies, reasons, taken)
    opened(studies, reasons, taken)
    summary(studies, reasons, taken, protocol)
    extra(studies, reasons)


def read(name: str, protocol: str) -> Study:
    """Return a report."""
    text = ws_text("read", name)
    flat = " ".join(text.split())
    head = re.search(
        r"# (.+?) (\w+) and others, (\d{4})\. \w+\. Registration (\S+)\.", flat
    )
    title, author, year, registration = head.groups() if head else ("", "", "0", "")
    design = re.search(r"(?:This is a|Design:) ([\w -]+?)(?:\.| -)", flat)
    enrolled = re.search(
        r"(?:We enrolled|Enrolled:) (\d+)|(\d+) people were enrolled", flat
    )
    analysed = re.search(r"Analysed: (\d+)|(\d+) (?:of them )?were analysed", flat)
    counted = analysed if "people were analysed" in protocol else enrolled
    people = next(filter(None, counted.groups())) if counted else "0"
    table = re.findall(r"^\| (\d+) \| (\S+) \| (.+?) \|$", text, re.MULTILINE)
    effects = {int(week): (value, *limits(span)) for week, value, span in table}
    sentence = re.search(
        r"At (\d+) weeks the difference in .+? was (-?\d+\.\d) [\w ]+"
        r"(?:\(95 % CI (\S+) to (\S+)\)|, without)",
        flat,
    )
    told = {}
    if sentence:
        parts = [part or "NR" for part in sentence.groups()[1:]]
        told = {int(sentence[1]): tuple(parts)}
    return Study(
        name.rpartition("/")[2].removesuffix(".md"),
        title,
        author,
        int(year),
        registration,
        design[1] if design else "",
        int(people),
        {week: tuple(p.replace("n/r", "NR") for p in e) for week, e in effects.items()},
        told,
    )


def limits(span: str) -> tuple[str, str]:
    """Return both limits of an interval as printed."""
    low, _, high = span.partition(" to ")
    return (low, high) if high else ("NR", "NR")


def reason(one: Study, protocol: str) -> str:
    """Return why a report is not included by itself; a dash if it is."""
    designs = {"randomised trial"}
    if "or a cohort with a control group" in protocol:
        designs.add("cohort with a control group")
    people = re.search(r"at least (\d+) people were", protocol)
    weeks = re.search(r"goes on for at least (\d+) weeks", protocol)
    year = re.search(r"it is of (\d+) or later", protocol)
    if one.design not in designs:
        return "design"
    if people and one.people < int(people[1]):
        return "people"
    if weeks and max(one.effects) < int(weeks[1]):
        return "weeks"
    return "year" if year and one.year < int(year[1]) else "-"


def is_repeat(
    one: Study, studies: list[Study], reasons: dict[str, str], protocol: str
) -> bool:
    """Return whether another report of the same study is taken."""
    same = [
        other
        for other in studies
        if other.registration == one.registration
        and reasons[other.study] in {"-", "repeat"}
    ]
    if "the one with most people" in protocol:
        best = max(same, key=lambda other: other.people)
    elif "of the latest year" in protocol:
        best = max(same, key=lambda other: other.year)
    else:
        best = min(same, key=lambda other: other.year)
    return best is not one


def take(one: Study, protocol: str) -> Taken:
    """Return what is taken of a report."""
    weeks = sorted(one.effects)
    week = weeks[-1]
    if "the first point in time" in protocol:
        week = weeks[0]
    if "nearest to 12 weeks" in protocol:
        week = min(weeks, key=lambda at: abs(at - 12))
    effect, told = one.effects[week], one.told.get(week, one.effects[week])
    if effect == told:
        return Taken(week, effect, is_conflict=False)
    if "neither counts" in protocol:
        effect = EMPTY
    elif "the text counts" in protocol:
        effect = told
    return Taken(week, effect, is_conflict=True)


def write(
    studies: list[Study], reasons: dict[str, str], taken: dict[str, Taken]
) -> None:
    """Write the evidence table."""
    rows = [o for o in studies if FACETS["listed"] == "all" or reasons[o.study] == "-"]
    if FACETS["order"] == "year":
        rows.sort(key=lambda one: one.year)
    if FACETS["order"] == "people":
        rows.sort(key=lambda one: -one.people)
    head = "study,year,people,weeks,effect,low,high"
    lines = [head + (",reason" if FACETS["listed"] == "all" else "")]
    for one in rows:
        found = taken[one.study]
        cells = [str(found.week), *found.effect]
        if reasons[one.study] != "-":
            cells = ["", *EMPTY]
        if FACETS["listed"] == "all":
            cells.append(reasons[one.study])
        lines.append(",".join([one.study, str(one.year), str(one.people), *cells]))
    deliver("evidence.csv", "\n".join([*lines, ""]))


def opened(
    studies: list[Study], reasons: dict[str, str], taken: dict[str, Taken]
) -> None:
    """Write what the authors are asked."""
    words = {}
    for one in studies:
        if reasons[one.study] == "-":
            if taken[one.study].is_conflict:
                words[one.study] = "conflict"
            elif "NR" in taken[one.study].effect:
                words[one.study] = "missing"
    record: Any = words
    if FACETS["open"] == "lists":
        record = {
            "conflicts": sorted(s for s, word in words.items() if word == "conflict"),
            "missing": sorted(s for s, word in words.items() if word == "missing"),
        }
    deliver("open.json", json.dumps(record, indent=1))


def summary(
    studies: list[Study],
    reasons: dict[str, str],
    taken: dict[str, Taken],
    protocol: str,
) -> None:
    """Write the summary."""
    included = [one for one in studies if reasons[one.study] == "-"]
    effects = [taken[one.study].effect for one in included]
    record: dict[str, Any] = {"better": 0, "worse": 0, "unclear": 0}
    if FACETS["summary"] == "flow":
        record = dict(Counter(one for one in reasons.values() if one != "-"))
        record |= {"screened": len(studies), "included": len(included)}
    elif FACETS["summary"] == "direction":
        better = re.search(r"A difference (\w+) 0 is better", protocol)
        for _, low, high in effects:
            if low not in {"", "NR"}:
                sides = {"below": tenths(high) < 0, "above": tenths(low) > 0}
                is_better = sides.pop(better[1] if better else "")
                is_worse = any(sides.values())
                word = "better" if is_better else "worse" if is_worse else "unclear"
                record[word] += 1
    else:
        values = sorted((e[0] for e in effects if e[0] not in {"", "NR"}), key=tenths)
        people = sum(one.people for one in included)
        record = {"smallest": values[0], "largest": values[-1], "people": people}
    deliver("summary.json", json.dumps(record, indent=1))


def tenths(text: str) -> int:
    """Return a printed figure in tenths."""
    return int(text.replace(".", ""))


def extra(studies: list[Study], reasons: dict[str, str]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "excluded":
        rows = [
            f"{one.study},{one.author},{reasons[one.study]}"
            for one in studies
            if reasons[one.study] != "-"
        ]
        deliver("excluded.csv", "\n".join(["study,author,reason", *rows, ""]))
    if FACETS["extra"] == "references":
        included = [one for one in studies if reasons[one.study] == "-"]
        lines = sorted(
            f"{o.author} ({o.year}). {o.title}. {o.registration}\n" for o in included
        )
        deliver("references.txt", "".join(lines))
