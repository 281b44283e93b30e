"""Write and read trees inside the container, where no other process runs meanwhile.

Links can lead nowhere but inside the container; they are still never followed, so
that an upload lands where it was sent and a download tells what lies there.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from envplatform.sandbox.inside.channel import StoredFile

_DEEPEST = 100
_MOST_FILES = 100000


class TooLargeError(Exception):
    """More lies there than was asked for."""


def write(to: str, files: list[StoredFile]) -> None:
    """Write `files` below `to`, which is made; whatever is in the way is replaced."""
    for path, executable, data in [("", False, b""), *files]:
        target = Path(to, path or "any")
        for folder in [*reversed(target.parents)][1:]:
            _make_folder(folder)
        if not path:
            continue
        _clear(target)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(str(target), flags, 0o600), "wb") as out:  # noqa: PTH123
            out.write(data)
            os.fchmod(out.fileno(), 0o755 if executable else 0o644)


def read(path: str, max_bytes: int) -> list[StoredFile]:
    """Return the plain files below `path`, sorted; one file under its own name.

    Raises:
        TooLargeError: more than `max_bytes`, or too many or too deep.
    """
    found: list[StoredFile] = []
    left = max_bytes
    root = Path(path)
    if any(folder.is_symlink() for folder in root.parents):
        return []
    for file in _plain_files(root, 0):
        name = file.name if file == root else file.relative_to(root).as_posix()
        with open(os.open(str(file), os.O_RDONLY | os.O_NOFOLLOW), "rb") as source:  # noqa: PTH123
            data = source.read(left + 1)
        left -= len(data)
        if left < 0 or len(found) == _MOST_FILES:
            message = f"more than {max_bytes} bytes or {_MOST_FILES} files"
            raise TooLargeError(message)
        executable = bool(file.stat().st_mode & 0o100)
        found.append(StoredFile(name, executable, data))
    return found


def _plain_files(path: Path, depth: int) -> Iterator[Path]:
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISREG(mode) and os.access(str(path), os.R_OK):
        yield path
    if not stat.S_ISDIR(mode):
        return
    if depth > _DEEPEST:
        message = f"more than {_DEEPEST} levels of folders"
        raise TooLargeError(message)
    if mode & 0o700 != 0o700:  # noqa: PLR2004  the code locked it
        path.chmod(0o700)
    for entry in sorted(path.iterdir()):
        yield from _plain_files(entry, depth + 1)


def _make_folder(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        folder.unlink()
    if not folder.is_dir():
        folder.mkdir(0o755)
    elif folder.stat().st_uid == os.getuid() and not os.access(str(folder), os.W_OK):
        folder.chmod(0o755)


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        # GNU rm walks any depth, where Python's own recursion ends.
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.call([*command, "--", str(path)], stderr=subprocess.DEVNULL)
    elif path.is_symlink() or path.exists():
        path.unlink()
