"""What the pages say exists, exists: commands, options, TOML, files, links."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import typer
from rich.text import Text
from typer.core import TyperGroup

from envplatform.cli.main import app
from envplatform.configuration import parse_configuration
from envplatform.swe.fixes import refusal
from envplatform.swe.fixes.bug_type import BUG_TYPES
from envplatform.swe.inducers.mined.library_file import parse_library
from envplatform.swe.targets import parse_target
from envplatform.workspace import builtin_seeds
from envplatform.ws.manifest import VIEW_KINDS
from envplatform.ws.operations import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
)
_COMMAND = re.compile(
    r"`(envplatform [a-z][^`]*)`|^(envplatform [a-z].*)$", re.MULTILINE
)
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TABLES = ("[image]", "[[services]]", "[suite]")
_TARGET = """
name = "owner__name"
license = "MIT"
python = ["3.9"]
requirements = ["pytest==8.4.2", "coverage==7.10.7"]
source = { kind = "path", path = "." }
code = { roots = ["name"] }
"""
"""What stands around a table that a page shows by itself."""
_FILE = re.compile(
    r"`((?:(?:assets|benchmarks|envplatform|scripts)/|tests/\w+/test_)[\w/.-]+\.\w+)`"
)
"""`tests` and `docs` are folders of environments too."""
_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


DEFAULT = "envplatform.toml"
"""Sub-command of `init` that is meant where none is named."""


def commands() -> Iterator[tuple[str, str]]:
    """Yield page name and command line of everything shown."""
    for page in PAGES:
        for inline, block in _COMMAND.findall(page.read_text(encoding="utf-8")):
            yield page.name, (inline or block)


@pytest.mark.parametrize(("page", "line"), sorted(set(commands())))
def test_a_command_takes_what_the_page_shows(page: str, line: str) -> None:
    """Every subcommand and option is one that the command line knows."""
    words = shlex.split(line, comments=True)[1:]
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup), page
    assert words[0] in group.commands, page
    command, arguments = group.commands[words[0]], words[1:]
    if (
        isinstance(command, TyperGroup)
        and arguments
        and arguments[0] in command.commands
    ):
        command, arguments = command.commands[arguments[0]], arguments[1:]
    elif isinstance(command, TyperGroup) and DEFAULT in command.commands:
        command = command.commands[DEFAULT]
    options = {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    used = {argument for argument in arguments if argument.startswith("-")}
    assert used <= options, page


def helps() -> Iterator[tuple[str, str]]:
    """Yield the words of each command, with every text that its help has."""
    waiting = [("envplatform", typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        for one in (command, *command.params):
            yield words, getattr(one, "help", None) or ""
        if isinstance(command, TyperGroup):
            waiting += [(f"{words} {k}", one) for k, one in command.commands.items()]


def test_help_loses_no_word_to_markup() -> None:
    """What stands in brackets would be taken for a style, and be gone."""
    told = list(helps())
    assert len(told) > 100
    lost = [one for one in told if Text.from_markup(one[1]).plain != one[1]]
    assert lost == []


def test_pages_show_commands_at_all() -> None:
    """The pattern above finds something, else it would prove nothing."""
    assert len(set(commands())) > 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_toml_blocks_are_valid(page: Path) -> None:
    """A block is an envplatform.toml, a target.toml or a table of one, or patterns."""
    for block in _TOML.findall(page.read_text(encoding="utf-8")):
        if "[[pattern]]" in block:
            parse_library(block, source=page.name)
        elif "[source]" in block:
            parse_target(block, source=page.name, folder=page.parent)
        elif block.startswith(_TABLES):
            text = f"{_TARGET}\n{block}"
            parse_target(text, source=page.name, folder=page.parent)
        else:
            parse_configuration(block, source=page.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links name files of the repository."""
    for link, _ in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_ours_that_are_named_exist(page: Path) -> None:
    """A page of the repository says where something is."""
    named = set(_FILE.findall(page.read_text(encoding="utf-8")))
    assert [one for one in sorted(named) if not (ROOT / one).exists()] == []


@pytest.mark.parametrize(
    "table",
    [refusal.QUARANTINE, refusal.REFUSALS, refusal.REJECTIONS, BUG_TYPES],
    ids=["quarantine", "refusals", "rejections", "bug types"],
)
def test_the_page_on_fixes_lists_every_code(table: Mapping[str, str]) -> None:
    """With the meaning that the code itself gives."""
    text = (ROOT / "docs" / "fixes.md").read_text(encoding="utf-8")
    missing = [row for row in table.items() if f"| `{row[0]}` | {row[1]} |" not in text]
    assert missing == []


def test_the_page_on_workspaces_lists_every_seed() -> None:
    text = (ROOT / "docs" / "workspaces.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| .* \| .* \|$", text, re.MULTILINE)
    assert sorted(listed) == list(builtin_seeds())


def test_the_page_on_workspaces_lists_views_and_operations() -> None:
    text = (ROOT / "docs" / "workspaces.md").read_text(encoding="utf-8")
    missing = [name for name in (*VIEW_KINDS, *OPERATIONS) if f"`{name}`" not in text]
    assert missing == []
