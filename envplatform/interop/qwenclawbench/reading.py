"""A set on disk: which tasks there are, and the files that each declares.

Nothing outside the set's folder is read, no link is followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from envplatform.errors import BundleError
from envplatform.interop.imported import Problem
from envplatform.interop.qwenclawbench.markdown import (
    MAX_TASK_BYTES,
    AssetFile,
    FrontMatter,
    TaskText,
    parse_task,
)
from envplatform.tree import File, TreeError, checked_path

MAX_WORKSPACE_BYTES = 64_000_000
_TASKS, _ASSETS = "tasks", "assets"
_LICENSES = ("LICENSE", "LICENSE.txt", "LICENSE.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTask:
    """One task of the set, as far as it can be read."""

    task_id: str
    """The name of its file."""
    text: TaskText | None = None
    workspace: dict[str, File] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def find_set(source: Path) -> Path:
    """Return the folder that holds `tasks`: `source`, or the one set of a checkout.

    Raises:
        BundleError: there is none, or several.
    """
    if (source / _TASKS).is_dir():
        return source
    found = sorted(path.parent for path in source.glob(f"data/*/{_TASKS}"))
    if len(found) != 1:
        there = ", ".join(path.name for path in found) or "none"
        msg = (
            f"{source} holds no folder tasks/, and below data/ there is {there}: name "
            "the folder that holds tasks/ and assets/"
        )
        raise BundleError(msg)
    return found[0]


def find_license(folder: Path) -> bytes:
    """The license that the set came with, beside it or two folders up; empty: none."""
    places = [folder, folder.parent, folder.parent.parent]
    for path in (place / name for place in places for name in _LICENSES):
        if path.is_file() and not path.is_symlink():
            return path.read_bytes()[:100_000]
    return b""


def read_tasks(folder: Path) -> Iterator[FoundTask]:
    """Yield every task, by name; one that can't be read costs no other.

    Raises:
        BundleError: there is no task at all.
    """
    paths = sorted((folder / _TASKS).glob("*.md"))
    if not paths:
        msg = f"{folder / _TASKS} holds no .md file"
        raise BundleError(msg)
    for path in paths:
        yield _read(path, folder / _ASSETS / path.stem)


def _read(path: Path, assets: Path) -> FoundTask:
    try:
        text = _text(path)
    except BundleError as error:
        problem = Problem(reason="malformed", detail=str(error))
        return FoundTask(task_id=path.stem, problems=(problem,))
    problems: list[Problem] = []
    workspace = dict(_workspace(text.front, assets, problems))
    if text.front.id != path.stem:
        what = f"id {text.front.id!r} is not the name of its file, {path.name}"
        problems.append(Problem(reason="malformed", detail=what))
    if sum(len(file.data) for file in workspace.values()) > MAX_WORKSPACE_BYTES:
        what = f"its files are larger than {MAX_WORKSPACE_BYTES} bytes together"
        problems.append(Problem(reason="unsafe", detail=what))
    return FoundTask(
        task_id=path.stem, text=text, workspace=workspace, problems=tuple(problems)
    )


def _text(path: Path) -> TaskText:
    if path.is_symlink() or not path.is_file():
        msg = f"{path.name}: not a plain file"
        raise BundleError(msg)
    if path.stat().st_size > MAX_TASK_BYTES:
        msg = f"{path.name}: larger than {MAX_TASK_BYTES} bytes"
        raise BundleError(msg)
    try:
        text = path.read_bytes().decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        msg = f"{path.name}: not UTF-8: {error}"
        raise BundleError(msg) from error
    return parse_task(text, path.name)


def _workspace(
    front: FrontMatter, assets: Path, problems: list[Problem]
) -> Iterator[tuple[str, File]]:
    """Yield path and file; tell of every one that can't be had."""
    seen: set[str] = set()
    for number, entry in enumerate(front.workspace_files):
        dest = entry.dest if isinstance(entry, AssetFile) else entry.path
        where = f"workspace_files[{number}]"
        problem = _bad_path(dest, where)
        if problem is None and dest in seen:
            what = f"{where}: {dest!r} is declared twice"
            problem = Problem(reason="malformed", detail=what)
        seen.add(dest)
        if problem is None and isinstance(entry, AssetFile):
            problem = _bad_source(entry.source, assets, where)
        if problem is not None:
            problems.append(problem)
        elif isinstance(entry, AssetFile):
            path = assets / entry.source
            yield dest, File(path.read_bytes(), bool(path.stat().st_mode & 0o100))
        else:
            yield dest, File(entry.content.encode("utf-8", "replace"))


def _bad_path(path: str, where: str) -> Problem | None:
    try:
        checked_path(path)
        path.encode()
    except (TreeError, UnicodeEncodeError) as error:
        return Problem(reason="unsafe", detail=f"{where}: {error}")
    return None


def _bad_source(source: str, assets: Path, where: str) -> Problem | None:
    problem = _bad_path(source, where)
    if problem is not None:
        return problem
    path = assets / source
    on_the_way = [path, *path.parents][: len(Path(source).parts) + 1]
    if any(step.is_symlink() for step in on_the_way):
        return Problem(reason="unsafe", detail=f"{where}: {source!r} is a link")
    if not path.is_file():
        what = f"{where}: {source!r} is not among the assets"
        return Problem(reason="missing_file", detail=what)
    if path.stat().st_size > MAX_WORKSPACE_BYTES:
        what = f"{where}: {source!r} is larger than {MAX_WORKSPACE_BYTES} bytes"
        return Problem(reason="unsafe", detail=what)
    return None
