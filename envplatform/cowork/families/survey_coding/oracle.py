"""Codes the answers through `ws`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from typing import NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
Row = dict[str, str]


class Book(NamedTuple):
    """What the code book says, after the owner's word."""

    names: dict[str, str]
    terms: dict[str, str]
    """Term to code."""
    weights: dict[str, int]
    text: str
    apart: str


def solve() -> None:
    """Read, ask, code, write."""
    text = ws_text("read", parameters()["book"])
    answers = read_answers()
    said = ws_json("say", "I have read the code book and the answers.")["user_message"]
    book = read_book(text, said)
    kept = counting(answers, book.text, said)
    coded = [(one, codes_of(one, book)) for one in kept]
    deliver("coded.csv", table(coded, book))
    deliver("frequencies.json", json.dumps(frequencies(coded, book), indent=1))
    lost = [one for one, codes in coded if codes == ["99"]]
    if FACETS["unclassified"] == "list":
        numbers = [one["answer"] for one in lost]
        deliver("unclassified.json", json.dumps(numbers))
    else:
        lines = [f"{one['answer']}: {one['text']}\n" for one in lost]
        deliver("unclassified.txt", "".join(lines))
    if FACETS["extra"] == "examples":
        deliver("examples.csv", examples(coded, book))
    if FACETS["extra"] == "repeats":
        deliver("repeats.csv", repeats(answers))


def read_answers() -> list[Row]:
    """Return all answers by number."""
    place = FACETS["place"]
    if FACETS["data"] == "csv":
        found = rows_of(ws_text("read", f"{place}.csv")) or []
    elif FACETS["data"] == "store":
        data = ws_json("query", place, "SELECT * FROM answers")
        found = [dict(zip(data["columns"], row, strict=True)) for row in data["rows"]]
    else:
        names = [one["name"] for one in ws_json("list", f"{place}/")["names"]]
        found = [r for name in names for r in rows_of(ws_text("read", name)) or []]
    return sorted(found, key=lambda one: one["answer"])


def read_book(text: str, said: str) -> Book:
    """Return codes and rules as they are after what was said."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if "|" in line]
    merged = re.search(r"code (\d\d) is merged into (\d\d)", said)
    dropped = re.search(r"code (\d\d) is dropped", said)
    apart = re.search(r"answers of the batch (\w+) that count get code 97", said)
    names = {"97": "apart", "98": "no answer", "99": "unclassified"}
    terms, weights = {}, {}
    for line in lines[2:]:
        number = line[0]
        names[number] = line[1]
        weights[number] = int(line[3]) if len(line) > 3 else 0
        if dropped and number == dropped[1]:
            continue
        if merged and number == merged[1]:
            number = merged[2]
        terms.update(dict.fromkeys(line[2].split("; "), number))
    rules = " ".join(text.split())
    return Book(names, terms, weights, rules, apart[1] if apart else "")


def counting(answers: list[Row], rules: str, said: str) -> list[Row]:
    """Return the answers that count."""
    out = re.search(r"the batch (\w+) is left out", said)
    by_person: dict[str, list[Row]] = defaultdict(list)
    for one in answers:
        by_person[one["person"]].append(one)
    kept = []
    for one in answers:
        mine = by_person[one["person"]]
        if "Their first answer" in rules and one is not mine[0]:
            continue
        if "Their last answer" in rules and one is not mine[-1]:
            continue
        if not (out and one["batch"] == out[1]):
            kept.append(one)
    return kept


def codes_of(one: Row, book: Book) -> list[str]:
    """Return the codes of an answer, the first one first."""
    text = one["text"]
    if one["batch"] == book.apart:
        return ["97"]
    if len(text.split()) < 3:
        return ["98"]
    if "is praise and does not count" in book.text:
        terms = "|".join(map(re.escape, book.terms))
        text = re.sub(rf"No complaint about the ({terms})", "", text)
    places: dict[str, int] = {}
    for term, code in book.terms.items():
        at = text.find(term)
        if at >= 0:
            places[code] = min(at, places.get(code, at))
    found = sorted(places)
    if "is mentioned first" in book.text:
        found.sort(key=lambda code: places[code])
    if "higher weight" in book.text:
        found.sort(key=lambda code: -book.weights[code])
    most = 2 if "gets two codes at most" in book.text else 1
    return found[:most] or ["99"]


def shown(code: str, book: Book) -> str:
    """Return a code as it is wanted."""
    return code if FACETS["label"] == "number" else book.names[code]


def table(coded: list[tuple[Row, list[str]]], book: Book) -> str:
    """Return the coded answers."""
    rows = list(coded)
    if FACETS["order"] == "code":
        rows.sort(key=lambda pair: pair[1][0])
    if FACETS["order"] == "batch":
        rows.sort(key=lambda pair: pair[0]["batch"])
    wide = 2 if FACETS["codes"] == "two" else 1
    lines = ["answer,batch,code,second" if wide == 2 else "answer,batch,code"]
    for one, codes in rows:
        cells = [shown(code, book) for code in codes] + [""]
        lines.append(",".join([one["answer"], one["batch"], *cells[:wide]]))
    return "\n".join([*lines, ""])


def frequencies(coded: list[tuple[Row, list[str]]], book: Book) -> dict[str, object]:
    """Return the counts."""
    total: Counter[str] = Counter()
    by_batch: dict[str, Counter[str]] = defaultdict(Counter)
    for one, codes in coded:
        for code in codes:
            total[shown(code, book)] += 1
            by_batch[one["batch"]][shown(code, book)] += 1
    if FACETS["frequencies"] == "by_batch":
        return dict(by_batch)
    if FACETS["frequencies"] == "total":
        return dict(total)
    tenths = {
        name: (count * 2000 + len(coded)) // (2 * len(coded))
        for name, count in total.items()
    }
    return {name: f"{part // 10}.{part % 10}" for name, part in tenths.items()}


def examples(coded: list[tuple[Row, list[str]]], book: Book) -> str:
    """Return the first answer of each code."""
    first: dict[str, Row] = {}
    for one, codes in coded:
        first.setdefault(codes[0], one)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["code", "answer", "text"])
    for code, one in sorted(first.items()):
        writer.writerow([shown(code, book), one["answer"], one["text"]])
    return lines.getvalue()


def repeats(answers: list[Row]) -> str:
    """Return who answered twice."""
    mine: dict[str, list[str]] = defaultdict(list)
    for one in answers:
        mine[one["person"]].append(one["answer"])
    rows = [
        f"{who},{found[0]},{found[-1]}"
        for who, found in sorted(mine.items())
        if len(found) > 1
    ]
    return "\n".join(["person,first,last", *rows, ""])
