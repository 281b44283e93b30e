"""The command line's table of contents: one command a file."""

from typing import Annotated

import typer

from envplatform import __version__
from envplatform.cli.doctor import doctor
from envplatform.cli.init import init
from envplatform.cli.inspect import inspect
from envplatform.cli.orchestrator import demo, ui
from envplatform.cli.run import run
from envplatform.cli.shell import shell
from envplatform.cli.status import status
from envplatform.cli.trace import trace
from envplatform.cli.verify import verify
from envplatform.cli.why import why

app = typer.Typer(
    name="envplatform",
    help="Make, inspect and run executable environments for language-model agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (
    *(demo, ui, init, status, doctor),
    *(inspect, run, shell, verify, why, trace),
):
    app.command()(command)


def _version(asked: bool) -> None:  # noqa: FBT001  typer calls it so
    if asked:
        typer.echo(f"envplatform {__version__}")
        raise typer.Exit


@app.callback()
def main(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print it."),
    ] = False,
) -> None:
    """Make, inspect and run executable environments for language-model agents."""
