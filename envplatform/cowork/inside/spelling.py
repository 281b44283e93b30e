"""Read a deliverable in the spelling of the right one; lies beside verifiers of families.

People and tools write the same thing in several ways: with a byte order mark, CRLF, quoted
cells, `3.0` for `3`, `1,200` for `1200`, all in capitals, as a table of Markdown. Whatever
of a deliverable says the same as a piece of what is due is put as it stands there, so that
criteria compare it to the letter; all else stays as it came. What two pieces of what is
due would answer to is left alone, and so is a number that is none: NaN, 1e999.

Not here: what is right (`verifier`), how much is (`marks`). Nothing here raises.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from seedlib import Final, rows_of

Criterion = Callable[[Final], float]
Files = dict[str, str]
"""Texts by path below /workspace, or by `held:` and the path of what is held."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_IN_TEXT = re.compile(rf"(?<![\w.,-]){_NUMBER.pattern}(?![\w%]|[.,]\d)", re.ASCII)
_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
_MARKS = re.compile(r"\*\*|__|`")
_BULLET = re.compile(r"[-*+] +")
_HEADING = re.compile(r"(#+) *(.*?)[ #]*")
_FENCE = re.compile(r"```\w*\n(.*?\n)```\s*", re.DOTALL)
_CASES = (str.lower, str.upper, str.capitalize, str.title)
_FEW_WORDS = 3
_FREE = (".md", ".txt")
"""Where lines may be indented and set apart as one likes."""
_LONGEST_NUMBER = 24


class Criteria(dict[str, Criterion]):
    """Criteria by name, and what they take for right."""

    due: Callable[[Final], Files]


def spelt(criteria: Mapping[str, Criterion], due: Callable[[Final], Files]) -> Criteria:
    """Return the criteria, each of which reads what was delivered as `due` spells it."""
    known = lru_cache(maxsize=None)(due)

    def reading(criterion: Criterion) -> Criterion:
        return lambda final: criterion(Spelt(final, known(final)))

    found = Criteria({name: reading(one) for name, one in criteria.items()})
    found.due = known
    return found


class Spelt(Final):  # type: ignore[misc]  # it is Any where this is checked
    """A final state of which deliverables are read in the spelling of what is due."""

    due: Files

    def __new__(cls, final: Final, due: Files) -> Spelt:  # noqa: PYI034  no Self in 3.9
        """Take the state, and what is due."""
        made = super().__new__(cls, final.workspace, final.served)
        made.due = due
        return made

    def text(self, path: str) -> str | None:
        """Return a file of /workspace as text."""
        return respelt(path, super().text(path), self.due.get(path))

    def held(self, path: str) -> str | None:
        """Return a file that the broker holds as text."""
        return respelt(path, super().held(path), self.due.get(f"held:{path}"))

    def json(self, path: str) -> Any:  # noqa: ANN401  JSON
        """Return a JSON file of /workspace."""
        return read_json(self.text(path))

    def rows(self, path: str) -> list[dict[str, str]] | None:
        """Return a CSV file of /workspace, a dictionary a row."""
        return rows_of(self.text(path))


def respelt(path: str, given: str | None, due: str | None) -> str | None:
    """Return what was given as `due` spells it, so far as both say the same."""
    if given is None:
        return None
    text = _plain(given)
    if due is None or text == due:
        return text
    if path.endswith(".csv"):
        return _table(text, due)
    if path.endswith(".json"):
        return _document(text, due)
    return _lines(text, due, is_free=path.endswith(_FREE))


