"""`envplatform init`: write an envplatform.toml that explains itself."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.configuration import CONFIGURATION_FILE, parse_configuration
from envplatform.errors import ConfigError
from envplatform.swe.targets import builtin_targets

Profile = Literal["demo", "small", "paper"]


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write it.")] = Path(),
    profile: Annotated[Profile, typer.Option(help="What to start from.")] = "demo",
    *,
    as_json: Json = False,
) -> None:
    """Write an envplatform.toml; an existing one is never overwritten."""
    with clear_errors(as_json=as_json):
        path = write_profile(folder, profile).absolute()
    targets = builtin_targets()
    answer(
        {"file": path, "profile": profile, "builtin_targets": targets},
        as_json=as_json,
        show=lambda console: _show(console, path, profile, targets),
    )


def write_profile(folder: Path, profile: Profile) -> Path:
    """Write the profile's file into `folder` and return its path.

    Raises:
        ConfigError: a file is already there, or the folder can't be written.
    """
    data = files("envplatform").joinpath("data", "profiles", f"{profile}.toml")
    text = data.read_text(encoding="utf-8")
    parse_configuration(text, source=f"profile {profile}")
    path = folder / CONFIGURATION_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        msg = f"{error.filename or path} exists; edit it, or remove it first"
        raise ConfigError(msg) from error
    except OSError as error:
        msg = f"{path} can't be written: {error}"
        raise ConfigError(msg) from error
    return path


def _show(console: Console, path: Path, profile: str, targets: tuple[str, ...]) -> None:
    say(console, f"wrote {path} (profile {profile})")
    say(console, f"built-in targets: {', '.join(targets)}")
    say(console, "next: edit it, then `envplatform doctor`, then `envplatform demo`")
