"""Where a command works: the configuration file, the home folder, the store in it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from envplatform.configuration import (
    CONFIGURATION_FILE,
    Configuration,
    home_folder,
    load_configuration,
)

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Path of envplatform.toml; else the nearest one above this folder.",
        dir_okay=False,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What `envplatform.toml` and the environment say about where things are."""

    file: Path
    """The configuration file; it need not exist."""
    home: Path
    configuration: Configuration


def find_place(config: Path | None, *, folder: Path | None = None) -> Place:
    """Find the configuration: the option, else the nearest file at or above `folder`.

    Without any file the defaults hold and the home lies in `folder`.

    Raises:
        ConfigError: the file is wrong, or the one named is missing.
    """
    start = (folder or Path.cwd()).absolute()
    file = config.absolute() if config else _nearest(start)
    if file is None:
        file = start / CONFIGURATION_FILE
        configuration = Configuration()
    else:
        configuration = load_configuration(file)
    home = home_folder(os.environ, checkout=file.parent)
    return Place(file=file, home=home, configuration=configuration)


def _nearest(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if (folder / CONFIGURATION_FILE).is_file():
            return folder / CONFIGURATION_FILE
    return None
