"""How commands answer: one JSON object with `--json`, else something for a person.

Errors are one message that says what to do: on standard error, or with `--json` as an
object on standard output. Exit code 1 means that the command could not do its work, 2
that it was called wrongly, 3 that it did its work and the answer is no (a patch that
is no bug, a doctor with findings, a reward below 1). Progress is on standard error.

What is printed may come from the code under test or a stranger's bundle: nothing of
it reaches a terminal as markup or as a control sequence.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from envplatform.errors import EnvPlatformError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of a table.")
]
FAILED, CALLED_WRONGLY, ANSWER_IS_NO = 1, 2, 3

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that turn the text around."""


def plain(value: object) -> object:
    """Turn dataclasses, mappings, sequences and paths into what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(fields_of(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def fields_of(value: "DataclassInstance") -> dict[str, object]:
    """Fields of a dataclass by name, in their order."""
    return {one.name: getattr(value, one.name) for one in fields(value)}


def harmless(text: str) -> str:
    """Show control characters and undecodable bytes as escapes, keep the rest."""
    printable = _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return printable.encode("utf-8", "backslashreplace").decode("utf-8")


def say(console: Console, text: str, style: str = "", *, end: str = "\n") -> None:
    """Print text of whatever origin as it is, its lines unbroken."""
    console.print(Text(harmless(text), style), soft_wrap=True, end=end)


def answer(value: object, *, as_json: bool, show: Callable[[Console], None]) -> None:
    """Print `value` as JSON on standard output, or let `show` draw it."""
    if as_json:
        print_json(value)
    else:
        show(Console())


def print_json(value: object) -> None:
    """Print one object, in ASCII: any bytes survive, on any terminal."""
    typer.echo(json.dumps(plain(value), indent=2))


@contextmanager
def clear_errors(*, as_json: bool) -> Iterator[None]:
    """Turn errors raised on purpose, or by the disk, into one message and exit code 1."""
    try:
        yield
    except (EnvPlatformError, OSError) as error:
        name = type(error).__name__
        if as_json:
            print_json({"error": name, "message": str(error)})
        else:
            console = Console(stderr=True)
            say(console, name, "bold red", end=" ")
            say(console, str(error))
        raise typer.Exit(FAILED) from error


class Progress:
    """Lines on standard error that say what long work is at, and since when."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __call__(self, line: str) -> None:
        """Print one line."""
        seconds = time.monotonic() - self._began
        typer.echo(f"{seconds:6.1f} s  {harmless(line)}", err=True)
