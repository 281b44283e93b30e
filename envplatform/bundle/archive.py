"""An environment's folder as one uncompressed tar, and back. Same files, same bytes.

Times, owners and order are fixed. What is read may be a stranger's: every header is
checked before a byte of content is touched, and nothing is written to a disk.
"""

import io
import tarfile
from pathlib import Path

from envplatform.errors import BundleError
from envplatform.tree import File, Tree, TreeError, checked_path

_BLOCK = 512
_MODES = {False: 0o644, True: 0o755}
_MOST_FILES = 20_000
_MOST_BYTES = 512_000_000


def pack(tree: Tree) -> bytes:
    """Return files as a tar, sorted by path."""
    stream = io.BytesIO()
    with tarfile.open(
        fileobj=stream, mode="w", format=tarfile.PAX_FORMAT, errors="surrogateescape"
    ) as archive:
        for path in sorted(tree):
            file = tree[path]
            header = tarfile.TarInfo(path)
            header.size, header.mode = len(file.data), _MODES[file.executable]
            archive.addfile(header, io.BytesIO(file.data))
    return stream.getvalue()


def unpack(data: bytes) -> dict[str, File]:
    """Return the files in a tar.

    Raises:
        BundleError: it is no whole tar, or too large, or holds what is no plain file, a
            path that leaves its folder, or one path twice; names the member.
    """
    try:
        with tarfile.open(
            fileobj=io.BytesIO(data), mode="r:", errors="surrogateescape"
        ) as archive:
            return _files(archive, data)
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        msg = f"the archive is no whole tar ({error})"
        raise BundleError(msg) from error


def write_folder(tree: Tree, folder: Path) -> None:
    """Write the files of an archive as a folder that is not there yet."""
    for path in sorted(tree):
        target = folder / checked_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(tree[path].data)
        target.chmod(_MODES[tree[path].executable])


def _files(archive: tarfile.TarFile, data: bytes) -> dict[str, File]:
    files: dict[str, File] = {}
    end = 0
    # One header after the other: `getmembers` would follow a size that leads back.
    while (member := archive.next()) is not None:
        path = _checked(member, at_least=end, total=len(data))
        if path in files:
            msg = f"the archive holds {path!r} twice"
            raise BundleError(msg)
        if len(files) >= _MOST_FILES:
            msg = f"the archive holds more than {_MOST_FILES} files"
            raise BundleError(msg)
        start, end = member.offset_data, member.offset_data + member.size
        files[path] = File(data[start:end], bool(member.mode & 0o100))
    return files


def _checked(member: tarfile.TarInfo, *, at_least: int, total: int) -> str:
    end = member.offset_data + member.size
    if not member.isreg() or member.issparse():
        msg = f"the archive's {member.name!r} is no plain file"
        raise BundleError(msg)
    if not 0 <= member.size <= _MOST_BYTES or member.offset_data < at_least:
        msg = f"the archive's {member.name!r} has an impossible size, {member.size}"
        raise BundleError(msg)
    if end > total:
        msg = f"the archive ends within {member.name!r}"
        raise BundleError(msg)
    try:
        return checked_path(member.name)
    except TreeError as error:
        raise BundleError(str(error)) from error
