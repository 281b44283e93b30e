"""Directory trees as values: relative POSIX paths to bytes and an executable bit.

The one representation of files that stores, patches, sandboxes and environments
exchange. Symbolic links, devices and empty directories have no place in it: the
first two are refused by name, the last carry no content. No diffing, no digests
of environments (`bundle`), no archives.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from envplatform.errors import EnvPlatformError

_MAX_NAME_BYTES = 255


class TreeError(EnvPlatformError):
    """A path leaves its tree, or names something that is not a plain file."""


@dataclass(frozen=True, slots=True)
class File:
    """One plain file."""

    data: bytes
    executable: bool = False


Tree = Mapping[str, File]
"""Relative POSIX path to file; iteration order carries no meaning."""


def checked_path(path: str) -> str:
    """Return `path` if it is a clean relative POSIX path, else raise.

    Raises:
        TreeError: absolute, empty, with `..`, `.`, a doubled or trailing slash, a
            backslash-free NUL byte, or a component over 255 bytes.
    """
    parts = path.split("/")
    bad = (
        not path
        or "\0" in path
        or any(part in {"", ".", ".."} for part in parts)
        or any(len(os.fsencode(part)) > _MAX_NAME_BYTES for part in parts)
    )
    if bad:
        msg = f"{path!r} is not a clean relative path inside the tree"
        raise TreeError(msg)
    return path


def read_tree(root: Path, *, ignore: Iterable[str] = ()) -> dict[str, File]:
    """Read every file under `root`; directory or file names in `ignore` are left out.

    Raises:
        TreeError: `root` is no directory, or holds a symbolic link, device or socket.
    """
    if not root.is_dir():
        msg = f"{root} is not a directory"
        raise TreeError(msg)
    ignored = frozenset(ignore)
    tree: dict[str, File] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in ignored)
        for name in [*folders, *sorted(names)]:
            full = Path(folder, name)
            if name in ignored or (full.is_dir() and not full.is_symlink()):
                continue
            if full.is_symlink() or not full.is_file():
                msg = f"{full} is not a plain file; links and devices are not taken"
                raise TreeError(msg)
            mode = full.stat().st_mode
            path = full.relative_to(root).as_posix()
            tree[path] = File(full.read_bytes(), bool(mode & 0o100))
    return tree


def write_tree(tree: Tree, root: Path) -> None:
    """Write `tree` below `root`, which is created; existing files are replaced.

    Never follows a symbolic link that lies below `root`.

    Raises:
        TreeError: a path is not clean, or passes through a symbolic link.
    """
    root.mkdir(parents=True, exist_ok=True)
    for path, file in sorted(tree.items()):
        target = root / checked_path(path)
        for parent in reversed(PurePosixPath(path).parents):
            if (root / parent).is_symlink():
                msg = f"{path!r} passes through the symbolic link {parent}"
                raise TreeError(msg)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink() or target.exists():
            target.unlink()
        target.write_bytes(file.data)
        target.chmod(0o755 if file.executable else 0o644)


def below(tree: Tree, folder: str) -> dict[str, File]:
    """Return what lies in a folder, by its path there; `folder` ends with a slash."""
    return {
        path.removeprefix(folder): file
        for path, file in tree.items()
        if path.startswith(folder)
    }


def tree_digest(tree: Tree) -> str:
    """SHA-256 (hex) over sorted paths, executable bits and contents."""
    digest = hashlib.sha256()
    for path in sorted(tree):
        file = tree[path]
        content = hashlib.sha256(file.data).hexdigest()
        digest.update(
            f"{content} {int(file.executable)} {path}\n".encode(
                "utf-8", "surrogateescape"
            )
        )
    return digest.hexdigest()
