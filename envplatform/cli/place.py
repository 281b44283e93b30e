"""Where a command works: the configuration file, the home folder, the store in it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from envplatform.configuration import (
    CONFIG_VARIABLE,
    CONFIGURATION_FILE,
    HOME_VARIABLE,
    Configuration,
    home_folder,
    load_configuration,
)
from envplatform.errors import ConfigError

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        envvar=CONFIG_VARIABLE,
        help="Path of envplatform.toml; else the nearest one above this folder.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What `envplatform.toml` and the environment say about where things are."""

    file: Path | None
    """The configuration file; None: there is none, and the defaults hold."""
    home: Path
    configuration: Configuration


def find_place(config: Path | None) -> Place:
    """Find the project: the file named, else the nearest one at or above this folder.

    Without any file the defaults hold, if $ENVPLATFORM_HOME says where the store is.

    Raises:
        ConfigError: the file is wrong, or nothing says where the store is.
    """
    place = find_any_place(config)
    if place.file is None and not os.environ.get(HOME_VARIABLE):
        msg = (
            f"neither {Path.cwd()} nor a folder above it holds {CONFIGURATION_FILE}, "
            f"and {HOME_VARIABLE} is not set: go to your checkout, name the file with "
            "--config, or write one with `envplatform init`"
        )
        raise ConfigError(msg)
    return place


def find_any_place(config: Path | None) -> Place:
    """Like `find_place`, for commands that need no project: downloads go to a cache.

    Raises:
        ConfigError: the file is wrong.
    """
    file = config.absolute() if config else _nearest(Path.cwd())
    if file is not None:
        return Place(
            file=file,
            home=home_folder(os.environ, checkout=file.parent),
            configuration=load_configuration(file),
        )
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    chosen = os.environ.get(HOME_VARIABLE)
    home = Path(chosen).absolute() if chosen else caches / "envplatform"
    return Place(file=None, home=home, configuration=Configuration())


def _nearest(start: Path) -> Path | None:
    candidates = (folder / CONFIGURATION_FILE for folder in (start, *start.parents))
    return next((file for file in candidates if file.is_file()), None)
