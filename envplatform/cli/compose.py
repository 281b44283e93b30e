"""`envplatform compose --from ID --to DIR`: a bug, a user inside, and levels of depth."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envplatform.bundle import CheckResult, environment_digest, write_environment
from envplatform.cli.composing import Composer, Level, Refused
from envplatform.cli.find import place_for
from envplatform.cli.machine import Opened, open_for_work
from envplatform.cli.output import (
    ANSWER_IS_NO,
    Json,
    Progress,
    answer,
    clear_errors,
    say,
)
from envplatform.cli.place import ConfigOption
from envplatform.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One level, as it was written."""

    level: int
    environment_id: str
    digest: str
    folder: Path
    operators: tuple[str, ...]
    """That made it; empty of the root."""
    reads: int
    """Requests that give the oracle its evidence."""
    chain: int
    """The longest chain of requests of which one needs the other's answer."""
    checks: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """What came of it."""

    made_from: str
    """Digest."""
    accepted: bool
    levels: tuple[Written, ...]
    refused: str
    """Which level was refused, by which check and why; empty where none was."""


def compose(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="Environment of code, or of Cowork: a folder, or an id or digest.",
        ),
    ],
    to: Annotated[
        Path, typer.Option(help="New folder; each level goes below it, by its id.")
    ],
    depth: Annotated[
        int, typer.Option(min=0, max=10, help="Levels below the root.")
    ] = 3,
    seed: Annotated[
        int, typer.Option(min=0, help="Decides what is drawn, and how it is shown.")
    ] = 0,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Put a colleague around a bug and grow the result deeper; exit code 3 if refused."""
    with clear_errors(as_json=as_json):
        if to.exists():
            msg = f"--to {to} is there already; name a folder that is not"
            raise ConfigError(msg)
        told = Progress()
        opened = open_for_work(place_for(config, source), source, told)
        composed = asyncio.run(_composed(opened, to.absolute(), depth, seed, told))
    answer(composed, as_json=as_json, show=lambda console: _show(console, composed))
    if not composed.accepted:
        raise typer.Exit(ANSWER_IS_NO)


async def _composed(
    opened: Opened, to: Path, depth: int, seed: int, told: Progress
) -> Composed:
    composer = Composer(provider=opened.provider, image=opened.image, told=told)
    levels: list[Written] = []
    refused = ""
    made = composer.levels(opened.environment, depth=depth, seed=seed)
    async with aclosing(made) as each:
        async for level in each:
            if isinstance(level, Refused):
                refused = f"level {level.number}: {level.why}"
            else:
                levels.append(_write(level, to))
    return Composed(
        made_from=environment_digest(opened.environment),
        accepted=not refused,
        levels=tuple(levels),
        refused=refused,
    )


def _write(level: Level, to: Path) -> Written:
    made = level.environment
    folder = to / made.environment_id
    return Written(
        level=level.number,
        environment_id=made.environment_id,
        digest=write_environment(made, folder),
        folder=folder,
        operators=made.lineage.plan if level.number else (),
        reads=level.measures.reads,
        chain=level.measures.chain,
        checks=made.audit,
    )


def _show(console: Console, composed: Composed) -> None:
    for one in composed.levels:
        say(console, f"level {one.level}", "bold", end="  ")
        say(console, f"{one.digest[:12]}  {one.environment_id}")
        how = f", made by {', '.join(one.operators)}" if one.operators else ""
        say(console, f"  {one.reads} reads, chain {one.chain}{how}")
        for check in one.checks:
            say(console, f"  {check.name} {check.status}: {check.evidence}")
        say(console, f"  {one.folder}")
    if composed.refused:
        say(console, "refused", "bold red", end=" ")
        say(console, composed.refused)
