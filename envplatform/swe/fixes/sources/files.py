"""Files on this machine as a source: one file, or a folder of shards."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from envplatform.configuration import FixLayout
from envplatform.errors import FixSourceError
from envplatform.swe.fixes.sources.conversion import Entry, convert_rows
from envplatform.swe.fixes.sources.json_rows import json_array_rows, json_line_rows
from envplatform.swe.fixes.sources.layouts import (
    LAYOUTS,
    Layout,
    Place,
    describe_layouts,
    detect_layout,
)
from envplatform.swe.fixes.sources.parquet_rows import parquet_columns, parquet_rows
from envplatform.swe.fixes.sources.rows import BrokenRow, Row

READING_REVISION = 1
"""Grows whenever the same files give other instances; part of every digest."""
_PEEKED_ROWS = 16
_PEEKED_ENTRIES = 10_000
"""Among so many there must be a row, broken ones counted."""

_Reader = Callable[[Path], Iterator[Row | BrokenRow]]
FileKind = Literal["parquet", "json lines", "json"]
_KINDS: tuple[tuple[str, FileKind], ...] = (
    (".parquet", "parquet"),
    (".jsonl", "json lines"),
    (".jsonl.gz", "json lines"),
    (".ndjson", "json lines"),
    (".json", "json"),
    (".json.gz", "json"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """Rows of files of one kind, read one after the other."""

    name: str
    paths: tuple[Path, ...]
    """At least one, in order, all of one kind."""
    layout: FixLayout = "auto"
    licence: str = ""
    """SPDX identifier for rows that name none."""

    def digest(self) -> str:
        """SHA-256 (hex) of the files' contents, their order, and the settings."""
        contents = [file_digest(path) for path in self.paths]
        return settings_digest(self.name, self.layout, self.licence, *contents)

    def read(self) -> Iterator[Entry]:
        """Yield each row of each file once; see `Source.read`."""
        kind = file_kind(self.paths[0])
        place = Place(source=self.name, licence=self.licence)
        if kind == "parquet":
            layout = self._parquet_layout()
            columns = layout.columns()
            rows = chain.from_iterable(parquet_rows(p, columns) for p in self.paths)
            yield from convert_rows(rows, layout, place)
            return
        reader = json_line_rows if kind == "json lines" else json_array_rows
        layout = self._json_layout(_chained(reader, self.paths))
        yield from convert_rows(_chained(reader, self.paths), layout, place)

    def _parquet_layout(self) -> Layout:
        """The layout of all files; each is opened, lest a broken one be found late."""
        columns = [parquet_columns(path) for path in self.paths]
        first = next(parquet_rows(self.paths[0], {"repo"}), None)
        layout = choose_layout(self.layout, self.paths[0], columns[0], first)
        for path, names in zip(self.paths, columns, strict=True):
            check_columns(layout, path, names)
        return layout

    def _json_layout(self, entries: Iterator[Row | BrokenRow]) -> Layout:
        """The layout of the first rows: objects need not name what they leave empty.

        Rows are read again afterwards: kept, sixteen of them might fill the memory.
        """
        columns: set[str] = set()
        first: Row | None = None
        fault = ""
        for entry in islice(_until_rows(entries), _PEEKED_ENTRIES):
            if isinstance(entry, BrokenRow):
                fault = fault or f"; where the first should be: {entry.detail}"
                continue
            columns.update(entry.fields)
            first = first or Row(
                where=entry.where, fields={"repo": entry.fields.get("repo")}
            )
        if first is None:
            msg = f"{self.paths[0]} has no rows{fault}"
            raise FixSourceError(msg)
        layout = choose_layout(self.layout, self.paths[0], columns, first)
        check_columns(layout, self.paths[0], columns)
        return layout


def _chained(reader: _Reader, paths: Iterable[Path]) -> Iterator[Row | BrokenRow]:
    return chain.from_iterable(reader(path) for path in paths)


def _until_rows(entries: Iterator[Row | BrokenRow]) -> Iterator[Row | BrokenRow]:
    """Yield entries until there are rows enough among them."""
    rows = 0
    while rows < _PEEKED_ROWS and (entry := next(entries, None)) is not None:
        rows += isinstance(entry, Row)
        yield entry


def choose_layout(
    wanted: FixLayout, path: Path, columns: Iterable[str], first: object
) -> Layout:
    """The layout that is wanted, or for `auto` the one that the columns show.

    Raises:
        FixSourceError: no layout has such columns, or the wanted one has no rows.
    """
    if wanted in LAYOUTS:
        return LAYOUTS[wanted]
    if wanted == "bugsinpy":
        msg = f"{path} is a file; layout bugsinpy is a folder with projects/*/bugs/*"
        raise FixSourceError(msg)
    names = frozenset(columns)
    repository = first.fields.get("repo") if isinstance(first, Row) else None
    layout = detect_layout(
        names, repository=repository if isinstance(repository, str) else ""
    )
    if layout is None:
        msg = (
            f"{path} is of no layout that is known: it has {_list(names)}. "
            f"Rename its columns to one of these:\n{describe_layouts()}"
        )
        raise FixSourceError(msg)
    return layout


def check_columns(layout: Layout, path: Path, columns: Iterable[str]) -> None:
    """See that all required columns are there.

    Raises:
        FixSourceError: names those that are missing.
    """
    names = frozenset(columns)
    if missing := layout.missing(names):
        msg = (
            f"{path} has no column {', '.join(missing)}, which layout {layout.name} "
            f"requires; it has {_list(names)}. State another layout, or leave it out"
        )
        raise FixSourceError(msg)


def file_kind(path: Path) -> FileKind | None:
    """How a file is to be read, by its suffix; None: not at all."""
    name = path.name.lower()
    return next((kind for suffix, kind in _KINDS if name.endswith(suffix)), None)


def data_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those of one kind, sorted: Parquet if there is any, else JSON Lines, else JSON."""
    files = sorted(paths)
    for wanted in ("parquet", "json lines", "json"):
        if chosen := tuple(path for path in files if file_kind(path) == wanted):
            return chosen
    return ()


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of the content.

    Raises:
        FixSourceError: the file is absent or can't be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        msg = f"{path} can't be read: {error.strerror or error}"
        raise FixSourceError(msg) from error


def settings_digest(*parts: str) -> str:
    """SHA-256 (hex) of texts in order, and of the revision of the readers."""
    text = json.dumps([READING_REVISION, *parts])
    return hashlib.sha256(text.encode()).hexdigest()


def _list(names: Iterable[str]) -> str:
    shown = [ascii(name)[1:-1][:60] for name in sorted(names)]
    return ", ".join(shown[:40]) or "no columns"
