"""Files of a source, one at a time, from an archive or a folder. Decides nothing."""

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

from envplatform.cowork.library.git_commit import fetch_commit
from envplatform.cowork.library.specification import (
    Folder,
    Git,
    Limits,
    SourceSpec,
)
from envplatform.errors import LibraryError
from envplatform.registries import (
    NpmRegistry,
    NpmRelease,
    PackageIndex,
    Release,
    configured_index,
    configured_npm,
    fetch_npm,
    fetch_release,
    stream_archive,
)

# npm and pip take half a second to tell.
_configured_index = cache(configured_index)
_configured_npm = cache(configured_npm)

Wanted = Callable[[str, int], bool]
"""Asked with path and size in bytes."""


class Material(ABC):
    """Where the files of a source are, once it has been fetched."""

    @abstractmethod
    def files(
        self, wanted: Wanted, link: Callable[[str], None], limits: Limits
    ) -> Iterator[tuple[str, bytes]]:
        """Yield path and content of what is wanted, and tell `link` of each link.

        Raises:
            LibraryError, RegistryError: it can't be read, or is over a limit.
        """


@dataclass(frozen=True, slots=True)
class ArchiveMaterial(Material):
    """A `.tar.gz` of a registry or of git."""

    archive: Path

    def files(
        self, wanted: Wanted, link: Callable[[str], None], limits: Limits
    ) -> Iterator[tuple[str, bytes]]:
        """In the order of the archive; paths without its top folder."""
        found = stream_archive(
            self.archive,
            wanted=wanted,
            link=lambda path: link(path.partition("/")[2]),
            max_files=limits.source_files,
            max_bytes=limits.source_bytes,
        )
        for path, file in found:
            yield path, file.data


@dataclass(frozen=True, slots=True)
class FolderMaterial(Material):
    """A folder of the user's. What is in `.git` is none of its files."""

    root: Path

    def files(
        self, wanted: Wanted, link: Callable[[str], None], limits: Limits
    ) -> Iterator[tuple[str, bytes]]:
        """In order of path."""
        total = 0
        for count, (path, size) in enumerate(self._walk(link), 1):
            if count > limits.source_files:
                msg = f"{self.root} holds over {limits.source_files:,} files"
                raise LibraryError(msg)
            if not wanted(path, size):
                continue
            total += size
            if total > limits.source_bytes:
                msg = f"{self.root} holds over {limits.source_bytes:,} bytes"
                raise LibraryError(msg)
            try:
                yield path, (self.root / path).read_bytes()
            except OSError as error:
                msg = f"{self.root / path} can't be read: {error.strerror}"
                raise LibraryError(msg) from error

    def names(self) -> tuple[str, ...]:
        """Paths of all files, wanted or not.

        Raises:
            LibraryError: it is no folder.
        """
        return tuple(path for path, _ in self._walk(lambda _: None))

    def _walk(self, link: Callable[[str], None]) -> Iterator[tuple[str, int]]:
        if not self.root.is_dir():
            msg = (
                f"{self.root} is no folder; correct path in [[cowork.library.sources]]"
            )
            raise LibraryError(msg)
        for folder, folders, names in os.walk(self.root, onerror=_unreadable):
            folders[:] = sorted(name for name in folders if name != ".git")
            for name in sorted([*folders, *names]):
                full = Path(folder, name)
                path = full.relative_to(self.root).as_posix()
                status = _status(full)
                if stat.S_ISREG(status.st_mode):
                    yield path, status.st_size
                elif not stat.S_ISDIR(status.st_mode):
                    link(path)


def _status(path: Path) -> os.stat_result:
    try:
        return path.lstat()
    except OSError as error:
        _unreadable(error)


def _unreadable(error: OSError) -> NoReturn:
    """What can't be looked into is never passed over in silence."""
    msg = f"{error.filename} can't be read: {error.strerror}"
    raise LibraryError(msg) from error


@dataclass(frozen=True, slots=True)
class Registries:
    """Whom to ask for packages; each is looked up when it is first needed."""

    index: Callable[[], PackageIndex] = _configured_index
    npm: Callable[[], NpmRegistry] = _configured_npm


def open_material(spec: SourceSpec, folder: Path, registries: Registries) -> Material:
    """Fetch a source, or find it in the cache below `folder`.

    Raises:
        LibraryError, RegistryError: it can't be had, or is not what is pinned.
    """
    match spec.origin:
        case Folder(path=path):
            return FolderMaterial(path)
        case Release() as sdist:
            place = folder / "sdists"
            kept = sdist.pin.kept(place)
            return ArchiveMaterial(
                kept or fetch_release(sdist, place, index=registries.index())
            )
        case NpmRelease() as tarball:
            place = folder / "npm"
            kept = tarball.pin.kept(place)
            return ArchiveMaterial(
                kept or fetch_npm(tarball, place, registry=registries.npm())
            )
        case Git() as git:
            place = folder / "git"
            place.mkdir(parents=True, exist_ok=True)
            return ArchiveMaterial(fetch_commit(git, place, name=spec.name))
