"""`envplatform demo` and `ui`: start Dagster, in a process of its own.

The library does not import the orchestrator; these commands only know how it is
started, and read the store afterwards.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import is_level, stored_rows
from envplatform.cli.output import (
    FAILED,
    Json,
    answer,
    clear_errors,
    print_json,
    say,
)
from envplatform.cli.place import ConfigOption, Place, find_place
from envplatform.configuration import (
    CONFIG_VARIABLE,
    CONFIGURATION_FILE,
    HOME_VARIABLE,
)
from envplatform.errors import ConfigError
from envplatform.graph import ASSETS
from envplatform.store import Store, status_json

_STANDARD_ERROR = 2
_LEAVE_S = 60.0
"""How long the Dagster project may take to record what is done after Ctrl-C."""


def demo(config: ConfigOption = None, *, as_json: Json = False) -> None:
    """Materialise the graph for every configured target, then sum up."""
    with clear_errors(as_json=as_json):
        place = find_place(config)
        code = _start(place, _ready(place), "assets.run")
        store = Store(place.home)
        status = status_json(store.status(ASSETS), place.home)
        rows = list(stored_rows(store))
    answer(status, as_json=as_json, show=lambda console: _sum_up(console, rows, place))
    if code:
        raise typer.Exit(FAILED)


def ui(
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Of the web server.")
    ] = 3000,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Open the Dagster UI; Ctrl-C ends it. With --json, says first where it will be."""
    with clear_errors(as_json=as_json):
        place = find_place(config)
        checkout = _ready(place)
        if as_json:
            print_json({"url": f"http://127.0.0.1:{port}", "home": place.home})
            sys.stdout.flush()
        code = _start(place, checkout, "assets.serve", "--port", str(port))
    raise typer.Exit(FAILED if code else 0)


def _ready(place: Place) -> Path:
    """Return the folder of the Dagster project, if it can be started.

    Raises:
        ConfigError: there is no project, or no configuration for it.
    """
    checkout = _checkout()
    if place.file is None:
        msg = (
            f"there is no {CONFIGURATION_FILE} in {Path.cwd()} or above; go to your "
            "checkout, name the file with --config, or write one: `envplatform init`"
        )
        raise ConfigError(msg)
    return checkout


def _start(place: Place, checkout: Path, module: str, *arguments: str) -> int:
    """Run a module of the Dagster project to its end; what it prints is progress.

    SIGTERM is passed on, since it comes to us alone. Ctrl-C came to both.

    Raises:
        KeyboardInterrupt: on Ctrl-C, after the module has ended.
    """
    places = {HOME_VARIABLE: str(place.home), CONFIG_VARIABLE: str(place.file)}
    command: Sequence[str] = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        command, env={**os.environ, **places}, cwd=checkout, stdout=_STANDARD_ERROR
    ) as process:
        before = signal.signal(
            signal.SIGTERM, lambda number, _: process.send_signal(number)
        )
        try:
            return process.wait()
        except KeyboardInterrupt:
            _see_out(process)
            raise
        finally:
            signal.signal(signal.SIGTERM, before)


def _see_out(process: subprocess.Popen[bytes]) -> None:
    """Let it record what is done; end it if it did not hear or takes too long."""
    try:
        process.wait(_LEAVE_S)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


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


def _sum_up(console: Console, rows: list[EnvironmentRow], place: Place) -> None:
    table = Table("repository", "environments", "operators", "tests broken", "s each")
    for name in sorted({row.repository for row in rows} - {""}):
        mine = [row for row in rows if row.repository == name]
        table.add_row(
            name,
            str(len(mine)),
            str(len({row.operator for row in mine})),
            f"{sum(row.fail_to_pass for row in mine) / len(mine):.1f} on average",
            f"{sum(row.seconds for row in mine) / len(mine):.1f}",
        )
    if table.rows:
        console.print(table)
    for line in _supervision(Store(place.home)):
        say(console, line)
    say(console, f"{len(rows)} proven environments, kept in {place.home}")
    seeds = [
        row.candidate_id
        for row in rows
        if not (row.repository or row.family or is_level(row))
    ]
    if seeds:
        say(console, f"of them seeds, tasks over workspaces: {', '.join(seeds)}")
    program = _program()
    if rows:
        name = rows[0].environment_id
        say(console, "In each the oracle scores 1 and doing nothing 0. Look at one:")
        say(console, f"  {program} inspect {name}")
        say(console, f"  {program} run {name}")
    say(console, f"  {program} ui      # all of it in the Dagster UI")


def _supervision(store: Store) -> Iterator[str]:
    """What came of the fixes; nothing if none are configured."""
    corpus = store.manifest("fix_corpus")
    training = store.manifest("bug_training_set")
    if corpus and training:
        rows, repositories = training.rows, training.facts.get("repositories", 0)
        yield (
            f"{corpus.rows} published fixes gave {rows} rows of supervision from "
            f"{repositories} repositories (bug_training_set)"
        )


def _program() -> str:
    """How to call us: as we were called, if that was by the command's name."""
    called = sys.argv[0]
    return called if Path(called).name == "envplatform" else "envplatform"
