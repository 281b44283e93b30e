"""One file of a source to what is kept of it, or to why nothing is. Pure."""

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

from envplatform.cowork.library.cells import Cell, Cells, csv_cells, json_cells
from envplatform.cowork.library.columns import NULL_WORDS, measured, type_of
from envplatform.cowork.library.resource import ColumnRow, Kind
from envplatform.cowork.library.specification import FileRule, Limits
from envplatform.cowork.library.text import Fault, Text, decode, hostile, unpacked

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("csv", "tsv", "json"), "table"),
    **dict.fromkeys(("txt", "md", "rst", "ics"), "document"),
    **dict.fromkeys(("py", "pyi", "js", "ts", "toml", "cfg", "sql", "sh"), "code"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file as the library keeps it."""

    kind: Kind
    content: bytes
    rows: int
    encoding: str
    source_digest: str
    rows_read: int
    stride: int = 1
    columns: tuple[ColumnRow, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the content."""
        return hashlib.sha256(self.content).hexdigest()


def read_file(
    path: str, data: bytes, rule: FileRule | None, limits: Limits
) -> Kept | Fault:
    """Unpack, decode and normalise one file.

    Args:
        path: in the source; its suffix decides the kind unless `rule` does.
        data: as it came.
        rule: what the source's list says of it.
        limits: what is too much.
    """
    opened = unpacked(path, data, limits.file_bytes)
    if isinstance(opened, Fault):
        return opened
    name, inner = opened
    suffix = name.rpartition(".")[2].lower()
    kind = (rule and rule.kind) or _KINDS.get(suffix)
    if kind is None:
        return Fault("no_such_kind", f".{suffix} is no table, document or code")
    text = decode(inner)
    if isinstance(text, Fault):
        return text
    source_digest = hashlib.sha256(data).hexdigest()
    if kind == "table":
        return _table(suffix, text, source_digest, limits)
    return _text(kind, text, source_digest, rule.text_field if rule else "")


def write_csv(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bytes:
    """Return a table as the library keeps it; no value is an empty cell."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell or "" for cell in row] for row in rows)
    return out.getvalue().encode()


def _table(suffix: str, text: Text, source_digest: str, limits: Limits) -> Kept | Fault:
    cells = (
        json_cells(text.text, limit=limits.rows, columns=limits.columns)
        if suffix == "json"
        else csv_cells(
            text.text,
            tabs=suffix == "tsv",
            limit=limits.rows,
            columns=limits.columns,
        )
    )
    if isinstance(cells, Fault):
        return cells
    values = list(zip(*cells.rows, strict=True))
    types = [type_of(column) for column in values]
    clean = [
        tuple(None if cell in NULL_WORDS else cell for cell in column)
        if kind != "text"
        else column
        for kind, column in zip(types, values, strict=True)
    ]
    words = sum(
        cell in NULL_WORDS
        for kind, column in zip(types, values, strict=True)
        if kind != "text"
        for cell in column
    )
    return Kept(
        kind="table",
        content=write_csv(cells.header, list(zip(*clean, strict=True))),
        rows=len(cells.rows),
        encoding=text.encoding,
        source_digest=source_digest,
        rows_read=cells.rows_read,
        stride=cells.stride,
        columns=tuple(map(measured, cells.header, types, clean)),
        notes=_notes(cells, words),
    )


def _notes(cells: Cells, words: int) -> tuple[str, ...]:
    facts = (
        (cells.stride > 1, f"one row in {cells.stride} is kept"),
        (cells.formulas, f"{cells.formulas} formulas have an apostrophe before them"),
        (cells.renamed, f"{cells.renamed} columns were renamed"),
        (words, f"{words} cells that say there is no value were emptied"),
    )
    return tuple(note for holds, note in facts if holds)


def _text(kind: Kind, text: Text, source_digest: str, text_field: str) -> Kept | Fault:
    body = _field(text.text, text_field) if text_field else text.text
    if isinstance(body, Fault):
        return body
    plain = body.replace("\r\n", "\n").replace("\r", "\n")
    lines = plain.count("\n") + (not plain.endswith("\n"))
    changed = plain != body
    return Kept(
        kind=kind,
        content=plain.encode(),
        rows=lines,
        rows_read=lines,
        encoding=text.encoding,
        source_digest=source_digest,
        notes=("line ends were made those of Unix",) if changed else (),
    )


def _field(text: str, name: str) -> str | Fault:
    try:
        value = json.loads(text)[name]
    except (ValueError, KeyError, TypeError, RecursionError):
        return Fault("malformed", f"is no JSON object with a field {name}")
    if not isinstance(value, str) or not value.strip():
        return Fault("empty", f"its field {name} holds no text")
    return hostile(value) or value
