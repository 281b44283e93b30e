"""`envplatform inspect ENV`: an environment as a person wants to see it."""

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from envplatform.bundle import Environment, core_digest, environment_digest
from envplatform.cli.find import EnvironmentName, find_environment, place_for
from envplatform.cli.output import Json, answer, clear_errors, harmless, say
from envplatform.cli.place import ConfigOption
from envplatform.store import Store


def inspect(
    environment: EnvironmentName,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Verify an environment's digest and show what it consists of."""
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