def read_json(text: str | None) -> Any:  # noqa: ANN401  JSON
    """Parse JSON; None for what is none, repeats a key or has a number without bound."""
    if text is None:
        return None
    try:
        return json.loads(
            text,
            parse_float=_float,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except (ValueError, RecursionError):
        return None


def _float(text: str) -> float:
    value = float(text)
    return value if abs(value) < float("inf") else _no_number(text)


def _no_number(text: str) -> float:
    msg = f"{text} is no number"
    raise ValueError(msg)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        msg = "a key stands twice"
        raise ValueError(msg)
    return found


def _plain(text: str) -> str:
    """Return the text without byte order mark, CRLF and a fence around the whole."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    fenced = _FENCE.fullmatch(text.strip() + "\n")
    return fenced[1] if fenced else text


def _canonical(text: str) -> str:
    """Return what two spellings of one cell have in common; case is kept."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return _digits(text) if _NUMBER.fullmatch(text) else text


def _digits(text: str) -> str:
    if len(text) > _LONGEST_NUMBER:
        return text
    value = Decimal(text.replace(",", ""))
    return f"{value.normalize() if value else Decimal(0):f}"


class _Spellings:
    """How the pieces of one column, or one place, are spelt where they are due."""

    def __init__(self, due: Iterable[str], given: Iterable[str]) -> None:
        self._exact = _unambiguous({one: _canonical(one) for one in due})
        self._folded = _unambiguous({one: _canonical(one).lower() for one in due})
        words = [_canonical(one) for one in given]
        self._is_cased = any(
            all(len(one.split()) <= _FEW_WORDS and case(one) == one for one in words)
            for case in _CASES
        )

    def of(self, text: str) -> str:
        """Return the spelling that is due; the text itself if there is none."""
        key = _canonical(text)
        if key in self._exact:
            return self._exact[key]
        return self._folded.get(key.lower(), key) if self._is_cased else key


def _unambiguous(keys: Mapping[str, str]) -> dict[str, str]:
    """Return text by key, of keys that one text alone has."""
    found: dict[str, str | None] = {}
    for text, key in keys.items():
        found[key] = None if key in found else text
    return {key: text for key, text in found.items() if text is not None}


def _table(text: str, due: str) -> str:
    wanted = _cells(due, ",")
    if not wanted:
        return text
    given = _given_table(text, wanted[0])
    if given is None:
        return text
    columns = [
        _Spellings(
            [row[at] for row in wanted[1:] if len(row) > at],
            [row[at] for row in given[1:] if len(row) > at],
        )
        for at in range(len(wanted[0]))
    ]
    lines = due.splitlines()
    whole: dict[tuple[str, ...], str] = {}
    if len(lines) == len(wanted):
        whole = {tuple(row): lines[at] for at, row in enumerate(wanted)}
    found = [lines[0]]
    for row in given[1:]:
        cells = row
        if len(row) == len(columns):
            cells = [columns[at].of(cell) for at, cell in enumerate(row)]
        found.append(whole.get(tuple(cells)) or _line(cells))
    return "".join(f"{line}\n" for line in found)


def _line(cells: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _given_table(text: str, head: list[str]) -> list[list[str]] | None:
    """Return the rows of a table under the head that is due; None if it has another."""
    wanted = [_name(one) for one in head]
    for delimiter in (",", ";", "\t", "|"):
        rows = _cells(text, delimiter)
        if delimiter == "|":
            rows = [row[1:-1] for row in rows if not set("".join(row)) <= set("-: ")]
        if rows and [_name(one) for one in rows[0]] == [*wanted, ""]:
            rows = [row[:-1] if not row[-1] else row for row in rows]
        if rows and [_name(one) for one in rows[0]] == wanted:
            return rows
    return None


def _name(text: str) -> str:
    """Return what spellings of a column's name have in common."""
    return re.sub(r"[\W_]+", "_", text.strip().lower())


def _cells(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows that say something, blanks around cells stripped."""
    lines = io.StringIO(_BLANKS.sub("", text), newline="")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        rows = [[cell.strip() for cell in row] for row in reader]
    except csv.Error:
        return []
    return [row for row in rows if any(row)]


def _document(text: str, due: str) -> str:
    given, wanted = read_json(text), read_json(due)
    if given is None:
        return "" if read_json(due) is not None else text
    places = _Places(wanted, given)
    try:
        found = places.spelt(given, "")
        return due if _same(found, wanted) else json.dumps(found)
    except RecursionError:
        return ""


def _same(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class _Places:
    """Spellings of all values of a document, by place; items of a list share theirs."""

    def __init__(self, due: object, given: object) -> None:
        wanted, told = _by_place(due), _by_place(given)
        said = [
            text
            for place, values in told.items()
            if not place.endswith("{")
            for text in _texts(values)
        ]
        self._texts = {
            place: _Spellings(
                _texts(values),
                _texts(told.get(place, [])) if place.endswith("{") else said,
            )
            for place, values in wanted.items()
        }
        self._numbers = {
            place: {_number(one): one for one in values if _is_number(one)}
            for place, values in wanted.items()
        }

    def spelt(self, value: object, place: str) -> object:
        """Return a value in the spelling that is due at its place."""
        if isinstance(value, dict):
            keys = self._texts.get(f"{place}{{")
            named = {keys.of(key) if keys else key: one for key, one in value.items()}
            if len(named) < len(value):
                named = value
            return {
                key: self.spelt(one, f"{place}/{key}") for key, one in named.items()
            }
        if isinstance(value, list):
            return [self.spelt(one, f"{place}[") for one in value]
        if isinstance(value, str):
            return self._texts[place].of(value) if place in self._texts else value
        if _is_number(value):
            return self._numbers.get(place, {}).get(_number(value), value)
        return value


def _by_place(value: object) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        place, one = stack.pop()
        if isinstance(one, dict):
            found.setdefault(f"{place}{{", []).extend(one)
            stack += [(f"{place}/{key}", inner) for key, inner in one.items()]
        elif isinstance(one, list):
            stack += [(f"{place}[", inner) for inner in one]
        else:
            found.setdefault(place, []).append(one)
    return found


def _texts(values: Iterable[object]) -> list[str]:
    return [one for one in values if isinstance(one, str)]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any) -> Decimal:  # noqa: ANN401  a number of JSON
    """Return a number so that 3.0 is 3, and 0.1 + 0.2 is 0.3."""
    is_whole = isinstance(value, int) or value.is_integer()
    return Decimal(int(value)) if is_whole else Decimal(f"{value:.12g}")


def _lines(text: str, due: str, *, is_free: bool) -> str:
    wanted = [line.rstrip() for line in due.rstrip().split("\n")]
    given = [line.rstrip() for line in text.rstrip().split("\n")]
    known = _unambiguous({one: _gist(one, is_free=is_free) for one in wanted if one})
    folded = _Spellings(known.values(), given) if is_free else None
    found = []
    for line in given:
        same = known.get(_gist(line, is_free=is_free), line)
        found.append(folded.of(line) if folded and same is line and line else same)
    said = [line for line in found if line]
    if said == [line for line in wanted if line] and (is_free or found == wanted):
        return due
    return "".join(f"{line}\n" for line in found)


def _gist(line: str, *, is_free: bool) -> str:
    """Return what spellings of a line have in common."""
    text = unicodedata.normalize("NFC", line)
    if is_free:
        text = _MARKS.sub("", " ".join(text.split()))
        text = _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
        heading = _HEADING.fullmatch(text)
        text = f"{heading[1]} {heading[2]}" if heading else text
        if text.startswith("|"):
            cells = (_ruled(cell.strip()) for cell in text.strip("|").split("|"))
            text = " | ".join(cells)
        text = _IN_TEXT.sub(lambda found: _digits(found[0]), text)
    return text


def _ruled(cell: str) -> str:
    return "---" if cell and set(cell) <= set("-:") else cell
