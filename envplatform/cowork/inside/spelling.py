"""Read a deliverable in the spelling of the right one; lies beside verifiers of families.

People and tools write the same thing in several ways: with a byte order mark, CRLF, quoted
cells, `3.0` for `3`, `1,200` for `1200`, all in capitals, as a table of Markdown. Whatever
of a deliverable says the same as a piece of what is due is put as it stands there, so that
criteria compare it to the letter; all else stays as it came. What two pieces of what is
due would answer to is left alone, and so is a number that is none: NaN, 1e999.

Not here: cells and numbers (`spelling_pieces`), tables (`spelling_tables`), JSON
(`spelling_documents`); what is right (`verifier`), how much is (`marks`). Nothing raises.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from seedlib import Final, rows_of
from spelling_documents import document
from spelling_pieces import NUMBER, Spellings, digits, read_json, unambiguous
from spelling_tables import table

Criterion = Callable[[Final], float]
Files = dict[str, str]
"""Texts by path below /workspace, or by `held:` and the path of what is held."""

_IN_TEXT = re.compile(rf"(?<![\w.,-]){NUMBER.pattern}(?![\w%]|[.,]\d)", re.ASCII)
_MARKS = re.compile(r"\*\*|__|`")
_BULLET = re.compile(r"[-*+] +")
_HEADING = re.compile(r"(#+) *(.*?)[ #]*")
_FENCE = re.compile(r"```\w*\n(.*?\n)```\s*", re.DOTALL)
_FREE = (".md", ".txt")
"""Where lines may be indented and set apart as one likes."""


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
        return table(text, due)
    if path.endswith(".json"):
        return document(text, due)
    return _lines(text, due, is_free=path.endswith(_FREE))


def _plain(text: str) -> str:
    """Return the text without byte order mark, CRLF and a fence around the whole."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    fenced = _FENCE.fullmatch(text.strip() + "\n")
    return fenced[1] if fenced else text


def _lines(text: str, due: str, *, is_free: bool) -> str:
    wanted = [line.rstrip() for line in due.rstrip().split("\n")]
    given = [line.rstrip() for line in text.rstrip().split("\n")]
    known = unambiguous({one: _gist(one, is_free=is_free) for one in wanted if one})
    folded = Spellings(known.values(), given) if is_free else None
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
        text = _IN_TEXT.sub(lambda found: digits(found[0]), text)
    return text


def _ruled(cell: str) -> str:
    return "---" if cell and set(cell) <= set("-:") else cell
