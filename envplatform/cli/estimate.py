"""`envplatform estimate`: tokens, money, time and disk of a run, before there is one."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from envplatform.cli.estimating import Line, stored_line
from envplatform.cli.estimating_cowork import cowork_line
from envplatform.cli.find import OF_COWORK
from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, find_place
from envplatform.configuration import Configuration
from envplatform.graph import ASSETS
from envplatform.store import Store

_MEGA = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Sums of what is known."""

    partitions: int
    seconds: float
    bytes: int
    tokens: int
    usd: float
    left_out: tuple[str, ...]
    """Assets of which nothing is known, so that they are in none of these sums."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the configuration will cost from nothing; what is stored is not taken off."""

    assets: tuple[Line, ...]
    total: Total


def estimate(config: ConfigOption = None, *, as_json: Json = False) -> None:
    """Tell what the configuration will cost: tokens, money, time, disk, partitions."""
    with clear_errors(as_json=as_json):
        place = find_place(config)
        found = estimate_of(Store(place.home), place.configuration)
    answer(found, as_json=as_json, show=lambda console: _show(console, found))


def estimate_of(store: Store, configuration: Configuration) -> Estimate:
    """Return a line for every asset, in the order of the graph.

    Raises:
        StoreError: a table or the ledger is damaged.
    """
    lines = [
        cowork_line(store, configuration)
        if asset == OF_COWORK
        else stored_line(store, asset, configuration)
        for asset in ASSETS
    ]
    return Estimate(assets=tuple(lines), total=_total(lines))


def _total(lines: Sequence[Line]) -> Total:
    return Total(
        partitions=sum(one.partitions or 0 for one in lines),
        seconds=round(sum(one.seconds or 0 for one in lines), 1),
        bytes=sum(one.bytes or 0 for one in lines),
        tokens=sum(one.tokens or 0 for one in lines),
        usd=round(sum(one.usd or 0 for one in lines), 4),
        left_out=tuple(one.asset for one in lines if one.basis == "unknown"),
    )


def _show(console: Console, found: Estimate) -> None:
    table = Table(
        *("asset", "partitions", "rows", "time", "disk", "tokens", "USD"),
        show_footer=True,
    )
    known = [one for one in found.assets if one.basis != "unknown"]
    for one in known:
        table.add_row(
            one.asset,
            _count(one.partitions),
            _count(one.rows),
            _time(one.seconds),
            _disk(one.bytes),
            _count(one.tokens),
            "?" if one.usd is None else f"{one.usd:.2f}",
        )
    total = found.total
    cells = (
        *("total", str(total.partitions), "", _time(total.seconds)),
        *(_disk(total.bytes), str(total.tokens), f"{total.usd:.2f}"),
    )
    for column, cell in zip(table.columns, cells, strict=True):
        column.footer = cell
    table.columns[0].no_wrap = True
    console.print(table)
    for one in known:
        say(console, f"{one.asset}: {one.basis}: {one.source}")
    if total.left_out:
        say(console, f"not in the total, nothing is known: {', '.join(total.left_out)}")


def _count(count: int | None) -> str:
    return "?" if count is None else str(count)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _disk(size: int | None) -> str:
    return "?" if size is None else f"{size / _MEGA:.1f} MB"
