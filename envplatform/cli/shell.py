"""`envplatform shell ENV`: work in an environment by hand, as an agent would.

One line at a time through the same interface an agent has; the working directory
carries over, shell variables don't. `:grade` hands the workspace to the verifier.
"""

import asyncio
import shlex
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.inspect import Environment_
from envplatform.cli.machine import Opened, open_for_work
from envplatform.cli.output import clear_errors
from envplatform.cli.place import ConfigOption, find_place
from envplatform.grading import final_workspace, grade, open_environment
from envplatform.sandbox.base import Sandbox

_MARK = "\x1eenvplatform-cwd:"
GRADE, LEAVE = ":grade", ":quit"


def shell(
    environment: Environment_,
    command: Annotated[
        list[str] | None,
        typer.Option(
            "--command", "-c", help="Run this line instead of asking; repeat."
        ),
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Open an environment and run commands in it by hand."""
    with clear_errors(as_json=False):
        opened = open_for_work(find_place(config), environment)
        asyncio.run(_session(opened, _lines(command, opened)))


def _lines(commands: list[str] | None, opened: Opened) -> Iterator[str]:
    if commands is not None:
        yield from commands
        return
    typer.echo(opened.environment.instruction)
    typer.echo(f"({GRADE} runs the verifier, {LEAVE} leaves)")
    while True:
        try:
            yield input("/workspace$ ")
        except EOFError:
            return


async def _session(opened: Opened, lines: Iterator[str]) -> None:
    console = Console(markup=False, highlight=False)
    cwd = "/workspace"
    async with open_environment(
        opened.provider, opened.environment, image=opened.image
    ) as sandbox:
        for line in lines:
            if line.strip() == LEAVE:
                return
            if line.strip() == GRADE:
                await _grade(console, opened, sandbox)
            else:
                cwd = await _run(console, sandbox, line, cwd)


async def _grade(console: Console, opened: Opened, sandbox: Sandbox) -> None:
    workspace = await final_workspace(sandbox, opened.environment)
    grading = await grade(
        opened.provider, opened.environment, workspace, image=opened.image
    )
    console.print(
        f"reward {grading.reward} {dict(grading.components)} {grading.detail}"
    )


async def _run(console: Console, sandbox: Sandbox, line: str, cwd: str) -> str:
    """Run one line in `cwd`; returns the directory it ended in."""
    script = f"cd {shlex.quote(cwd)} 2>/dev/null\n{line}\n_s=$?; printf '{_MARK}%s' \"$PWD\"; exit $_s"
    result = await sandbox.exec(["bash", "-c", script])
    text, _, ended_in = result.stdout.decode("utf-8", "replace").rpartition(_MARK)
    if not _:  # the line itself left the shell
        text, ended_in = ended_in, cwd
    console.print(text, end="")
    console.print(result.stderr.decode("utf-8", "replace"), end="")
    if result.ending != "exited":
        console.print(f"({result.ending})")
    elif result.exit_code:
        console.print(f"(exit code {result.exit_code})")
    return ended_in
