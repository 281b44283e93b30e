"""Text of a CSV, TSV or JSON file to a header and rows of cells, thinned out if long.

Each cell is text or None. Rows are read one by one: of a file with more than `limit`
rows every second, fourth, eighth... is kept, so that the number of a kept row times the
stride is its number in the file.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from envplatform.cowork.library.text import Fault, hostile

Cell = str | None
Row = tuple[Cell, ...]

MAX_CELL = 32_767
"""Characters; a spreadsheet takes no more."""
_ARMED = "=@+-"
_DELIMITERS = ",;\t|"
_SIGNED_FORMULA = re.compile(r"[+-].*[(|!]", re.DOTALL)


@dataclass(slots=True)
class Cells:
    """A table under construction."""

    header: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    rows_read: int = 0
    stride: int = 1
    formulas: int = 0
    """Cells that a spreadsheet would have run, kept with an apostrophe before them."""
    renamed: int = 0
    """Columns without a name of their own."""

    def takes_next(self, limit: int) -> bool:
        """Count the next row of the file, and say whether it is kept."""
        number = self.rows_read
        self.rows_read += 1
        if number % self.stride == 0 and len(self.rows) == limit:
            self.rows = self.rows[::2]
            self.stride *= 2
        return number % self.stride == 0

    def disarm(self) -> None:
        """Put an apostrophe before each formula."""
        for number, row in enumerate(self.rows):
            if any(cell and cell[0] in _ARMED and is_formula(cell) for cell in row):
                self.rows[number] = tuple(map(self._safe, row))

    def _safe(self, cell: Cell) -> Cell:
        if cell and is_formula(cell):
            self.formulas += 1
            return f"'{cell}"
        return cell


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would run it rather than show it."""
    if cell[:1] in ("=", "@"):
        return len(cell) > 1
    return bool(_SIGNED_FORMULA.match(cell))


def csv_cells(text: str, *, tabs: bool, limit: int, columns: int) -> Cells | Fault:
    """Read a table with a header line; blank lines are skipped.

    Args:
        text: quoted cells may hold line ends.
        tabs: whether tabs separate; else what the header line has most of.
        limit: rows kept at most.
        columns: at most.
    """
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    delimiter = "\t" if tabs else max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = (line for line in reader if any(map(str.strip, line)))
        cells = _started(next(lines, []), columns)
        if isinstance(cells, Fault):
            return cells
        for line in lines:
            if fault := _misfit(line, len(cells.header)):
                detail = f"line {reader.line_num}: {fault.detail}"
                return Fault(fault.reason, detail)
            if cells.takes_next(limit):
                cells.rows.append(tuple(cell.strip() or None for cell in line))
    except csv.Error as error:
        return Fault("malformed", f"line {reader.line_num}: {error}")
    return _finished(cells)


def json_cells(text: str, *, limit: int, columns: int) -> Cells | Fault:
    """Read a list of objects; their names in order of appearance are the header."""
    entries = _entries(text)
    if isinstance(entries, Fault):
        return entries
    names = tuple(dict.fromkeys(name for entry in entries for name in entry))
    cells = _started(names, columns)
    if isinstance(cells, Fault):
        return cells
    for number, entry in enumerate(entries, 1):
        row = _json_row(entry, names)
        if isinstance(row, Fault):
            return Fault(row.reason, f"entry {number}: {row.detail}")
        if cells.takes_next(limit):
            cells.rows.append(row)
    return _finished(cells)


def _started(names: Sequence[str], columns: int) -> Cells | Fault:
    if not names:
        return Fault("empty", "no header")
    if fault := hostile("".join(names)):
        return fault
    if len(names) > columns:
        return Fault("too_wide", f"{len(names)} columns; {columns} are taken")
    header: list[str] = []
    renamed = 0
    for number, name in enumerate(names, 1):
        clean = " ".join(name.split()).strip("'\" ") or f"column {number}"
        unique = clean
        while unique in header:
            unique = f"{clean} ({number})"
            clean = unique
        renamed += unique != " ".join(name.split())
        header.append(unique)
    if any(len(name) > MAX_CELL for name in header):
        return Fault("malformed", "a name in the header is too long")
    return Cells(header=tuple(header), renamed=renamed)


def _finished(cells: Cells) -> Cells | Fault:
    cells.disarm()
    return cells if cells.rows else Fault("empty", "a header and no row")


def _misfit(row: Sequence[str], width: int) -> Fault | None:
    if len(row) != width:
        return Fault("malformed", f"{len(row)} cells, and the header has {width}")
    if max(map(len, row), default=0) > MAX_CELL:
        return Fault("malformed", f"a cell of over {MAX_CELL:,} characters")
    return None


def _entries(text: str) -> list[dict[str, object]] | Fault:
    try:
        value = json.loads(
            text, parse_int=str, parse_float=str, parse_constant=_nothing
        )
    except (ValueError, RecursionError) as error:
        return Fault("malformed", f"is no JSON: {error}")
    if isinstance(value, dict):
        if value.get("type") in ("FeatureCollection", "Feature", "Topology"):
            return Fault("geographic", f"is a {value['type']}")
        return Fault("not_a_table", "is one object; a list of objects is taken")
    if not isinstance(value, list) or not value:
        return Fault("empty" if value == [] else "not_a_table", "no list of objects")
    if not all(isinstance(entry, dict) for entry in value):
        return Fault("not_a_table", "is a list, and not all in it are objects")
    return value


def _json_row(entry: dict[str, object], names: Iterable[str]) -> Row | Fault:
    row: list[str] = []
    for name in names:
        value = entry.get(name)
        if isinstance(value, bool):
            row.append("true" if value else "false")
        elif value is None or isinstance(value, str):
            row.append((value or "").strip())
        else:
            return Fault("nested", f"{name} holds a list or an object")
    fault = hostile("".join(row)) or _misfit(row, len(row))
    return fault or tuple(cell or None for cell in row)


def _nothing(_: str) -> None:
    """NaN and the infinities are no values."""
