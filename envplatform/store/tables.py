"""Tables on disk: one immutable data file and one manifest, its only pointer.

`tables/<asset>/<partition>/manifest.json` names `<sha256>.parquet` beside it. A crash
leaves the previous or the next version. Writers of one partition take turns; writers
of different ones never meet; readers take no lock.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

from envplatform.errors import StoreError
from envplatform.store.failures import FAILURE_FILE
from envplatform.store.files import (
    UNFINISHED,
    locked,
    sha256_of,
    sync,
    write_atomically,
)
from envplatform.store.manifest import (
    FORMAT_VERSION,
    Manifest,
    Origin,
    read_manifest,
    to_json,
)
from envplatform.store.names import encode_name, encode_partition
from envplatform.store.parquet import ParquetRows, Where, read_parquet
from envplatform.store.shapes import Record, Scalar, record_of
from envplatform.store.values import (
    Plain,
    RowsDigest,
    decode,
    encode,
    text_size,
    unescape,
)

MANIFEST_FILE = "manifest.json"
_READ_ATTEMPTS = 10
_PORTION_ROWS = 10_000
_PORTION_CHARACTERS = 16_000_000

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables below one folder."""

    root: Path

    def write(
        self,
        asset: str,
        rows: Iterable[object],
        *,
        row_type: type[Any],
        origin: Origin | Callable[[], Origin],
        partition: str | None,
        part_by: str = "",
    ) -> Manifest:
        """Replace a table; see `Store.write_rows`."""
        record = record_of(row_type)
        if record.is_view:
            msg = f"{record.name} is a view of {record.stored_as}: write those rows"
            raise StoreError(msg)
        _check_part_by(part_by, record)
        label = asset if partition is None else f"{asset}[{partition}]"
        folder = self.folder(asset, partition)
        with locked(folder):
            data = _write_data(folder, _plain(rows, record, label), record, part_by)
            made = origin() if callable(origin) else origin
            manifest = Manifest(
                format_version=FORMAT_VERSION,
                asset=asset,
                partition=partition,
                row_type=record.name,
                schema_version=record.version,
                rows=data.rows,
                bytes=data.path.stat().st_size,
                digest=data.digest,
                file_sha256=data.path.stem,
                recipe=made.recipe,
                cost=made.cost,
                created=made.created,
                run_id=made.run_id,
                notes=made.notes,
                facts=dict(made.facts),
                markdown=dict(made.markdown),
                part_by=part_by,
                parts=data.parts,
                earlier=made.earlier,
            )
            write_atomically(folder / MANIFEST_FILE, to_json(manifest))
            (folder / FAILURE_FILE).unlink(missing_ok=True)
            for leftover in unreferenced(folder, manifest):
                leftover.unlink()
        return manifest

    def read(
        self,
        row_type: type[Row],
        asset: str,
        partition: str | None,
        *,
        digest: str | None,
        part: str | None = None,
    ) -> Iterator[Row]:
        """Read a table row by row; see `Store.scan`."""
        record = record_of(row_type)
        path, plain = self._open(record, asset, partition, digest=digest, part=part)
        for number, row in enumerate(plain):
            yield cast("Row", decode(row, record, f"{path}, row {number}"))

    def _open(
        self,
        record: Record,
        asset: str,
        partition: str | None,
        *,
        digest: str | None,
        part: str | None,
    ) -> tuple[Path, Iterator[dict[str, Plain]]]:
        """The data file of the current version, open: deleting it harms no more."""
        for _ in range(_READ_ATTEMPTS):
            manifest = self.manifest(asset, partition)
            if manifest is None:
                of = "" if partition is None else f" partition {partition!r} of"
                msg = f"nothing stored for{of} asset {asset!r}: materialise it first"
                raise StoreError(msg)
            found = manifest.digest if part is None else manifest.parts.get(part)
            if digest is not None and found != digest:
                msg = f"{asset!r} changed while it was being read; run again"
                raise StoreError(msg)
            path = self.data_path(manifest)
            where = None if part is None else Where(_part_by(manifest), part)
            plain = read_parquet(path, record, where=where)
            try:
                first = next(plain, None)
            except FileNotFoundError:
                continue  # superseded between the two reads, or lost for good
            return path, chain(() if first is None else (first,), plain)
        msg = f"the data file of {asset!r}, {partition!r} is missing: materialise again"
        raise StoreError(msg)

    def manifest(self, asset: str, partition: str | None) -> Manifest | None:
        """The current version of a table, None if there is none."""
        return read_manifest(self.folder(asset, partition) / MANIFEST_FILE)

    def manifests(self, asset: str) -> tuple[Manifest, ...]:
        """The current versions of an asset's tables, by partition."""
        found = (
            read_manifest(path / MANIFEST_FILE)
            for path in children(self.root / encode_name(asset))
        )
        present = [manifest for manifest in found if manifest is not None]
        return tuple(sorted(present, key=lambda each: each.partition or ""))

    def assets(self) -> tuple[str, ...]:
        """Names of assets with at least one table, sorted."""
        names = set()
        for folder in children(self.root):
            for table in children(folder):
                manifest = read_manifest(table / MANIFEST_FILE)
                if manifest is not None:
                    names.add(manifest.asset)
                    break
        return tuple(sorted(names))

    def folder(self, asset: str, partition: str | None) -> Path:
        """Where a table lies or would lie."""
        return self.root / encode_name(asset) / encode_partition(partition)

    def data_path(self, manifest: Manifest) -> Path:
        """The data file that a manifest names."""
        return self.folder(manifest.asset, manifest.partition) / manifest.data_file

    def is_complete(self, manifest: Manifest) -> bool:
        """Whether the data file is there in its full size; `verify` looks inside."""
        try:
            return self.data_path(manifest).stat().st_size == manifest.bytes
        except FileNotFoundError:
            return False


