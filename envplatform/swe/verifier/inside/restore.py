"""Makes the test infrastructure of a workspace ours again, whatever was done to it."""

from __future__ import annotations

import fnmatch
import os
import shutil
import stat
from pathlib import Path, PurePosixPath
from typing import Any

PATHS = ".pth"
"""Files that could put other modules before ours."""
REPOSITORY = ".git"
"""What an agent committed is no part of its work, and tests were proven without."""


def is_byte_code(path: str) -> bool:
    """Whether a file is compiled; it could be run in place of a restored source."""
    return path.endswith((".pyc", ".pyo"))


def is_infrastructure(path: str, rules: dict[str, Any]) -> bool:
    """Whether a file decides what is tested and how, rather than being tested.

    The same decision as the target's `is_test_file`, from rules that can travel:
    `steering` file names, `roots` and `exclude` of the code, `suite` paths, and, where
    a command runs the tests, the files that it may start.
    """
    if path in rules.get("command", ()):
        return True
    parts = PurePosixPath(path)
    if parts.name in rules["steering"] or parts.suffix == PATHS or is_byte_code(path):
        return True
    if _is_code(path, rules):
        return False
    named = parts.stem.startswith("test_") or parts.stem.endswith("_test")
    below = any(path == test or path.startswith(test + "/") for test in rules["suite"])
    return named or below or bool({"tests", "test"} & set(parts.parts[:-1]))


def restore(root: Path, sources: list[Path], rules: dict[str, Any]) -> None:
    """Remove infrastructure, links, special files and `.git`, then copy ours in.

    `sources` are folders whose files belong at the same place below `root`.
    """
    _clear(root, rules)
    for source in sources:
        for folder, _, names in os.walk(str(source)):
            for name in names:
                full = Path(folder, name)
                _put(full, root, full.relative_to(source))


def _clear(root: Path, rules: dict[str, Any]) -> None:
    for folder, subfolders, names in os.walk(str(root)):
        Path(folder).chmod(0o755)
        for name in [*subfolders, *names]:
            full = Path(folder, name)
            mode = full.lstat().st_mode
            path = full.relative_to(root).as_posix()
            if not stat.S_ISDIR(mode) and (
                not stat.S_ISREG(mode) or is_infrastructure(path, rules)
            ):
                full.unlink()
    remove(root / REPOSITORY)


def _put(source: Path, root: Path, path: Path) -> None:
    """Copy one file, removing what is in its way. Nothing below `root` is a link."""
    for parent in list(reversed(path.parents))[1:]:
        place = root / parent
        if place.exists() and not place.is_dir():
            place.unlink()
        place.mkdir(exist_ok=True)
    target = root / path
    if target.is_dir():
        shutil.rmtree(str(target))
    elif target.exists():
        target.unlink()
    shutil.copyfile(str(source), str(target))
    shutil.copymode(str(source), str(target))


def remove(place: Path) -> None:
    """Remove a file, link or folder, with folders that were locked."""
    if place.is_symlink() or not place.is_dir():
        if place.is_symlink() or place.exists():
            place.unlink()
        return
    place.chmod(0o755)
    for inner in place.iterdir():
        remove(inner)
    place.rmdir()


def _is_code(path: str, rules: dict[str, Any]) -> bool:
    inside = any(
        root in {".", path} or path.startswith(root + "/") for root in rules["roots"]
    )
    excluded = any(fnmatch.fnmatchcase(path, glob) for glob in rules["exclude"])
    return inside and not excluded and path.endswith(".py")
