"""Where the bytes behind the views are kept: in memory, or below one folder.

Paths are relative POSIX paths. Nothing here follows a link or leaves its folder, and
all that a session changes lies here or in the broker's state: a reset is both anew.
"""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from .errors import INVALID, NOT_FOUND, TOO_LARGE, WsError

MAX_FILE_BYTES = 256_000_000
"""Of one file on disk: a broker that ran out of memory would answer nothing more."""
_MAX_COMPONENT_BYTES = 255


class Holdings(ABC):
    """Files by path."""

    @abstractmethod
    def read(self, path: str) -> bytes:
        """Return a file's content.

        Raises:
            WsError: `not_found`; `too_large`, more than is ever served.
        """

    @abstractmethod
    def write(self, path: str, content: bytes) -> None:
        """Write a file whole.

        Raises:
            WsError: `invalid`, the path is none; `too_large`, there is no room.
        """

    @abstractmethod
    def delete(self, path: str) -> None:
        """Delete a file.

        Raises:
            WsError: `not_found`.
        """

    @abstractmethod
    def below(self, folder: str) -> list[str]:
        """Return the paths of all files below `folder`, sorted; `` is the root."""

    def holds(self, path: str) -> bool:
        """Whether there is such a file."""
        try:
            self.read(path)
        except WsError:
            return False
        return True


class MemoryHoldings(Holdings):
    """Files in a dictionary, which is copied at the beginning."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files: dict[str, bytes] = {_clean(p): data for p, data in files.items()}

    def read(self, path: str) -> bytes:
        """See the base class."""
        try:
            return self._files[path]
        except KeyError:
            raise WsError(NOT_FOUND, f"{path} is not there") from None

    def write(self, path: str, content: bytes) -> None:
        """See the base class."""
        self._files[clean(path)] = content

    def delete(self, path: str) -> None:
        """See the base class."""
        self.read(path)
        del self._files[path]

    def below(self, folder: str) -> list[str]:
        """See the base class."""
        prefix = f"{folder}/" if folder else ""
        return sorted(path for path in self._files if path.startswith(prefix))

    def holds(self, path: str) -> bool:
        """See the base class."""
        return path in self._files

    def copy(self) -> MemoryHoldings:
        """Return holdings that change apart from these; contents are shared."""
        twin = MemoryHoldings({})
        twin._files = dict(self._files)
        return twin


class FolderHoldings(Holdings):
    """Files below a folder that nobody but the broker can reach."""

    def __init__(self, root: Path, *, room_bytes: int | None = None) -> None:
        self._root = root
        self._room = room_bytes

    def read(self, path: str) -> bytes:
        """See the base class."""
        full = self._plain(path)
        if full is None:
            raise WsError(NOT_FOUND, f"{path} is not there")
        size = full.stat().st_size
        if size > MAX_FILE_BYTES:
            msg = f"{path} is {size} bytes, over the {MAX_FILE_BYTES} that are served"
            raise WsError(TOO_LARGE, msg)
        return full.read_bytes()

    def write(self, path: str, content: bytes) -> None:
        """See the base class; readers see the old file or the new one."""
        full = self._root / clean(path)
        if self._room is not None and len(content) > self._room:
            raise WsError(TOO_LARGE, f"{path}: over {self._room} bytes")
        try:
            full.parent.mkdir(parents=True, exist_ok=True)
            handle, beside = tempfile.mkstemp(prefix=".ws-", dir=full.parent)
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(beside).replace(full)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise WsError(INVALID, f"{path}: a file and a folder collide") from None

    def delete(self, path: str) -> None:
        """See the base class."""
        full = self._plain(path)
        if full is None:
            raise WsError(NOT_FOUND, f"{path} is not there")
        full.unlink()

    def below(self, folder: str) -> list[str]:
        """See the base class."""
        start = self._root / clean(folder) if folder else self._root
        return sorted(self._walk(start))

    def holds(self, path: str) -> bool:
        """See the base class."""
        return self._plain(path) is not None

    def _walk(self, start: Path) -> Iterator[str]:
        cut, todo = len(str(self._root)) + 1, [str(start)]
        while todo:
            try:
                entries = os.scandir(todo.pop())
            except OSError:  # no folder, or not there
                continue
            with entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.path[cut:]

    def _plain(self, path: str) -> Path | None:
        """Return the place of a plain file, None where there is none."""
        full = self._root
        try:
            for part in clean(path).split("/"):
                full = full / part
                if full.is_symlink():
                    return None
        except (OSError, WsError):
            return None
        return full if full.is_file() else None


def clean(path: str) -> str:
    """Return `path` if it is a relative path that stays where it is.

    Raises:
        WsError: `invalid`.
    """
    parts = path.split("/")
    is_bad = "\0" in path or any(part in {"", ".", ".."} for part in parts)
    try:
        is_long = any(len(os.fsencode(p)) > _MAX_COMPONENT_BYTES for p in parts)
    except UnicodeEncodeError:  # half a surrogate pair
        is_bad, is_long = True, False
    if is_bad or is_long:
        shown = path if len(path) < _MAX_COMPONENT_BYTES else f"{path[:80]}..."
        raise WsError(INVALID, f"{shown!r} is not a clean relative path")
    return path


_clean = lru_cache(maxsize=1 << 12)(clean)
"""For the same files time and again: sessions in one process begin with them."""
