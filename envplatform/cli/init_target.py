"""`envplatform init target`: guess a target.toml, and say what was guessed and why."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.machine import TARGETS_CACHE
from envplatform.cli.output import Json, Progress, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, find_any_place
from envplatform.errors import ConfigError, TargetError
from envplatform.sandbox.interpreters import find_interpreter
from envplatform.sandbox.wheels import resolve_wheels
from envplatform.store import Store
from envplatform.swe.fixes.histories.location import parse_location
from envplatform.swe.targets import GitSource, parse_target, read_folder
from envplatform.swe.targets.drafting import Draft, draft_target, draft_text
from envplatform.swe.targets.git_source import default_commit, read_commit
from envplatform.tree import Tree

TARGET_FILE = Path("target.toml")
STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repository:
    """A repository to guess about."""

    tree: Tree
    called: str
    """`owner/name`, or name."""
    source: Mapping[str, str]
    """The table `[source]`."""


def init_target(
    repository: Annotated[
        str, typer.Argument(help="A folder, or the URL of a git repository.")
    ] = ".",
    to: Annotated[
        Path, typer.Option(help="Where to write it; - prints it.")
    ] = TARGET_FILE,
    directory: Annotated[
        str, typer.Option(help="Package of a monorepo: folder to run the tests in.")
    ] = ".",
    commit: Annotated[
        str | None, typer.Option(help="With a URL: the commit; else the newest.")
    ] = None,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Guess a target.toml from a repository; says each guess, overwrites nothing."""
    with clear_errors(as_json=as_json):
        if to.exists():
            msg = f"{to} exists; edit it, name another with --to, or remove it first"
            raise ConfigError(msg)
        told = Progress()
        cache = Store(find_any_place(config).home).cache_folder(TARGETS_CACHE)
        found = _read(repository, commit, to, cache, told)
        tree = _below(found.tree, directory)
        told(f"{len(tree)} files; asking pip for exact pins")
        draft = draft_target(
            tree, called=found.called, running=_running(), resolve=_resolve
        )
        text = draft_text(draft, found.source, directory=directory)
        parse_target(text, source="the guessed target.toml", folder=to.parent)
        _write(to, text)
    answer(
        _summary(to, draft, text),
        as_json=as_json,
        show=lambda console: _show(console, to, draft, text),
    )


def _read(
    repository: str, commit: str | None, to: Path, cache: Path, told: Progress
) -> _Repository:
    folder = Path(repository)
    if folder.is_dir():
        if commit is not None:
            msg = f"{repository} is a folder, which is read as it is: --commit is for a URL"
            raise ConfigError(msg)
        return _folder(folder, to)
    if "://" not in repository and ":" not in repository:
        msg = f"{repository} is no folder and no URL of a git repository"
        raise TargetError(msg)
    return _remote(repository, commit, cache, told)


def _folder(folder: Path, to: Path) -> _Repository:
    config = folder / ".git" / "config"
    text = config.read_text("utf-8", "replace") if config.is_file() else ""
    remote = re.search(r'\[remote "origin"\][^\[]*?\n\s*url\s*=\s*(\S+)', text)
    start = Path() if to == STANDARD_OUTPUT else to.parent
    return _Repository(
        tree=read_folder(folder),
        called=_called(remote[1]) if remote else folder.resolve().name,
        source={"kind": "path", "path": _relative(folder.resolve(), start.resolve())},
    )


def _remote(url: str, commit: str | None, cache: Path, told: Progress) -> _Repository:
    called = _called(url)
    name = re.sub(r"[^\w.-]+", "-", called.replace("/", "__"), flags=re.ASCII)
    shown = parse_location(url, repository=called).shown
    told(f"cloning {shown}, without its files")
    mirrors = cache / "mirrors"
    if commit is None:
        commit, shown = default_commit(url, mirrors, name=name)
    told(f"reading commit {commit[:12]}")
    checkout = read_commit(GitSource(url=url, commit=commit), mirrors, name=name)
    return _Repository(
        tree=checkout.tree,
        called=called,
        source={"kind": "git", "url": shown, "commit": commit},
    )


def _called(url: str) -> str:
    """Last two parts of a URL's path."""
    path = re.split(r"[?#]", url.rstrip("/"))[0].removesuffix(".git")
    parts = re.split(r"[/:]+", path.partition("://")[2] or path)
    inner = parts[1:] or parts
    return "/".join(inner[-2:])


def _below(tree: Tree, directory: str) -> Tree:
    if directory == ".":
        return tree
    start = f"{directory.strip('/')}/"
    inside = {
        p.removeprefix(start): file for p, file in tree.items() if p.startswith(start)
    }
    if not inside:
        msg = f"the repository has no folder {directory}"
        raise TargetError(msg)
    return inside


def _running() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _resolve(asked: Sequence[str], python: str) -> tuple[str, ...]:
    return resolve_wheels(asked, find_interpreter(python), image="target")


def _write(to: Path, text: str) -> None:
    if to == STANDARD_OUTPUT:
        return
    try:
        data = text.encode("utf-8")
        with to.open("xb") as file:
            file.write(data)
    except UnicodeEncodeError as error:
        msg = f"{to} can't be written: a path of the repository is no UTF-8"
        raise TargetError(msg) from error


def _summary(to: Path, draft: Draft, text: str) -> dict[str, object]:
    return {
        "file": None if to == STANDARD_OUTPUT else to.absolute(),
        "target": draft.value("name"),
        "guesses": draft.guesses,
        "unknown": draft.unknown,
        "text": text,
    }


def _show(console: Console, to: Path, draft: Draft, text: str) -> None:
    if to == STANDARD_OUTPUT:
        say(console, text, end="")
        return
    for guess in draft.guesses:
        value = guess.value if isinstance(guess.value, str) else " ".join(guess.value)
        say(console, f"{guess.key} = {value or '(none)'}", end="")
        say(console, f"  # {guess.reason}", "dim")
    for sentence in draft.unknown:
        say(console, f"look at this: {sentence}", "yellow")
    say(console, f"wrote {to.absolute()}")
    say(console, f"next: name {to} under [targets] files in your envplatform.toml,")
    say(console, "      then `envplatform doctor`, and materialise target_repositories")


def _relative(folder: Path, start: Path) -> str:
    """Path from `start`, with `..` where need be; both are absolute."""
    shared = next(up for up in (start, *start.parents) if folder.is_relative_to(up))
    steps_up = [".."] * len(start.relative_to(shared).parts)
    return Path(*steps_up, folder.relative_to(shared)).as_posix()
