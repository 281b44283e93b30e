"""The command line's table of contents: one command a file."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from envplatform import __version__
from envplatform.cli.compose import compose
from envplatform.cli.doctor import doctor
from envplatform.cli.estimate import estimate
from envplatform.cli.export import export
from envplatform.cli.export_merged import export_merged
from envplatform.cli.held_out import held_out
from envplatform.cli.import_ import import_
from envplatform.cli.init import init_app
from envplatform.cli.inspect import inspect
from envplatform.cli.mcp import mcp
from envplatform.cli.orchestrator import demo, ui
from envplatform.cli.output import CALLED_WRONGLY, print_json
from envplatform.cli.release import release_app
from envplatform.cli.review import review
from envplatform.cli.run import run
from envplatform.cli.shell import shell
from envplatform.cli.status import status
from envplatform.cli.trace import trace
from envplatform.cli.verify import verify
from envplatform.cli.why import why


class Commands(TyperGroup):
    """All commands; with `--json`, a wrong call is answered by an object too."""

    def main(  # type: ignore[override]  # keywords only, as its callers give them
        self,
        args: Sequence[str] | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401  passed on as they are
    ) -> Any:  # noqa: ANN401
        """Run a command and end the process, as a program of its own does."""
        words = sys.argv[1:] if args is None else list(args)
        if not standalone_mode or "--json" not in words:
            return super().main(args, standalone_mode=standalone_mode, **extra)
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except typer.TyperException as error:
            print_json({"error": "UsageError", "message": error.format_message()})
            code = CALLED_WRONGLY
        sys.exit(code if isinstance(code, int) else 0)


app = typer.Typer(
    cls=Commands,
    name="envplatform",
    help="Make, inspect and run executable environments for language-model agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (
    *(demo, ui, status, estimate, doctor),
    *(inspect, run, shell, mcp, verify, why, trace, compose, held_out),
):
    app.command()(command)
app.command("import")(import_)
app.command()(export)
app.command()(export_merged)
app.command()(review)
app.add_typer(init_app)
app.add_typer(release_app)


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
