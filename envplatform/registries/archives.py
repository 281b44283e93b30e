"""Go through a `.tar.gz` once. Trusts nothing in it, writes nothing."""

import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from envplatform.errors import RegistryError
from envplatform.tree import File, TreeError, checked_path

MAX_FILES = 20_000
MAX_BYTES = 500_000_000


def _anything(_path: str, _size: int) -> bool:
    return True


def _nobody(_path: str) -> None:
    return None


def stream_archive(
    archive: Path,
    *,
    wanted: Callable[[str, int], bool] = _anything,
    link: Callable[[str], None] = _nobody,
    max_files: int = MAX_FILES,
    max_bytes: int = MAX_BYTES,
) -> Iterator[tuple[str, File]]:
    """Yield path and file of what is wanted, without the one top folder.

    Only one file is held at a time. The limits count all members. Links and devices
    are left out. An archive may turn out unsound at its end: use nothing of it before
    the last file has come.

    Args:
        archive: a `.tar.gz` or `.tgz` with one top folder.
        wanted: Asked with path (without the top folder) and size in bytes.
        link: Told the path, with the top folder, of each link or device.
        max_files: Members of any kind.
        max_bytes: All files together, unpacked.

    Raises:
        RegistryError: not a tar archive, a path that leaves it, a file named twice,
            no single top folder, or more than `max_files` or `max_bytes`.
    """
    if not archive.name.endswith((".tar.gz", ".tgz")):
        msg = f"{archive.name}: only .tar.gz archives are unpacked"
        raise RegistryError(msg)
    try:
        with tarfile.open(archive, "r|gz") as members:
            sound = _bounded(members, archive.name, max_files, max_bytes)
            for path, member in _without_top(sound, archive.name, link):
                stream = members.extractfile(member) if member.isfile() else None
                if stream is not None and wanted(path, member.size):
                    yield path, File(stream.read(), bool(member.mode & 0o100))
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        msg = f"{archive.name} is not a sound archive: {error}"
        raise RegistryError(msg) from error


def _bounded(
    members: tarfile.TarFile, name: str, max_files: int, max_bytes: int
) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """Yield each member with its checked path."""
    total = 0
    for count, member in enumerate(members, 1):
        total += member.size
        if count > max_files or total > max_bytes:
            msg = f"{name} holds more than {max_files:,} files or {max_bytes:,} bytes"
            raise RegistryError(msg)
        yield _member_path(member, name), member


def _without_top(
    members: Iterator[tuple[str, tarfile.TarInfo]],
    name: str,
    link: Callable[[str], None],
) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """Yield the plain files by their path below the top folder, each path once."""
    seen: set[str] = set()
    tops: set[str] = set()
    for path, member in members:
        top, _, inner = path.partition("/")
        tops.add(top)
        if not member.isfile():
            if not member.isdir():
                link(path)
            continue
        if inner in seen or not inner:
            msg = f"{name} holds {path!r} twice, or outside its top folder"
            raise RegistryError(msg)
        seen.add(inner)
        yield inner, member
    if len(tops) != 1:
        msg = f"{name} has {len(tops)} top folders; a package has one"
        raise RegistryError(msg)


def _member_path(member: tarfile.TarInfo, name: str) -> str:
    path = member.name.removeprefix("./").rstrip("/")
    try:
        return checked_path(path)
    except TreeError as error:
        msg = f"{name}: {error}"
        raise RegistryError(msg) from error
