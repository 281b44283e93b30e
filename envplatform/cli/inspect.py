"""`envplatform inspect ENV`: an environment as a person wants to see it."""

from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table

from envplatform.bundle import Environment, core_digest, environment_digest
from envplatform.cli.find import find_environment
from envplatform.cli.output import Json, answer, clear_errors
from envplatform.cli.place import ConfigOption, find_place
from envplatform.store import Store

Environment_ = Annotated[
    str, typer.Argument(help="A folder, or an id or digest (a unique start will do).")
]


def inspect(
    environment: Environment_,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Verify an environment's digest and show what it consists of."""
    with clear_errors(as_json=as_json):
        store = Store(find_place(config).home)
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
        "facts": dict(environment.core.facts),
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
    console.print(
        f"[bold]{environment.environment_id}[/]  verified: {summary['digest']}"
    )
    console.print(f"in {summary['folder']}", markup=False)
    for name, value in environment.core.facts.items():
        console.print(f"  {name}: {value}", markup=False)
    audit = Table("check", "status", "evidence")
    for check in environment.audit:
        audit.add_row(check.name, check.status, check.evidence)
    console.print(audit)
    console.print(
        f"{summary['workspace_files']} files for the agent, "
        f"{summary['hidden_test_files']} for the grader"
    )
    console.print(Panel(Markdown(environment.instruction), title="instruction.md"))
