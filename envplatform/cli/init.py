"""`envplatform init`: write an envplatform.toml that explains itself.

`init target` writes a target.toml: `init_target`.
"""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from typer.core import TyperGroup

from envplatform.cli.init_target import init_target
from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.configuration import CONFIGURATION_FILE, parse_configuration
from envplatform.errors import ConfigError
from envplatform.swe.targets import builtin_targets

Profile = Literal["demo", "small", "paper"]
Experiment = Literal[
    "original_against_res",
    "single_against_multi_turn",
    "nll_rsr_random",
    "unseen_harness",
    "distillation",
    "repository_coverage",
    "rl_from_sft",
]
"""With arms, as they ship; each small on the CPU, and at the papers' scale."""
_HERE = "envplatform.toml"
"""What `init` writes where no subcommand is named; a folder may not be called so."""


class _Init(TyperGroup):
    """`init FOLDER` is `init envplatform.toml FOLDER`: what most people want."""

    def parse_args(  # type: ignore[override]  # the Context it names is private
        self, ctx: typer.Context, args: list[str]
    ) -> list[str]:
        """Put the usual subcommand before words that begin with none."""
        is_named = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if is_named else [_HERE, *args])


init_app = typer.Typer(
    cls=_Init, name="init", help="Write an envplatform.toml, or a target.toml."
)
init_app.command("target")(init_target)


@init_app.command(_HERE)
def init(
    folder: Annotated[Path, typer.Argument(help="Where to write it.")] = Path(),
    profile: Annotated[Profile, typer.Option(help="What to start from.")] = "demo",
    experiment: Annotated[
        Experiment | None,
        typer.Option(help="With arms: small on the CPU, or with --profile paper."),
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Write an envplatform.toml, never over another; `init target`: a target.toml."""
    with clear_errors(as_json=as_json):
        if experiment is None:
            path = write_profile(folder, profile).absolute()
        else:
            path = write_experiment(folder, experiment, profile).absolute()
    targets = builtin_targets()
    answer(
        {
            "file": path,
            "profile": profile,
            "experiment": experiment,
            "builtin_targets": targets,
        },
        as_json=as_json,
        show=lambda console: _show(
            console,
            path,
            f"experiment {experiment}" if experiment else f"profile {profile}",
            targets,
        ),
    )


def write_profile(folder: Path, profile: Profile) -> Path:
    """Write the profile's file into `folder` and return its path.

    Raises:
        ConfigError: a file is already there, or the folder can't be written.
    """
    data = files("envplatform").joinpath("data", "profiles", f"{profile}.toml")
    text = data.read_text(encoding="utf-8")
    return _write(folder, text, source=f"profile {profile}")


def write_experiment(folder: Path, experiment: Experiment, profile: Profile) -> Path:
    """Write an experiment's file into `folder` and return its path.

    At the papers' scale with the profile `paper`, else small.

    Raises:
        ConfigError: a file is already there, or the folder can't be written.
    """
    size = "paper" if profile == "paper" else "small"
    data = files("envplatform").joinpath("data", "experiments")
    parts = [
        data.joinpath(f"{name}.{size}.toml").read_text(encoding="utf-8")
        for name in ("head", experiment)
    ]
    return _write(folder, "".join(parts), source=f"experiment {experiment}, {size}")


def _write(folder: Path, text: str, *, source: str) -> Path:
    parse_configuration(text, source=source)
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


def _show(console: Console, path: Path, what: str, targets: tuple[str, ...]) -> None:
    say(console, f"wrote {path} ({what})")
    say(console, f"built-in targets: {', '.join(targets)}")
    say(console, "next: edit it, then `envplatform doctor`, then `envplatform demo`")
