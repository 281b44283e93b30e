"""How commands answer: one JSON object with `--json`, else something for a person.

Errors go to standard error as one message that says what to do; exit code 1 means
the command could not do its work, 2 that it was called wrongly, 3 that it did its
work and the answer is no (a patch that is no bug, a doctor with findings).
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from envplatform.errors import EnvPlatformError

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of a table.")
]
FAILED, ANSWER_IS_NO = 1, 3


def plain(value: object) -> object:
    """Turn dataclasses, tuples and paths into what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


def answer(value: object, *, as_json: bool, show: Callable[[Console], None]) -> None:
    """Print `value` as JSON on standard output, or let `show` draw it."""
    if as_json:
        typer.echo(json.dumps(plain(value), indent=2, ensure_ascii=False))
    else:
        show(Console())


@contextmanager
def clear_errors(*, as_json: bool) -> Iterator[None]:
    """Turn every error raised on purpose into one message and exit code 1."""
    try:
        yield
    except EnvPlatformError as error:
        if as_json:
            value: dict[str, Any] = {
                "error": type(error).__name__,
                "message": str(error),
            }
            typer.echo(json.dumps(value, ensure_ascii=False))
        else:
            Console(stderr=True).print(f"[bold red]{type(error).__name__}[/]", end=" ")
            Console(stderr=True, markup=False, highlight=False).print(str(error))
        raise typer.Exit(FAILED) from error


def progress_bar() -> Progress:
    """A progress bar on standard error, so that standard output stays parseable."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
