"""`envplatform shell ENV`: work in an environment by hand, as an agent would.

One line at a time through the same interface an agent has; the working directory
carries over, shell variables don't. `:grade` hands the workspace to the verifier.
Where a user is inside, it takes part while a person types: sandboxes and user live in
a thread of their own, since waiting for a line stops this one.
"""

import shlex
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal
from rich.console import Console

from envplatform.cli.find import EnvironmentName, place_for
from envplatform.cli.machine import Opened, open_for_work
from envplatform.cli.output import (
    ANSWER_IS_NO,
    CALLED_WRONGLY,
    Json,
    Progress,
    clear_errors,
    print_json,
    say,
)
from envplatform.cli.place import ConfigOption, Place
from envplatform.cli.user_words import configured_wording
from envplatform.grading import Grading, final_workspace, grade, open_environment
from envplatform.grading.sessions import Opened as OpenEnvironment
from envplatform.rollout import UserSession, attended
from envplatform.sandbox.base import Sandbox

GRADE, LEAVE = ":grade", ":quit"
START = "/workspace"
_MARK = "\x1eenvplatform-cwd:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One line that was run."""

    line: str
    ending: str
    exit_code: int | None
    stdout: str
    stderr: str
    folder: str
    """The working directory afterwards."""

    @property
    def went_well(self) -> bool:
        """Whether it ended with exit code 0."""
        return self.exit_code == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One verdict of the verifier."""

    line: str
    grading: Grading

    @property
    def went_well(self) -> bool:
        """Whether the reward is full."""
        return self.grading.reward == 1


Done = Ran | Graded


def shell(
    environment: EnvironmentName,
    command: Annotated[
        list[str] | None,
        typer.Option(
            "--command", "-c", help="Run this line instead of asking; repeat."
        ),
    ] = None,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Run commands in an environment by hand; exit code 3 if the last one of -c failed."""
    console, done = Console(), list[Done]()

    def keep(one: Done) -> None:
        done.append(one)
        if not as_json:
            _show(console, one)

    with clear_errors(as_json=as_json):
        if as_json and command is None:
            print_json({"error": "UsageError", "message": "--json needs --command"})
            raise typer.Exit(CALLED_WRONGLY)
        place = place_for(config, environment)
        opened = open_for_work(place, environment, Progress())
        lines = _asked(opened) if command is None else command
        _converse(place, opened, lines, keep)
    if as_json:
        name = opened.environment.environment_id
        print_json({"environment_id": name, "done": done})
    if command and done and not done[-1].went_well:
        raise typer.Exit(ANSWER_IS_NO)


def _asked(opened: Opened) -> Iterator[str]:
    """Ask for lines until there are no more."""
    say(Console(), opened.environment.instruction)
    typer.echo(f"({GRADE} runs the verifier, {LEAVE} leaves)")
    while True:
        try:
            yield _prompt()
        except EOFError:
            return


def _prompt() -> str:
    return input(f"{START}$ ")


def _converse(
    place: Place, opened: Opened, lines: Iterable[str], keep: Callable[[Done], None]
) -> None:
    folder = START
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_session(place, opened)) as (session, user),
    ):
        for line in lines:
            if line.strip() == LEAVE:
                return
            if line.strip() == GRADE:
                grading = portal.call(_grade, opened, session)
                keep(Graded(line=line, grading=grading))
            else:
                ran = portal.call(_run, session.sandbox, line, folder)
                folder = ran.folder
                keep(ran)
            if user is not None:
                portal.call(user.check)


@asynccontextmanager
async def _session(
    place: Place, opened: Opened
) -> AsyncIterator[tuple[OpenEnvironment, UserSession | None]]:
    """Open the environment and have its user, if it has one, take part.

    Raises:
        SandboxError: a sandbox failed, or the user did.
    """
    opening = open_environment(opened.provider, opened.environment, image=opened.image)
    words = configured_wording(place, opened.environment)
    async with words as wording, opening as session, attended(session, wording) as user:
        yield session, user


async def _grade(opened: Opened, session: OpenEnvironment) -> Grading:
    workspace = await final_workspace(session.sandbox, opened.environment)
    served = await session.broker.peek() if session.broker else None
    grading = await grade(
        opened.provider,
        opened.environment,
        workspace,
        image=opened.image,
        served=served,
    )
    # The log may quote hidden tests, and who works here plays the agent.
    return replace(grading, log="")


async def _run(sandbox: Sandbox, line: str, folder: str) -> Ran:
    """Run one line in `folder`."""
    script = (
        f"cd {shlex.quote(folder)} 2>/dev/null\n{line}\n"
        f"_s=$?; printf '{_MARK}%s' \"$PWD\"; exit $_s"
    )
    result = await sandbox.exec(["bash", "-c", script])
    said, mark, ended_in = result.stdout.decode("utf-8", "replace").rpartition(_MARK)
    return Ran(
        line=line,
        ending=result.ending,
        exit_code=result.exit_code,
        stdout=said if mark else ended_in,  # without: the line itself left the shell
        stderr=result.stderr.decode("utf-8", "replace"),
        folder=ended_in if mark else folder,
    )


def _show(console: Console, done: Done) -> None:
    if isinstance(done, Graded):
        grading = done.grading
        scores = ", ".join(
            f"{name} {one:g}" for name, one in grading.components.items()
        )
        said = scores or f"{grading.failure}: {grading.detail}"
        say(console, f"reward {grading.reward} ({said})")
        return
    say(console, done.stdout, end="")
    say(console, done.stderr, end="")
    if done.ending != "exited":
        say(console, f"({done.ending})")
    elif done.exit_code:
        say(console, f"(exit code {done.exit_code})")
