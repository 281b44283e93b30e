"""`envplatform status`: what is stored, asset by asset."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, find_place
from envplatform.graph import ASSETS
from envplatform.store import AssetStatus, Store, status_json

_KILO = 1000


def status(config: ConfigOption = None, *, as_json: Json = False) -> None:
    """Count partitions, rows and bytes of every asset, and name what failed."""
    with clear_errors(as_json=as_json):
        store = Store(find_place(config).home)
        assets = store.status(ASSETS)
        reasons = [
            f"{name} {failure.partition or ''}: {failure.message}"
            for name in ASSETS
            for failure in store.failures(name)
        ]
    answer(
        status_json(assets, store.home),
        as_json=as_json,
        show=lambda console: _show(console, assets, reasons, store.home),
    )


def _show(
    console: Console,
    assets: Mapping[str, AssetStatus],
    reasons: list[str],
    home: Path,
) -> None:
    table = Table("asset", "partitions", "rows", "size", "failed", "updated")
    for name, one in assets.items():
        table.add_row(
            name,
            str(one.partitions),
            str(one.rows),
            _size(one.bytes),
            str(len(one.failed_partitions) or "-"),
            f"{one.updated:%Y-%m-%d %H:%M} UTC" if one.updated else "never",
        )
    console.print(table)
    for reason in reasons:
        say(console, f"failed: {reason}", "red")
    say(console, f"in {home}")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < _KILO:
            return f"{size:.0f} {unit}"
        size /= _KILO
    return f"{size:.1f} GB"
