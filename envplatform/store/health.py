"""Looking after a store: what is damaged, what is left over, what is there at all."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from envplatform.errors import StoreError
from envplatform.store.directories import SEAL, Directories, seal_of
from envplatform.store.failures import failures
from envplatform.store.files import LOCK, UNFINISHED, locked, sha256_of
from envplatform.store.manifest import read_manifest
from envplatform.store.tables import MANIFEST_FILE, Tables, children, unreferenced

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something stored that is not what its digest says."""

    path: Path
    message: str
    """What is wrong and what to do, one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetStatus:
    """How much of an asset is stored. Zeros if it was never materialised."""

    partitions: int
    """Tables; 1 for an unpartitioned asset."""
    rows: int
    bytes: int
    """Of data files; directories that rows point to are not counted."""
    failed_partitions: tuple[str, ...]
    """Sorted; the empty name stands for an unpartitioned asset."""
    updated: datetime | None
    """The latest table's date."""


def asset_status(tables: Tables, asset: str) -> AssetStatus:
    """Sum up one asset."""
    manifests = tables.manifests(asset)
    failed = {failure.partition or "" for failure in failures(tables.root, asset)}
    dates = [manifest.created.astimezone(UTC) for manifest in manifests]
    return AssetStatus(
        partitions=len(manifests),
        rows=sum(manifest.rows for manifest in manifests),
        bytes=sum(manifest.bytes for manifest in manifests),
        failed_partitions=tuple(sorted(failed)),
        updated=max(dates, default=None),
    )


def table_problems(tables: Tables) -> Iterator[Problem]:
    """Digest every data file again. Yields nothing for a healthy store."""
    for asset in children(tables.root):
        for folder in children(asset):
            problem = _table_problem(folder)
            # No lock: a writer may hold it for hours. What it replaced is looked at anew.
            for _ in range(_ATTEMPTS):
                again = problem and _table_problem(folder)
                if again == problem:
                    break
                problem = again
            if problem:
                yield problem


def _table_problem(folder: Path) -> Problem | None:
    path = folder / MANIFEST_FILE
    try:
        manifest = read_manifest(path)
    except StoreError as error:
        return Problem(path=path, message=str(error))
    if manifest is None:
        return None
    data = folder / manifest.data_file
    try:
        intact = sha256_of(data) == manifest.file_sha256
    except OSError:
        message = "the data file is missing: materialise the asset again"
    else:
        if intact:
            return None
        message = "the data file is damaged: materialise the asset again"
    return Problem(path=data, message=message)


def directory_problems(directories: Directories) -> Iterator[Problem]:
    """Seal every directory again and compare."""
    for kind in children(directories.root):
        for folder in children(kind):
            seal = folder.with_name(folder.name + SEAL)
            try:
                intact = seal.read_text(encoding="ascii") == seal_of(folder)
            except (OSError, StoreError, UnicodeDecodeError):
                intact = False
            if not intact:
                message = "the directory is damaged: delete it and materialise again"
                yield Problem(path=folder, message=message)


def sweep_tables(tables: Tables) -> Iterator[Path]:
    """Delete data files that no manifest names, unless the manifest is unreadable."""
    for asset in children(tables.root):
        for folder in children(asset):
            with locked(folder):
                try:
                    manifest = read_manifest(folder / MANIFEST_FILE)
                except StoreError:
                    continue  # `verify` reports it; its data may still be wanted
                for path in unreferenced(folder, manifest):
                    path.unlink()
                    yield path


def sweep_staging(staging: Path) -> Iterator[Path]:
    """Delete half-copied directories; waits until no writer is copying."""
    if staging.is_dir():
        with locked(staging):
            for path in sorted(staging.iterdir()):
                if path.name != LOCK:
                    shutil.rmtree(path)
                    yield path


def sweep_results(results: Path) -> Iterator[Path]:
    """Delete half-written results; waits for each stage's writers."""
    for stage in children(results):
        with locked(stage):
            for path in sorted(stage.rglob(f".*{UNFINISHED}")):
                path.unlink()
                yield path
