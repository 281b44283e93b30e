"""`envplatform inspect NAME`: an environment or a trajectory as a person wants it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from envplatform.bundle import Environment, core_digest, environment_digest
from envplatform.cli.find import find_environment, place_for
from envplatform.cli.output import Json, answer, clear_errors, harmless, say
from envplatform.cli.place import ConfigOption, find_place
from envplatform.cli.trajectory_view import (
    find_trajectory,
    is_trajectory,
    show_trajectory,
)
from envplatform.store import Store

EnvironmentOrTrajectory = Annotated[
    str,
    typer.Argument(
        help="A folder, an id or digest of an environment, or a trajectory's id "
        "(a unique start will do)."
    ),
]


def inspect(
    name: EnvironmentOrTrajectory,
    config: ConfigOption = None,
    *,
    whole: Annotated[
        bool, typer.Option("--whole", help="Show long texts of a trajectory uncut.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Verify an environment and show what it is, or read a trajectory turn by turn."""
    if is_trajectory(name):
        _inspect_trajectory(name, config, whole=whole, as_json=as_json)
    else:
        _inspect_environment(name, config, as_json=as_json)


def _inspect_trajectory(
    name: str, config: Path | None, *, whole: bool, as_json: bool
) -> None:
    with clear_errors(as_json=as_json):
        batch, found = find_trajectory(Store(find_place(config).home), name)
    answer(
        found,
        as_json=as_json,
        show=lambda console: show_trajectory(console, batch, found, whole=whole),
    )


def _inspect_environment(
    environment: str, config: Path | None, *, as_json: bool
) -> None:
    with clear_errors(as_json=as_json):
        store = Store(place_for(config, environment).home)
        found, folder = find_environment(store, environment)
        summary = {"folder": folder.absolute(), **summarise(found)}
    answer(
        summary,
        as_json=as_json,
        show=lambda console: _show(console, found, summary),
    )


def summarise(environment: Environment) -> dict[str, object]:
    """Everything about an environment but its files' contents."""
    return {
        "environment_id": environment.environment_id,
        "digest": environment_digest(environment),
        "core_digest": core_digest(environment.core),
        "pillar": environment.pillar,
        "image": environment.image,
        "criteria": environment.criteria,
        "facts": environment.core.facts,
        "lineage": environment.lineage,
        "allowance": environment.allowance,
        "audit": environment.audit,
        "workspace_files": len(environment.workspace),
        "hidden_test_files": len(environment.tests),
        "instruction": environment.instruction,
    }


def _show(
    console: Console, environment: Environment, summary: dict[str, object]
) -> None:
    say(console, environment.environment_id, "bold")
    say(console, f"digest {summary['digest']}, as stated in {summary['folder']}")
    for name, value in environment.core.facts.items():
        lines = value.splitlines()
        shown = value if len(lines) == 1 else f"{len(lines)} lines, {lines[:1]} first"
        say(console, f"  {name}: {shown}")
    audit = Table("check", "status", "evidence")
    for check in environment.audit:
        cells = (check.name, check.status, check.evidence)
        audit.add_row(*(Text(harmless(cell)) for cell in cells))
    console.print(audit)
    say(
        console,
        f"{summary['workspace_files']} files for the agent, "
        f"{summary['hidden_test_files']} for the grader",
    )
    text = Markdown(harmless(environment.instruction), hyperlinks=False)
    console.print(Panel(text, title="instruction.md"))
