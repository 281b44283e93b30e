"""Unpack an sdist into a tree in memory. Trusts nothing in it, writes nothing."""

import tarfile
import zlib
from pathlib import Path

from envplatform.errors import TargetError
from envplatform.tree import File, Tree, TreeError, checked_path

_MAX_FILES = 20_000
_MAX_FILE_BYTES = 50_000_000
_MAX_BYTES = 500_000_000


def unpack_sdist(archive: Path) -> Tree:
    """Return the files of a `.tar.gz`, without its one top folder.

    Links and devices are left out: nothing that a test needs may depend on them.

    Raises:
        TargetError: not a tar archive, a path that leaves it, a file named twice,
            no single top folder, or more than fits (20,000 files, 500 MB).
    """
    if not archive.name.endswith((".tar.gz", ".tgz")):
        msg = f"{archive.name}: only .tar.gz sdists are unpacked"
        raise TargetError(msg)
    try:
        with tarfile.open(archive, "r|gz") as members:
            return _read(members, archive.name)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        msg = f"{archive.name} is not a sound archive: {error}"
        raise TargetError(msg) from error


def _read(members: tarfile.TarFile, name: str) -> Tree:
    tree: dict[str, File] = {}
    tops: set[str] = set()
    total = 0
    for count, member in enumerate(members):
        total += member.size if member.isfile() else 0
        if count > _MAX_FILES or total > _MAX_BYTES or member.size > _MAX_FILE_BYTES:
            msg = f"{name} holds more than {_MAX_FILES:,} files or {_MAX_BYTES:,} bytes"
            raise TargetError(msg)
        path = _member_path(member, name)
        tops.add(path.split("/")[0])
        if not member.isfile():
            continue
        stream = members.extractfile(member)
        inner = path.partition("/")[2]
        if stream is None or inner in tree or not inner:
            msg = f"{name} holds {path!r} twice, or outside its top folder"
            raise TargetError(msg)
        tree[inner] = File(stream.read(), bool(member.mode & 0o100))
    if len(tops) != 1:
        msg = f"{name} has {len(tops)} top folders; an sdist has one"
        raise TargetError(msg)
    return tree


def _member_path(member: tarfile.TarInfo, name: str) -> str:
    path = member.name.removeprefix("./").rstrip("/")
    try:
        return checked_path(path)
    except TreeError as error:
        msg = f"{name}: {error}"
        raise TargetError(msg) from error
