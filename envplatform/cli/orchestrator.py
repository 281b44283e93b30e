"""`envplatform demo` and `ui`: start Dagster, in a process of its own.

The library does not import the orchestrator; these commands only know how it is
started, and read the store afterwards.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import ENVIRONMENTS
from envplatform.cli.output import FAILED, Json, answer, clear_errors
from envplatform.cli.place import ConfigOption, Place, find_place
from envplatform.configuration import HOME_VARIABLE
from envplatform.errors import ConfigError
from envplatform.graph import ASSETS
from envplatform.store import Store, status_json

CONFIG_VARIABLE = "ENVPLATFORM_CONFIG"


def demo(config: ConfigOption = None, *, as_json: Json = False) -> None:
    """Materialise the graph for every configured target, then sum up."""
    with clear_errors(as_json=as_json):
        place = find_place(config)
        code = subprocess.call(
            [sys.executable, "-m", "assets.run"],
            env=_environment(place),
            cwd=_checkout(),
            stdout=sys.stderr,
        )
        store = Store(place.home)
        status = status_json(store.status(ASSETS), place.home)
        rows = store.all_rows(EnvironmentRow, ENVIRONMENTS)
    answer(status, as_json=as_json, show=lambda console: _sum_up(console, rows, place))
    if code:
        raise typer.Exit(FAILED)


def ui(
    port: Annotated[int, typer.Option(help="Of the web server.")] = 3000,
    config: ConfigOption = None,
) -> None:
    """Open the Dagster UI; Ctrl-C ends it."""
    with clear_errors(as_json=False):
        place = find_place(config)
        checkout = _checkout()
        (place.home / "dagster").mkdir(parents=True, exist_ok=True)
    code = subprocess.call(
        [sys.executable, "-m", "assets.serve", "--port", str(port)],
        env=_environment(place),
        cwd=checkout,
    )
    raise typer.Exit(code)


def _checkout() -> Path:
    """Folder of the Dagster project.

    Raises:
        ConfigError: only the library is installed.
    """
    found = find_spec("assets")
    folder = Path(found.origin).parents[1] if found and found.origin else None
    if folder is None or not (folder / "dagster.yaml").is_file():
        msg = "the Dagster project is not here; run this from a checkout of envplatform"
        raise ConfigError(msg)
    return folder


def _environment(place: Place) -> dict[str, str]:
    environment = {**os.environ, HOME_VARIABLE: str(place.home)}
    if place.file.is_file():
        environment[CONFIG_VARIABLE] = str(place.file)
    return environment


def _sum_up(console: Console, rows: list[EnvironmentRow], place: Place) -> None:
    table = Table("repository", "environments", "operators", "tests broken", "s each")
    for name in sorted({row.repository for row in rows}):
        mine = [row for row in rows if row.repository == name]
        table.add_row(
            name,
            str(len(mine)),
            str(len({row.operator for row in mine})),
            f"{sum(row.fail_to_pass for row in mine) / len(mine):.1f} on average",
            f"{sum(row.seconds for row in mine) / len(mine):.1f}",
        )
    console.print(table)
    console.print(
        f"{len(rows)} proven environments: the oracle scores 1 and doing nothing 0, "
        "each in a clean sandbox."
    )
    console.print(f"Kept in {place.home}", markup=False)
    if rows:
        console.print(f"  envplatform inspect {rows[0].environment_id}", markup=False)
        console.print(f"  envplatform run {rows[0].environment_id}", markup=False)
    console.print("  make ui      # the same in the Dagster UI, http://127.0.0.1:3000")
