"""The writable places as they were at first, and the way back to that state.

A candidate is tried in the very folders in which it would be tried alone, so nothing
that it wrote may be left for the next. What changed is found by inode and change
time, which code without privileges can't set back; what was touched so shortly before
it was noted that the clock could not tell is compared by content.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

_RACY_NS = 200_000_000
_MAX_BYTES = 512_000_000
_MAX_ENTRIES = 200_000


class TooLargeError(Exception):
    """The places hold more than a copy in memory may take."""


class _Entry:
    """One file or link as it was."""

    __slots__ = ("data", "is_racy", "mode", "mtime_ns", "witness")

    def __init__(self, path: Path, info: os.stat_result) -> None:
        is_link = stat.S_ISLNK(info.st_mode)
        self.data = os.fsencode(path.readlink()) if is_link else path.read_bytes()
        self.mode = info.st_mode
        self.mtime_ns = info.st_mtime_ns
        self.note(info)

    def note(self, info: os.stat_result) -> None:
        """Take `info` for the state that is as it should be."""
        self.witness = _witness(info)
        self.is_racy = time.time_ns() - info.st_ctime_ns < _RACY_NS

    def is_at(self, path: str, info: os.stat_result) -> bool:
        """Whether `path` is still as it was."""
        if self.witness != _witness(info):
            return False
        if self.is_racy and stat.S_ISREG(info.st_mode):
            self.note(info)
            return Path(path).read_bytes() == self.data
        return True

    def write(self, path: Path) -> None:
        """Make it anew where nothing is."""
        if stat.S_ISLNK(self.mode):
            path.symlink_to(os.fsdecode(self.data))
        else:
            with path.open("xb") as stream:
                stream.write(self.data)
            path.chmod(stat.S_IMODE(self.mode))
            os.utime(path, ns=(self.mtime_ns, self.mtime_ns))
        self.note(path.lstat())


class Pristine:
    """A copy in memory of what lies below `places`."""

    def __init__(self, places: list[str]) -> None:
        self._places = {
            place: stat.S_IMODE(place.stat().st_mode)
            for place in map(Path, places)
            if place.is_dir()
        }
        self._folders: dict[str, int] = {}
        self._files: dict[str, _Entry] = {}
        total = 0
        for place in self._places:
            for path, info in _walk(place):
                if stat.S_ISDIR(info.st_mode):
                    self._folders[path] = info.st_mode
                    continue
                entry = self._files[path] = _Entry(Path(path), info)
                total += len(entry.data)
                if total > _MAX_BYTES or len(self._files) > _MAX_ENTRIES:
                    msg = "the tree is too large to be kept in memory"
                    raise TooLargeError(msg)

    def restore(self) -> int:
        """Undo what was done below the places; return how much had to be made anew.

        Raises:
            OSError: it can't be undone: take another sandbox.
        """
        seen = self._clear()
        undone = 0
        for path, mode in self._folders.items():  # parents come before children
            if path not in seen:
                Path(path).mkdir()
                Path(path).chmod(stat.S_IMODE(mode))
                undone += 1
        for path, entry in self._files.items():
            if path not in seen:
                entry.write(Path(path))
                undone += 1
        return undone

    def _clear(self) -> set[str]:
        """Remove all that is not as it was; return what is."""
        seen: set[str] = set()
        for place, mode in self._places.items():
            if stat.S_IMODE(place.stat().st_mode) != mode:
                place.chmod(mode)
            for path, info in _walk(place):
                if self._is_as_it_was(path, info):
                    seen.add(path)
                else:
                    _remove(Path(path), info)
        return seen

    def _is_as_it_was(self, path: str, info: os.stat_result) -> bool:
        if stat.S_ISDIR(info.st_mode):
            wanted = self._folders.get(path)
            if wanted is not None and wanted != info.st_mode:
                Path(path).chmod(stat.S_IMODE(wanted))
            return wanted is not None
        entry = self._files.get(path)
        return entry is not None and entry.is_at(path, info)


def _walk(top: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield what lies below `top`, folders before what is in them; follows no link.

    A folder that is gone when its turn comes is passed over.
    """
    folders = [str(top)]
    while folders:
        for path, info in _listed(folders.pop()):
            yield path, info
            if stat.S_ISDIR(info.st_mode):
                folders.append(path)


def _listed(folder: str) -> list[tuple[str, os.stat_result]]:
    try:
        return _entries(folder)
    except FileNotFoundError:  # removed by whoever walks
        return []
    except PermissionError:
        Path(folder).chmod(0o700)
        return _entries(folder)


def _entries(folder: str) -> list[tuple[str, os.stat_result]]:
    return [(name, os.lstat(name)) for name in sorted(_names(folder))]


def _names(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry.path


def _witness(info: os.stat_result) -> tuple[int, ...]:
    return (
        info.st_ino,
        info.st_mode,
        info.st_size,
        info.st_mtime_ns,
        info.st_ctime_ns,
        info.st_nlink,
    )


def _remove(path: Path, info: os.stat_result) -> None:
    if not stat.S_ISDIR(info.st_mode):
        path.unlink()
        return
    for _ in _walk(path):  # opens what was shut
        pass
    shutil.rmtree(path)
