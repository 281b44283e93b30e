"""Hashes of a benchmark of the user's own, whatever its rows are called.

Every text of a row counts; those in columns that end in `patch` are read as diffs. A
patch that is no diff is hashed as the text that it is, and named.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from envplatform.errors import ConfigError, FixSourceError, PatchError
from envplatform.release.held_out import patch_grams, text_grams
from envplatform.swe.fixes.curation.hashes import HeldOutSet, repository_hash
from envplatform.swe.fixes.sources.files import file_kind
from envplatform.swe.fixes.sources.json_rows import json_array_rows, json_line_rows
from envplatform.swe.fixes.sources.parquet_rows import parquet_columns, parquet_rows
from envplatform.swe.fixes.sources.rows import BrokenRow, Row

_REPOSITORIES = ("repo", "repository")
_IDS = ("instance_id", "task_id", "id", "name")
_TEXTS = frozenset({".md", ".txt", ".rst"})
_PATCHES = frozenset({".patch", ".diff"})
_MOST_BYTES = 16 * 2**20


@dataclass(slots=True, kw_only=True)
class Hashed:
    """What was hashed, and what could not be; grows while it is under way."""

    rows: int = 0
    repositories: set[str] = field(default_factory=set)
    grams: set[int] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    """Rows or files whose patch is no diff: its words are held out, its lines are not."""
    broken: list[str] = field(default_factory=list)
    """Places at which no row could be read: they are not held out."""


def hash_texts(source: Path) -> Hashed:
    """Hash a Parquet, JSON or JSONL file, a text, a diff, or a folder of these.

    Raises:
        ConfigError: there is nothing in it to hash.
        FixSourceError: a file can't be opened.
    """
    found = Hashed()
    for path in _files(source):
        kind = path.suffix.lower()
        if kind in _TEXTS or kind in _PATCHES:
            _take_file(found, path, is_patch=kind in _PATCHES)
        else:
            for row in _rows(path):
                _take_row(found, row)
    if not found.rows:
        why = f"; {found.broken[0]}" if found.broken else ""
        msg = f"{source} holds no row and no text that could be hashed{why}"
        raise ConfigError(msg)
    return found


def as_set(found: Hashed, name: str) -> HeldOutSet:
    """Return what is written to a file."""
    return HeldOutSet(
        name=name,
        repositories=frozenset(found.repositories),
        ngrams=frozenset(found.grams),
    )


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    if not source.is_dir():
        msg = f"{source} does not exist"
        raise ConfigError(msg)
    return sorted(
        path
        for path in source.rglob("*")
        if path.is_file() and not path.is_symlink() and _is_known(path)
    )


def _is_known(path: Path) -> bool:
    return (
        file_kind(path) is not None
        or path.suffix.lower() in _TEXTS
        or path.suffix.lower() in _PATCHES
    )


def _rows(path: Path) -> Iterator[Row | BrokenRow]:
    kind = file_kind(path)
    if kind == "parquet":
        yield from parquet_rows(path, frozenset(parquet_columns(path)))
    elif kind == "json lines":
        yield from json_line_rows(path)
    elif kind == "json":
        yield from json_array_rows(path)
    else:
        msg = (
            f"{path}: expected a .parquet, .json, .jsonl, .md, .txt, .rst, .patch or "
            ".diff file, or a folder of these"
        )
        raise FixSourceError(msg)


def _take_file(found: Hashed, path: Path, *, is_patch: bool) -> None:
    if path.stat().st_size > _MOST_BYTES:
        found.broken.append(f"{path}: over {_MOST_BYTES:,} bytes")
        return
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    found.rows += 1
    _take(found, text, is_patch=is_patch, name=str(path))


def _take_row(found: Hashed, row: Row | BrokenRow) -> None:
    if isinstance(row, BrokenRow):
        found.broken.append(f"{row.where}: {row.detail}")
        return
    found.rows += 1
    name = next(
        (str(row.fields[key]) for key in _IDS if row.fields.get(key)), row.where
    )
    for column, value in row.fields.items():
        if column in _REPOSITORIES and isinstance(value, str) and value:
            found.repositories.add(repository_hash(value))
        for text in _texts(value):
            _take(found, text, is_patch=column.endswith("patch"), name=name)


def _texts(value: object) -> Iterable[str]:
    """Texts of a field: itself, or those of the turns of a conversation."""
    waiting, found = [value], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return found


def _take(found: Hashed, text: str, *, is_patch: bool, name: str) -> None:
    if is_patch and text:
        try:
            found.grams |= patch_grams(text)
        except PatchError:
            found.unread.append(name)
        else:
            return
    found.grams |= text_grams(text)
