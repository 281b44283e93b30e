"""A set on disk: which tasks there are, and the files that each declares. Strict.

Nothing outside a task's folder is read, no link is followed, no code is run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import BundleError
from envplatform.interop.imported import Problem, Reason
from envplatform.interop.strict_yaml import load_strictly
from envplatform.tree import File, Tree, TreeError, checked_path

MAX_FILE_BYTES = 2_000_000
MAX_FIXTURES_BYTES = 64_000_000
_TASK, _GRADER = "task.yaml", "grader.py"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,150}")
_BASE = Path("src", "liveclaw_500", "graders", "base.py")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Prompt(_Part):
    """What the agent is asked."""

    text: Annotated[str, Field(min_length=1)]
    language: str = "en"
    attachments: list[str] = []


class Service(_Part):
    """A server of the set and how it is started."""

    name: str
    command: str = ""
    port: int = 0
    reset_endpoint: str = ""
    env: dict[str, str] = {}


class Tool(_Part):
    """What the agent is told of a tool."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}


class Endpoint(_Part):
    """Where a tool's requests go."""

    tool_name: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"


class Bounds(_Part):
    """The task's time and files."""

    timeout_seconds: Annotated[int, Field(gt=0)] = 300
    fixtures: list[str] = []


class TaskFile(_Part):
    """What is needed of a task.yaml."""

    task_id: str
    """Not always the name of the folder, which is the identity here."""
    task_name: str
    category: str = ""
    prompt: Prompt
    environment: Bounds = Bounds()
    tools: list[Tool] = []
    tool_endpoints: list[Endpoint] = []
    services: list[Service] = []
    sandbox_files: list[str] = []
    env_snapshot_commands: list[str] = []
    reference_solution: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTask:
    """One task of the set, as far as it can be read."""

    task_id: str
    """The name of its folder."""
    file: TaskFile | None = None
    raw: Any = None
    """The whole of task.yaml, as the grader is given it."""
    grader: bytes = b""
    workspace: dict[str, File] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_base(source: Path) -> bytes:
    """The set's own base class of graders; empty where the set came without it."""
    path = source / _BASE
    plain = path.is_file() and not path.is_symlink()
    return path.read_bytes() if plain and path.stat().st_size < MAX_FILE_BYTES else b""


def read_servers(source: Path) -> Tree:
    """The set's mock servers, at their own paths; no link is followed."""
    folder = source / "mock_services"
    if not folder.is_dir() or folder.is_symlink():
        return {}
    return {
        str(path.relative_to(source)): File(path.read_bytes())
        for path in sorted([*folder.glob("*.py"), *folder.glob("*/*.py")])
        if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
        if path.stat().st_size <= MAX_FILE_BYTES
    }


def read_tasks(source: Path) -> Iterator[FoundTask]:
    """Yield every task, by name; one that can't be read costs no other.

    Raises:
        BundleError: there is no task at all.
    """
    folder = source / "tasks" if (source / "tasks").is_dir() else source
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    folders = [path for path in found if (path / _TASK).exists()]
    if not folders:
        msg = f"{folder} holds no folder with a {_TASK}: name the set's folder"
        raise BundleError(msg)
    for path in folders:
        yield _read(path)


def _read(folder: Path) -> FoundTask:
    try:
        raw, file = _task_file(folder)
    except BundleError as error:
        problem = Problem(reason="malformed", detail=str(error))
        return FoundTask(task_id=folder.name, problems=(problem,))
    problems = list(_contradictions(file, folder))
    workspace = dict(_files(file, folder, problems))
    if sum(len(one.data) for one in workspace.values()) > MAX_FIXTURES_BYTES:
        what = f"its fixtures are larger than {MAX_FIXTURES_BYTES} bytes together"
        problems.append(Problem(reason="unsafe", detail=what))
    grader = b""
    lacking = _bad_file(_GRADER, folder, "grader")
    if lacking is None:
        grader = (folder / _GRADER).read_bytes()
    else:
        problems.append(lacking)
    return FoundTask(
        task_id=folder.name,
        file=file,
        raw=raw,
        grader=grader,
        workspace=workspace,
        problems=tuple(problems),
    )


def _task_file(folder: Path) -> tuple[object, TaskFile]:
    where = f"{folder.name}/{_TASK}"
    problem = _bad_file(_TASK, folder, where)
    if problem is not None:
        raise BundleError(problem.detail)
    try:
        raw = load_strictly((folder / _TASK).read_bytes().decode(), where)
        return raw, TaskFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        msg = f"{where}: {place}: {first['msg']}"
        raise BundleError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{where}: not UTF-8: {error}"
        raise BundleError(msg) from error


def _contradictions(file: TaskFile, folder: Path) -> Iterator[Problem]:
    """Yield what the task says of itself and what can't hold together."""
    if not _NAME.fullmatch(folder.name):
        what = f"{folder.name!r}: rename the folder to letters, digits, _ and -"
        yield Problem(reason="malformed", detail=what)
    reached = {one.tool_name for one in file.tool_endpoints}
    lost = sorted({one.name for one in file.tools} - reached)
    if lost:
        what = f"tools: {', '.join(lost)} have no entry in tool_endpoints"
        yield Problem(reason="malformed", detail=what)
    if file.tools and not file.services:
        yield Problem(reason="malformed", detail="services: empty, but it has tools")


def _files(
    file: TaskFile, folder: Path, problems: list[Problem]
) -> Iterator[tuple[str, File]]:
    """Yield the declared files; tell of every one that can't be had."""
    for path in dict.fromkeys([*file.environment.fixtures, *file.prompt.attachments]):
        problem = _bad_file(path, folder, f"fixture {path!r}")
        if problem is None:
            yield path, File((folder / path).read_bytes())
        else:
            problems.append(problem)


def _bad_file(name: str, folder: Path, where: str) -> Problem | None:
    try:
        checked_path(name)
        name.encode()
    except (TreeError, UnicodeEncodeError) as error:
        return Problem(reason="unsafe", detail=f"{where}: {error}")
    path = folder / name
    steps = [path, *path.parents][: len(Path(name).parts) + 1]
    reason: Reason = "unsafe"
    if any(step.is_symlink() for step in steps):
        what = f"{where}: {name!r} is a link"
    elif not path.is_file():
        reason, what = "missing_file", f"{where}: {name!r} is not in {folder.name}"
    elif path.stat().st_size > MAX_FILE_BYTES:
        what = f"{where}: {name!r} is larger than {MAX_FILE_BYTES} bytes"
    else:
        return None
    return Problem(reason=reason, detail=what)
