"""A Harbor task folder of schema 1.x as a value, and what in it no sandbox of ours gives.

Here: files to values, strictly. Not here: building its machine (`machine`), running it
(`importing`). Format after Harbor 0.26; its package is not imported.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from envplatform.errors import BundleError, ConfigError
from envplatform.interop.imported import Problem
from envplatform.toml_file import parse_toml
from envplatform.tree import File, Tree, TreeError, below, read_tree
from envplatform.user.plan import Plan
from envplatform.user.sidecar import read_user

TASK = "task.toml"
_USER = "user/persona.md"
_SCHEMA = re.compile(r"1\.[0-9]{1,3}")
_MAX_TOML_BYTES = 1_000_000
MAX_TASK_BYTES = 128_000_000


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Phase(_Part):
    timeout_sec: float | None = Field(default=None, gt=0)
    env: dict[str, str] = {}
    network_mode: str | None = None


class _Machine(_Part):
    docker_image: str | None = None
    build_timeout_sec: float = Field(default=600, gt=0)
    os: str = "linux"
    cpus: float | None = None
    memory_mb: int | None = None
    storage_mb: int | None = None
    gpus: int | None = None
    tpu: dict[str, Any] | None = None
    mcp_servers: tuple[dict[str, Any], ...] = ()
    env: dict[str, str] = {}
    skills_dir: str | None = None
    healthcheck: dict[str, Any] | None = None
    workdir: str | None = None
    network_mode: str | None = None
    allow_internet: bool | None = None


class TaskFile(_Part):
    """What is needed of task.toml."""

    schema_version: str | None = None
    version: str | None = None
    """How the first schemas called it."""
    metadata: dict[str, Any] = {}
    agent: _Phase = _Phase()
    verifier: _Phase = _Phase()
    environment: _Machine = _Machine()
    solution: _Phase = _Phase()
    steps: tuple[dict[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarborTask:
    """One task as its author wrote it."""

    name: str
    file: TaskFile
    instruction: str
    context: Tree
    """`environment/`, the Dockerfile among it."""
    tests: Tree
    solution: Tree
    """Empty where it has none."""
    user: Plan | None
    """Who is inside, as PawBench keeps it beside a task; None: nobody."""


def is_task(folder: Path) -> bool:
    """Whether `folder` means to be a task."""
    return (folder / TASK).is_file()


def read_task(folder: Path) -> HarborTask:
    """Read a task's files.

    Raises:
        BundleError: a file is missing, malformed or a link, or all are too large.
    """
    try:
        files = _files(folder)
        text = _text(files, TASK)
        file = parse_toml(TaskFile, text, source=f"{folder.name}/{TASK}")
    except (TreeError, ConfigError) as error:
        raise BundleError(str(error)) from error
    version = file.schema_version or file.version or ""
    if not _SCHEMA.fullmatch(version):
        msg = f"{TASK}: schema_version is {version!r}; what is read is 1.x"
        raise BundleError(msg)
    if file.steps is not None or any(path.startswith("steps/") for path in files):
        msg = "it has several steps; tasks of one step are read"
        raise BundleError(msg)
    return HarborTask(
        name=folder.name,
        file=file,
        instruction=_text(files, "instruction.md"),
        context=below(files, "environment/"),
        tests=_required(below(files, "tests/"), "test.sh", "tests"),
        solution=below(files, "solution/"),
        user=read_user(below(files, "user/")) if _USER in files else None,
    )


def unsupported(task: HarborTask) -> Iterator[Problem]:
    """Yield everything that it asks for and no environment of ours gives."""
    machine, file = task.file.environment, task.file
    modes = {p.network_mode for p in (machine, file.agent, file.verifier)}
    variables = {**machine.env, **file.verifier.env, **file.solution.env}
    compose = [path for path in task.context if "compose" in path.rpartition("/")[2]]
    own_machine = [path for path in task.tests if path == "Dockerfile"]
    asked: Mapping[str, object] = {
        "network": bool(machine.allow_internet) or bool(modes - {None, "no-network"}),
        "GPUs": machine.gpus,
        "a TPU": machine.tpu,
        f"the system {machine.os}": machine.os != "linux",
        "MCP servers": machine.mcp_servers,
        "docker compose": compose,
        "a health check": machine.healthcheck,
        "a folder of skills": machine.skills_dir,
        f"variables ({', '.join(sorted(variables))})": variables,
        "a machine of the verifier's own": own_machine,
        # A user changes what a broker holds, and these files lie in /workspace.
        "a user inside, whose changes need a broker": task.user,
    }
    for what, needed in asked.items():
        if needed:
            yield Problem(reason="unsupported", detail=f"it asks for {what}")


def _files(folder: Path) -> dict[str, File]:
    room = MAX_TASK_BYTES
    for path in folder.rglob("*"):
        if path.is_symlink():
            msg = f"{path.relative_to(folder)} is a link; links are not taken"
            raise BundleError(msg)
        room -= path.stat().st_size
        if room < 0:
            msg = f"it is larger than {MAX_TASK_BYTES} bytes"
            raise BundleError(msg)
    return read_tree(folder)


def _text(files: Tree, path: str) -> str:
    if path not in files:
        msg = f"{path} is missing"
        raise BundleError(msg)
    if len(files[path].data) > _MAX_TOML_BYTES:
        msg = f"{path} is larger than {_MAX_TOML_BYTES} bytes"
        raise BundleError(msg)
    try:
        text = files[path].data.decode()
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8: {error}"
        raise BundleError(msg) from error
    if not text.strip():
        msg = f"{path} is empty"
        raise BundleError(msg)
    return text


def _required(files: Tree, path: str, where: str) -> Tree:
    if path not in files:
        msg = f"{where}/{path} is missing"
        raise BundleError(msg)
    return files