def children(folder: Path) -> Iterator[Path]:
    """Sub-folders in order of name, none if `folder` is missing."""
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.is_dir())


def unreferenced(folder: Path, manifest: Manifest | None) -> list[Path]:
    """Files that no version needs. Only true while the folder's lock is held."""
    keep = None if manifest is None else manifest.data_file
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix == UNFINISHED
        or (path.suffix == ".parquet" and path.name != keep)
    )


def _check_part_by(part_by: str, record: Record) -> None:
    shapes = {member.name: member.shape for member in record.members}
    shape = shapes.get(part_by)
    if part_by and not (isinstance(shape, Scalar) and shape.kind is str):
        msg = f"part_by: {part_by!r} is no text field of {record.name}"
        raise StoreError(msg)


def _part_by(manifest: Manifest) -> str:
    if not manifest.part_by:
        msg = f"{manifest.asset!r} is not divided into parts"
        raise StoreError(msg)
    return manifest.part_by


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """A data file in its place, not yet pointed to."""

    path: Path
    rows: int
    digest: str
    parts: dict[str, str]


def _write_data(
    folder: Path, rows: Iterator[dict[str, Plain]], record: Record, part_by: str
) -> _Data:
    beside = folder / f".data{UNFINISHED}"
    digest, parts, count = RowsDigest(record), dict[str, RowsDigest](), 0
    file = ParquetRows(record, beside)
    try:
        for portion in _portions(rows):
            for row in portion:
                digest.add(row)
                if part_by:
                    part = unescape(row[part_by])
                    parts.setdefault(part, RowsDigest(record)).add(row)
            count += len(portion)
            file.add(portion)
        file.close()
    except BaseException:
        beside.unlink()
        raise
    sync(beside)
    final = folder / f"{sha256_of(beside)}.parquet"
    beside.replace(final)
    digests = {part: each.hex for part, each in parts.items()}
    return _Data(path=final, rows=count, digest=digest.hex, parts=digests)


def _plain(
    rows: Iterable[object], record: Record, label: str
) -> Iterator[dict[str, Plain]]:
    for number, row in enumerate(rows):
        yield encode(row, record, f"{label}, row {number}")


def _portions(rows: Iterator[dict[str, Plain]]) -> Iterator[list[dict[str, Plain]]]:
    """Group rows by size, so that a table may exceed the memory."""
    portion: list[dict[str, Plain]] = []
    size = 0
    for row in rows:
        portion.append(row)
        size += text_size(row)
        if size >= _PORTION_CHARACTERS or len(portion) >= _PORTION_ROWS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
