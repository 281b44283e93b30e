"""Read a local repository into a tree: its files, without what tools leave behind."""

import os
import re
from pathlib import Path

from envplatform.errors import TargetError
from envplatform.tree import File, Tree

LEFT_OUT = frozenset(
    {
        ".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "node_modules",
        "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
        ".eggs", ".idea", ".vscode", ".envplatform",
    }
)  # fmt: skip
"""Names of files and folders that never belong to a repository's content."""
_MARKS_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_NAMED = re.compile(r"^\s*path\s*=\s*(\S.*)$", re.MULTILINE)
_MAX_FILES = 50_000
_MAX_BYTES = 500_000_000


def read_folder(root: Path) -> Tree:
    """Return the plain files below `root`; links and devices are left out.

    Raises:
        TargetError: `root` is no folder, is empty, or holds more than a repository
            does (50,000 files, 500 MB).
    """
    if not root.is_dir():
        msg = f"{root} is not a folder"
        raise TargetError(msg)
    tree: dict[str, File] = {}
    total = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(n for n in folders if not _is_left_out(Path(folder, n)))
        for name in sorted(names):
            full = Path(folder, name)
            if name in LEFT_OUT or full.is_symlink() or not full.is_file():
                continue
            total += full.stat().st_size
            if len(tree) >= _MAX_FILES or total > _MAX_BYTES:
                msg = (
                    f"{root} holds more than {_MAX_FILES:,} files or {_MAX_BYTES:,} "
                    "bytes; name the repository's own folder"
                )
                raise TargetError(msg)
            mode = full.stat().st_mode
            path = full.relative_to(root).as_posix()
            tree[path] = File(full.read_bytes(), bool(mode & 0o100))
    if not tree:
        msg = f"{root} holds no files"
        raise TargetError(msg)
    return tree


def empty_submodules(tree: Tree) -> tuple[str, ...]:
    """Sorted folders that `.gitmodules` names and that hold no file."""
    file = tree.get(".gitmodules")
    text = file.data.decode("utf-8", "surrogateescape") if file else ""
    named = {found[1].strip().strip('"').rstrip("/") for found in _NAMED.finditer(text)}
    return tuple(
        sorted(
            path for path in named if not any(p.startswith(f"{path}/") for p in tree)
        )
    )


def _is_left_out(folder: Path) -> bool:
    return folder.name in LEFT_OUT or (folder / _MARKS_VIRTUAL_ENVIRONMENT).is_file()
