"""Tables as task families read them, and pointers to what they took from them."""

import csv
import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from envplatform.cowork.library.cells import Cell, Row
from envplatform.cowork.library.resource import ColumnRow, ResourceRow
from envplatform.errors import LibraryError

if TYPE_CHECKING:
    from envplatform.cowork.library.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Part of a text, in characters from its start; `end` is not in it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """Where a fact stands in the library. May be a field of a row."""

    resource_id: str
    path: str
    """Of the file in its source, for a person who looks there."""
    row: int | None = None
    """Of a table as the library keeps it, from 0, without the header."""
    column: str | None = None
    """None: the whole row."""
    span: Span | None = None
    """Of a document or of code."""

    def resolve(self, library: "Library") -> "Cell | Row":
        """Return the value: a cell, a row, or a text.

        Raises:
            LibraryError: it leads nowhere in this library.
        """
        if self.row is not None:
            table = library.table(self.resource_id)
            if not 0 <= self.row < len(table.rows):
                raise LibraryError(self._nowhere(f"has no row {self.row}"))
            row = table.rows[self.row]
            return row if self.column is None else row[table.index(self.column)]
        text = library.text(self.resource_id)
        if self.span is None:
            return text
        if not 0 <= self.span.start <= self.span.end <= len(text):
            raise LibraryError(self._nowhere(f"has {len(text)} characters"))
        return text[self.span.start : self.span.end]

    def _nowhere(self, what: str) -> str:
        return f"pointer to {self.resource_id} leads nowhere: it {what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row with its number."""

    number: int
    """In the table, from 0."""
    values: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of the library."""

    resource: ResourceRow
    rows: tuple[Row, ...]
    """In order. A cell without a value is None, all others are text."""

    @property
    def columns(self) -> tuple[ColumnRow, ...]:
        """In order."""
        return self.resource.columns

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def index(self, column: str) -> int:
        """Place of a column.

        Raises:
            LibraryError: there is none of this name.
        """
        try:
            return self.header.index(column)
        except ValueError:
            names = ", ".join(self.header)
            msg = (
                f"{self.resource.resource_id} has no column {column!r}; it has {names}"
            )
            raise LibraryError(msg) from None

    def value(self, row: TableRow, column: str) -> Cell:
        """Cell of a row."""
        return row.values[self.index(column)]

    def numbered(self) -> tuple[TableRow, ...]:
        """All rows with their numbers."""
        return tuple(
            TableRow(number=number, values=row) for number, row in enumerate(self.rows)
        )

    def pointer(self, row: int, column: str | None = None) -> Pointer:
        """Where a row or one of its cells stands."""
        return Pointer(
            resource_id=self.resource.resource_id,
            path=self.resource.path,
            row=row,
            column=column,
        )

    def row_in_file(self, row: int) -> int:
        """Number of a row in the file as it came, from 0, without the header."""
        return row * self.resource.stride


def draw_rows(
    table: Table,
    chance: random.Random,
    count: int,
    where: Callable[[TableRow], bool] = lambda _: True,
) -> tuple[TableRow, ...]:
    """Draw different rows, each as likely as the other; in the order of the table.

    Raises:
        LibraryError: fewer than `count` rows hold `where`.
    """
    fitting = [row for row in table.numbered() if where(row)]
    if len(fitting) < count:
        msg = f"{table.resource.resource_id} has {len(fitting)} such rows, not {count}"
        raise LibraryError(msg)
    return tuple(sorted(chance.sample(fitting, count), key=lambda row: row.number))


def parse_table(resource: ResourceRow, content: bytes) -> Table:
    """Read what `write_csv` wrote.

    Raises:
        LibraryError: it has not the columns and rows that its row says.
    """
    reader = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
    header = tuple(next(reader, ()))
    rows = tuple(tuple(cell or None for cell in line) for line in reader)
    names = tuple(column.name for column in resource.columns)
    if header != names or len(rows) != resource.rows:
        msg = f"{resource.resource_id}: the stored table is another one"
        raise LibraryError(msg)
    return Table(resource=resource, rows=rows)
