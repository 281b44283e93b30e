"""`Store`: everything that outlives a run, below one folder of the local disk.

    tables/<asset>/<partition>/   manifest.json, <sha256>.parquet, failure.json
    directories/<kind>/<digest>/  content-addressed trees
    results/<stage>/              results of single pieces of work
    cache/<name>/                 downloads; may be deleted at any time

This class only joins the parts beside it. It creates nothing until it is written to,
knows no asset by name and imports no orchestrator.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from envplatform.store import health
from envplatform.store.directories import Directories
from envplatform.store.failures import Failure, clear_failure, failures, record_failure
from envplatform.store.health import AssetStatus, Problem
from envplatform.store.manifest import Manifest, Origin
from envplatform.store.names import encode_name
from envplatform.store.query import query
from envplatform.store.results import ResultCache
from envplatform.store.tables import Tables
from envplatform.store.values import Plain

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Store:
    """Tables, directories, results and downloads below `home`.

    Any number of processes may use one home; two that write the same partition take
    turns, and the later one stays.
    """

    home: Path

    def write_rows(
        self,
        asset: str,
        rows: Iterable[object],
        *,
        row_type: type[Any],
        origin: Origin | Callable[[], Origin],
        partition: str | None = None,
        part_by: str = "",
    ) -> Manifest:
        """Replace a table by `rows`, in order, possibly none; clears its failure.

        Args:
            asset: the asset's name.
            rows: values of exactly `row_type`. Consumed once and written as they
                come: a generator of any length needs no more memory than a portion.
            row_type: a frozen dataclass; `store/shapes.py` says of what.
            origin: what the manifest keeps besides the rows; a function is asked for
                it after the last row.
            partition: any text; None for an unpartitioned asset.
            part_by: a text field. Rows of one value are a part, with a digest of its
                own, that can be read alone; sort by it, so that this is quick.

        Raises:
            StoreError: a row does not fit; names asset, row and field. Nothing changed.
        """
        return self._tables.write(
            asset,
            rows,
            row_type=row_type,
            origin=origin,
            partition=partition,
            part_by=part_by,
        )

    def rows(
        self,
        row_type: type[Row],
        asset: str,
        partition: str | None = None,
        *,
        digest: str | None = None,
    ) -> list[Row]:
        """Read one table, in the order it was written.

        Args:
            row_type: what was written; fields added since take their defaults.
            asset: the asset's name.
            partition: None for an unpartitioned asset.
            digest: if given, the version that is expected.

        Raises:
            StoreError: nothing stored, another row type, another version than
                expected, or damage.
        """
        return list(self.scan(row_type, asset, partition, digest=digest))

    def scan(
        self,
        row_type: type[Row],
        asset: str,
        partition: str | None = None,
        *,
        digest: str | None = None,
        part: str | None = None,
    ) -> Iterator[Row]:
        """Read one table row by row, without holding it; its version is fixed at first.

        A `row_type` with `VIEW_OF` reads only its own columns. With `part`, only its
        rows are read, and `digest` is that of the part.

        Raises:
            StoreError: as `rows`, at the first row.
        """
        return self._tables.read(row_type, asset, partition, digest=digest, part=part)

    def all_rows(self, row_type: type[Row], asset: str) -> list[Row]:
        """Read all tables of an asset, by partition; empty if there is none.

        Raises:
            StoreError: as `rows`.
        """
        return [
            row
            for manifest in self.manifests(asset)
            for row in self.rows(row_type, asset, manifest.partition)
        ]

    def manifest(self, asset: str, partition: str | None = None) -> Manifest | None:
        """The current version of a table; None if nothing is stored.

        Raises:
            StoreError: the manifest is damaged or of a later format.
        """
        return self._tables.manifest(asset, partition)

    def manifests(self, asset: str) -> tuple[Manifest, ...]:
        """The current versions of all tables of an asset, by partition."""
        return self._tables.manifests(asset)

    def assets(self) -> tuple[str, ...]:
        """Names of the assets that have a table, sorted."""
        return self._tables.assets()

    def is_complete(self, manifest: Manifest) -> bool:
        """Whether the table's data file is there in full size; cheap."""
        return self._tables.is_complete(manifest)

    def sql(self, text: str) -> list[dict[str, Plain]]:
        """Run one SQL query over views named as the assets; rows by column name.

        Each view has the column `partition_key` beside the fields of its row type.
        Lone surrogates inside lists and structs stay escaped as `values.escape` does.

        Raises:
            StoreError: the query is wrong; the message lists the assets with rows.
        """
        return query(self._tables, text)

    def record_failure(self, failure: Failure) -> None:
        """Keep why a partition could not be produced, until it is written."""
        record_failure(self._tables.root, failure)

    def clear_failure(self, asset: str, partition: str | None = None) -> None:
        """Forget why a partition failed, as what is stored serves after all."""
        clear_failure(self._tables.root, asset, partition)

    def failures(self, asset: str) -> tuple[Failure, ...]:
        """Failures that no success has followed, by file name of the partition."""
        return tuple(failures(self._tables.root, asset))

    def status(self, assets: Iterable[str]) -> Mapping[str, AssetStatus]:
        """Sum up the given assets, zeros for those never materialised."""
        return {name: health.asset_status(self._tables, name) for name in assets}

    def put_directory(self, kind: str, digest: str, source: Path) -> Path:
        """Keep a copy of the directory `source`; returns where it lies.

        If the digest is there already, also by another writer meanwhile, that one
        stays. `digest` is the caller's own and is not checked against the content.

        Raises:
            StoreError: `source` is no directory, or holds links or devices.
        """
        return self._directories.put(kind, digest, source)

    def directory(self, kind: str, digest: str) -> Path:
        """Where a stored directory lies; never write below it.

        Raises:
            StoreError: none with this digest is stored.
        """
        return self._directories.get(kind, digest)

    def results(self, stage: str) -> ResultCache:
        """The result cache of one stage."""
        return ResultCache(self.home / "results" / encode_name(stage))

    def cache_folder(self, name: str) -> Path:
        """A folder for downloads, created; its content may vanish between runs."""
        folder = self.home / "cache" / encode_name(name)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def verify(self) -> tuple[Problem, ...]:
        """Digest all that is stored again; empty if all is well. Reads every byte."""
        return (
            *health.table_problems(self._tables),
            *health.directory_problems(self._directories),
        )

    def sweep_orphans(self) -> tuple[Path, ...]:
        """Delete what killed processes left behind; returns the paths."""
        return (
            *health.sweep_tables(self._tables),
            *health.sweep_staging(self._staging),
            *health.sweep_results(self.home / "results"),
        )

    @property
    def _tables(self) -> Tables:
        return Tables(self.home / "tables")

    @property
    def _directories(self) -> Directories:
        return Directories(self.home / "directories", self._staging)

    @property
    def _staging(self) -> Path:
        return self.home / "staging"
