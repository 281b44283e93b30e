"""What an environment serves, laid out piece by piece: contents, and views that show them.

A desk is filled by whoever builds a workspace and then read off as parts of an
environment. Contents are text in the forms that `ws` serves: CSV, SQL dumps, routes.
"""

import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from envplatform.bundle import Provider, Resource, View
from envplatform.bundle.environment import ProviderKind, ResourceKind, ViewKind
from envplatform.errors import BundleError
from envplatform.tree import File

Cell = str | int | float | None
_PROVIDERS: Mapping[ProviderKind, str] = {
    "file": "files",
    "sqlite": "stores",
    "http": "services",
    "git": "repositories",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One table of a store."""

    columns: Mapping[str, str]
    """Name to SQLite type and constraints, `TEXT NOT NULL`."""
    rows: Sequence[Sequence[Cell]]
    """In the order in which they are put in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One answer of a service."""

    path: str
    body: object
    """JSON."""
    method: str = "GET"
    status: int = 200


class Desk:
    """Collects contents and views; reading it does not empty it."""

    def __init__(self) -> None:
        self.served: dict[str, File] = {}
        self.resources: list[Resource] = []
        self.views: list[View] = []

    def document(
        self,
        name: str,
        view: str,
        text: str,
        *,
        about: str,
        kind: ResourceKind = "content",
    ) -> None:
        """Lay out one text under the public name `view`; it is held there, too."""
        self._hold(view, text)
        self._show(name, view, kind, "file", "content", location=view, about=about)

    def rows(
        self,
        name: str,
        view: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        *,
        about: str,
        kind: ResourceKind = "content",
    ) -> None:
        """Lay out a CSV file with a head line."""
        text = csv_text(columns, rows)
        self.document(name, view, text, about=about, kind=kind)

    def folder(
        self,
        name: str,
        view: str,
        files: Mapping[str, str],
        *,
        about: str,
        kind: ResourceKind = "content",
    ) -> None:
        """Lay out texts by file name; `view` is the folder, without a slash at its end."""
        for path, text in files.items():
            self._hold(f"{view}/{path}", text)
        self._show(name, view, kind, "file", "folder", location=view, about=about)

    def store(
        self, name: str, view: str, sheets: Mapping[str, Sheet], *, about: str
    ) -> None:
        """Lay out a table store; it is held as its dump, at `view` and `.sql`."""
        location = f"{view}.sql"
        self._hold(location, dump(sheets))
        self._show(
            name, view, "content", "sqlite", "table", location=location, about=about
        )

    def service(
        self, name: str, view: str, routes: Sequence[Route], *, about: str
    ) -> None:
        """Lay out a service; it is held as its routes, at `view` and `.json`."""
        location = f"{view}.json"
        lines = [
            {
                "method": one.method,
                "path": one.path,
                "status": one.status,
                "body": one.body,
            }
            for one in routes
        ]
        text = ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        self._hold(location, f"[\n{text}\n]\n")
        self._show(
            name, view, "content", "http", "service", location=location, about=about
        )

    @property
    def providers(self) -> tuple[Provider, ...]:
        """Those that hold something, each once."""
        kinds = {_PROVIDERS[kind]: kind for kind in _PROVIDERS}
        used = dict.fromkeys(one.provider for one in self.resources)
        return tuple(Provider(name=name, kind=kinds[name]) for name in used)

    def _hold(self, location: str, text: str) -> None:
        if location in self.served:
            msg = f"two contents lie at {location}"
            raise BundleError(msg)
        self.served[location] = File(text.encode())

    def _show(  # noqa: PLR0913  a view and its resource
        self,
        name: str,
        view: str,
        kind: ResourceKind,
        provider: ProviderKind,
        shown: ViewKind,
        *,
        location: str,
        about: str,
    ) -> None:
        self.resources.append(
            Resource(
                name=name, kind=kind, provider=_PROVIDERS[provider], location=location
            )
        )
        self.views.append(View(name=view, kind=shown, source=name, about=about))


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return CSV with a head line; None is an empty field."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return lines.getvalue()


def dump(sheets: Mapping[str, Sheet]) -> str:
    """Return the dump of a store, spelled as `ws` keeps one.

    Raises:
        BundleError: a table can't be made, or a row does not fit it.
    """
    with closing(sqlite3.connect(":memory:")) as store:
        try:
            for table, sheet in sheets.items():
                spelled = ", ".join(
                    f"{name} {kind}" for name, kind in sheet.columns.items()
                )
                store.execute(f"CREATE TABLE {table} ({spelled})")
                marks = ", ".join("?" for _ in sheet.columns)
                store.executemany(
                    f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608  our names
                    sheet.rows,
                )
        except sqlite3.Error as error:
            msg = f"the store's tables do not hold: {error}"
            raise BundleError(msg) from error
        return "".join(f"{line}\n" for line in store.iterdump())


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a Markdown table with a line break at its end."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(
        f"| {' | '.join('' if one is None else str(one) for one in line)} |\n"
        for line in lines
    )


def insert_row(table: str, row: Sequence[Cell]) -> str:
    """Return the line by which a dump puts one row in; for edits of a held store."""
    values = ",".join(_literal(cell) for cell in row)
    return f'INSERT INTO "{table}" VALUES({values});'


def _literal(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    return "'" + cell.replace("'", "''") + "'" if isinstance(cell, str) else str(cell)
