"""Gated environments in the store: kept by digest, read back verified.

Here: where they lie. Not here: what may be kept (`gate`), rows about them (the tables).
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from envplatform.bundle import Environment, read_environment, write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import StoreError
from envplatform.store import Store

DIRECTORY_KIND = "environments"
"""Under which the store keeps environments by digest."""


async def keep_environment(store: Store, environment: Environment) -> str:
    """Write `environment`, audit included, into the store; return its digest.

    Raises:
        BundleError: it is inconsistent.
    """
    return await asyncio.to_thread(_keep, store, environment)


def kept_environment(store: Store, row: EnvironmentRow) -> Environment:
    """Read the environment that a row names, and verify it.

    Raises:
        StoreError: it is not in the store any more.
        BundleError: it is not what its digest says.
    """
    folder = store.directory(DIRECTORY_KIND, row.digest)
    return read_environment(folder, digest=row.digest)


def lost(store: Store, rows: Iterable[EnvironmentRow]) -> tuple[EnvironmentRow, ...]:
    """Return the rows whose environment is not in the store."""
    return tuple(row for row in rows if not is_kept(store, row))


def is_kept(store: Store, row: EnvironmentRow) -> bool:
    """Whether the environment of a row is in the store."""
    try:
        store.directory(DIRECTORY_KIND, row.digest)
    except StoreError:
        return False
    return True


def _keep(store: Store, environment: Environment) -> str:
    with TemporaryDirectory(prefix="envplatform-") as scratch:
        folder = Path(scratch) / "environment"
        digest = write_environment(environment, folder)
        store.put_directory(DIRECTORY_KIND, digest, folder)
    return digest
