"""What is kept beside the tables of assets: environments, and rows that are in none."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from assets.batch import Batch
from envplatform.bundle.row import EnvironmentRow
from envplatform.grading.kept import lost
from envplatform.store import Manifest, Origin, Store


def environments_are_kept(store: Store, manifest: Manifest) -> bool:
    """Whether every environment that a table names is in the store."""
    rows = store.rows(EnvironmentRow, manifest.asset, manifest.partition)
    return not lost(store, rows)


def keep_aside(
    batch: Batch[Any],
    table: str,
    name: str | None,
    rows: Sequence[object],
    *,
    row_type: type[Any],
) -> None:
    """Keep what is no part of an asset, so that `envplatform why` can answer."""
    origin = Origin(created=datetime.now(UTC))
    batch.store.write_rows(
        table, rows, row_type=row_type, partition=name, origin=origin
    )
