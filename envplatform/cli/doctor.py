"""`envplatform doctor`: what works on this machine, what is damaged in the store."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from envplatform.cli.find import stored_rows
from envplatform.cli.output import ANSWER_IS_NO, Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, Place, find_any_place
from envplatform.errors import ConfigError, EnvPlatformError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.llm.embedded import embedded_gguf
from envplatform.sandbox.choose import SandboxChoice, choose_provider
from envplatform.store import Store
from envplatform.swe.targets.catalogue import catalogue

State = Literal["ok", "missing", "problem"]
_LEAST_FREE_GB = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at."""

    what: str
    state: State
    """`missing` is a thing one can do without."""
    detail: str


def doctor(
    config: ConfigOption = None,
    *,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Delete what killed runs left behind.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at machine, configuration and store; exit code 3 if something is wrong."""
    with clear_errors(as_json=as_json):
        place = find_any_place(config)
        findings = [*examine(place), *_store(place.home, sweep=sweep)]
    is_well = all(finding.state != "problem" for finding in findings)
    answer(
        {"ok": is_well, "findings": findings},
        as_json=as_json,
        show=lambda console: _show(console, findings),
    )
    if not is_well:
        raise typer.Exit(ANSWER_IS_NO)


def examine(place: Place) -> Iterator[Finding]:
    """Look at the machine and the configuration; nothing is changed."""
    yield Finding(what="python", state="ok", detail=sys.version.split()[0])
    yield _program("git")
    for kind in ("bubblewrap", "docker"):
        yield _sandbox(kind, place)
    yield _needed_sandbox(place)
    yield _tried("embedded model", lambda: embedded_gguf().name, otherwise="missing")
    yield _disk(place)
    yield Finding(
        what="configuration",
        state="ok" if place.file else "missing",
        detail=str(place.file or "no envplatform.toml here or above: defaults hold"),
    )
    for name, target in catalogue(place.configuration.targets).items():
        wrong = isinstance(target, ConfigError)
        yield Finding(
            what=f"target {name}",
            state="problem" if wrong else "ok",
            detail=str(target) if isinstance(target, ConfigError) else "readable",
        )


def _program(name: str) -> Finding:
    path = shutil.which(name)
    return Finding(
        what=name,
        state="ok" if path else "problem",
        detail=path or f"not found; install it: apt-get install {name}",
    )


def _sandbox(kind: SandboxChoice, place: Place) -> Finding:
    return _tried(
        f"sandbox {kind}", lambda: _describe(kind, place), otherwise="missing"
    )


def _needed_sandbox(place: Place) -> Finding:
    kind = place.configuration.sandbox.kind
    return _tried(
        f"sandbox configured ({kind})",
        lambda: _describe(kind, place),
        otherwise="problem",
    )


def _describe(kind: SandboxChoice, place: Place) -> str:
    base = place.configuration.sandbox.base_image
    info = choose_provider(kind, docker_base=base).info
    return f"{info.kind} {info.version}, limits: {info.limits}"


def _tried(what: str, look: Callable[[], str], *, otherwise: State) -> Finding:
    try:
        return Finding(what=what, state="ok", detail=look())
    except EnvPlatformError as error:
        return Finding(what=what, state=otherwise, detail=str(error))


def _disk(place: Place) -> Finding:
    folder = next(path for path in (place.home, *place.home.parents) if path.exists())
    free_gb = shutil.disk_usage(folder).free / 1e9
    enough = free_gb >= _LEAST_FREE_GB
    return Finding(
        what="disk",
        state="ok" if enough else "problem",
        detail=f"{free_gb:.1f} GB free at {folder}, {_LEAST_FREE_GB} GB are needed",
    )


def _store(home: Path, *, sweep: bool) -> Iterator[Finding]:
    store = Store(home)
    problems = [
        Finding(
            what=f"store {problem.path.relative_to(home)}",
            state="problem",
            detail=problem.message,
        )
        for problem in store.verify()
    ]
    problems = problems or list(_lost(store))
    yield from problems
    if not problems:
        stored = (
            f"all digests hold in {home}" if home.is_dir() else "nothing stored yet"
        )
        yield Finding(what="store", state="ok", detail=stored)
    if sweep:
        gone = store.sweep_orphans()
        yield Finding(what="sweep", state="ok", detail=f"{len(gone)} leftovers deleted")


def _lost(store: Store) -> Iterator[Finding]:
    """Environments that a table names and the store does not hold."""
    for row in stored_rows(store):
        try:
            store.directory(DIRECTORY_KIND, row.digest)
        except StoreError as error:
            what = f"environment {row.environment_id}"
            yield Finding(what=what, state="problem", detail=str(error))


def _show(console: Console, findings: list[Finding]) -> None:
    colours = {"ok": "green", "missing": "yellow", "problem": "red"}
    for finding in findings:
        say(console, f"{finding.state:8}", colours[finding.state], end=" ")
        say(console, f"{finding.what}: {finding.detail}")
