"""The status object that scripts rely on, as JSON values. Layout only, no counting."""

from collections.abc import Mapping
from pathlib import Path

from envplatform.store.health import AssetStatus
from envplatform.store.values import Plain


def status_json(assets: Mapping[str, AssetStatus], home: Path) -> dict[str, Plain]:
    """Return the object behind `envplatform status --json`.

    `updated` is an ISO 8601 date in UTC, or null where nothing is stored.
    """
    return {
        "assets": {
            name: {
                "partitions": status.partitions,
                "rows": status.rows,
                "bytes": status.bytes,
                "failed_partitions": list(status.failed_partitions),
                "updated": status.updated and status.updated.isoformat(),
            }
            for name, status in assets.items()
        },
        "home": str(home),
    }
