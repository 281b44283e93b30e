"""Tables on disk: one immutable data file and one manifest, its only pointer.

`tables/<asset>/<partition>/manifest.json` names `<sha256>.parquet` beside it. A crash
leaves the previous or the next version. Writers of one partition take turns; writers
of different ones never meet; readers take no lock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from envplatform.store.parquet import read_parquet, write_parquet
from envplatform.store.shapes import Record, record_of
from envplatform.store.values import Plain, decode, digest_rows, encode

MANIFEST_FILE = "manifest.json"
_READ_ATTEMPTS = 10

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables below one folder."""

    root: Path

    def write(
        self,
        asset: str,
        rows: Sequence[object],
        *,
        row_type: type[Any],
        origin: Origin,
        partition: str | None,
    ) -> Manifest:
        """Replace a table; see `Store.write_rows`."""
        record = record_of(row_type)
        label = asset if partition is None else f"{asset}[{partition}]"
        plain = [
            encode(row, record, f"{label}, row {number}")
            for number, row in enumerate(rows)
        ]
        folder = self.folder(asset, partition)
        with locked(folder):
            data = _write_data(folder, plain, record)
            manifest = Manifest(
                format_version=FORMAT_VERSION,
                asset=asset,
                partition=partition,
                row_type=record.name,
                schema_version=record.version,
                rows=len(plain),
                bytes=data.stat().st_size,
                digest=digest_rows(plain, record),
                file_sha256=data.stem,
                recipe=origin.recipe,
                cost=origin.cost,
                created=origin.created,
                run_id=origin.run_id,
                notes=origin.notes,
                facts=dict(origin.facts),
                markdown=dict(origin.markdown),
            )
            write_atomically(folder / MANIFEST_FILE, to_json(manifest))
            (folder / FAILURE_FILE).unlink(missing_ok=True)
            for leftover in unreferenced(folder, manifest):
                leftover.unlink()
        return manifest

    def read(
        self, row_type: type[Row], asset: str, partition: str | None, digest: str | None
    ) -> list[Row]:
        """Read a table; see `Store.rows`."""
        record = record_of(row_type)
        for _ in range(_READ_ATTEMPTS):
            manifest = self.manifest(asset, partition)
            if manifest is None:
                where = "" if partition is None else f" partition {partition!r} of"
                msg = f"nothing stored for{where} asset {asset!r}: materialise it first"
                raise StoreError(msg)
            if digest is not None and manifest.digest != digest:
                msg = f"{asset!r} changed while it was being read; run again"
                raise StoreError(msg)
            path = self.data_path(manifest)
            try:
                plain = read_parquet(path, record)
            except FileNotFoundError:
                continue  # superseded between the two reads, or lost for good
            return [
                cast("Row", decode(row, record, f"{path}, row {number}"))
                for number, row in enumerate(plain)
            ]
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


def _write_data(
    folder: Path, plain: Sequence[dict[str, Plain]], record: Record
) -> Path:
    beside = folder / f".data{UNFINISHED}"
    write_parquet(plain, record, beside)
    sync(beside)
    final = folder / f"{sha256_of(beside)}.parquet"
    beside.replace(final)
    return final
