"""Tables in the spelling of the one that is due; lies beside `spelling`."""

from __future__ import annotations

import csv
import io
import re

from spelling_pieces import Spellings

_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)


def table(text: str, due: str) -> str:
    """Return CSV as `due` spells it; as it came where it has another head, or is none."""
    wanted = _cells(due, ",")
    if not wanted:
        return text
    given = _given_table(text, wanted[0])
    if given is None:
        return text
    columns = [
        Spellings(
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
