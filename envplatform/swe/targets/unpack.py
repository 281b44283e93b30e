"""Unpack an sdist into a tree in memory. Trusts nothing in it, writes nothing."""

import tarfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from envplatform.errors import TargetError
from envplatform.tree import File, Tree, TreeError, checked_path

MAX_FILES = 20_000
MAX_BYTES = 500_000_000


def unpack_sdist(
    archive: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES
) -> Tree:
    """Return the files of a `.tar.gz`, without its one top folder.

    Links and devices are left out: nothing that a test needs may depend on them.

    Raises:
        TargetError: not a tar archive, a path that leaves it, a file named twice,
            no single top folder, or more than `max_files` or `max_bytes`.
    """
    if not archive.name.endswith((".tar.gz", ".tgz")):
        msg = f"{archive.name}: only .tar.gz sdists are unpacked"
        raise TargetError(msg)
    try:
        with tarfile.open(archive, "r|gz") as members:
            return _read(_bounded(members, archive.name, max_files, max_bytes), archive)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        msg = f"{archive.name} is not a sound archive: {error}"
        raise TargetError(msg) from error


def _bounded(
    members: tarfile.TarFile, name: str, max_files: int, max_bytes: int
) -> Iterator[tuple[str, File | None]]:
    """Yield path and file of each member, None for what is no plain file."""
    total = 0
    for count, member in enumerate(members, 1):
        total += member.size
        if count > max_files or total > max_bytes:
            msg = f"{name} holds more than {max_files:,} files or {max_bytes:,} bytes"
            raise TargetError(msg)
        path = _member_path(member, name)
        stream = members.extractfile(member) if member.isfile() else None
        if stream is None:
            yield path, None
        else:
            yield path, File(stream.read(), bool(member.mode & 0o100))


def _read(members: Iterable[tuple[str, File | None]], archive: Path) -> Tree:
    tree: dict[str, File] = {}
    tops: set[str] = set()
    for path, file in members:
        top, _, inner = path.partition("/")
        tops.add(top)
        if file is None:
            continue
        if inner in tree or not inner:
            msg = f"{archive.name} holds {path!r} twice, or outside its top folder"
            raise TargetError(msg)
        tree[inner] = file
    if len(tops) != 1:
        msg = f"{archive.name} has {len(tops)} top folders; an sdist has one"
        raise TargetError(msg)
    return tree


def _member_path(member: tarfile.TarInfo, name: str) -> str:
    path = member.name.removeprefix("./").rstrip("/")
    try:
        return checked_path(path)
    except TreeError as error:
        msg = f"{name}: {error}"
        raise TargetError(msg) from error
