"""Unpack an sdist into a tree in memory. Trusts nothing in it, writes nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

from envplatform.errors import RegistryError, TargetError
from envplatform.registries import MAX_BYTES, MAX_FILES, stream_archive
from envplatform.tree import File, Tree


def unpack_sdist(
    archive: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES
) -> Tree:
    """Return the files of a `.tar.gz`, without its one top folder.

    Links and devices are left out: nothing that a test needs may depend on them.

    Raises:
        TargetError: not a tar archive, a path that leaves it, a file named twice,
            no single top folder, or more than `max_files` or `max_bytes`.
    """
    return dict(stream_sdist(archive, max_files=max_files, max_bytes=max_bytes))


def stream_sdist(
    archive: Path,
    *,
    wanted: Callable[[str, int], bool] = lambda _path, _size: True,
    max_files: int = MAX_FILES,
    max_bytes: int = MAX_BYTES,
) -> Iterator[tuple[str, File]]:
    """Go through it once; see `stream_archive`.

    Raises:
        TargetError: as `unpack_sdist`.
    """
    try:
        yield from stream_archive(
            archive, wanted=wanted, max_files=max_files, max_bytes=max_bytes
        )
    except RegistryError as error:
        raise TargetError(str(error)) from error
