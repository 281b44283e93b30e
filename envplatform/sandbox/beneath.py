"""Read and write files below a folder whose content is hostile.

Every step opens one name relative to an open directory and never follows a link,
so that no link planted by sandboxed code, not even in a race, leads out of the
folder. No knowledge of sandboxes here, and no trees of our own (`tree`).
"""

import errno
import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envplatform.errors import DownloadTooLargeError, SandboxError
from envplatform.tree import File, Tree

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = 100
_MOST_FILES = 100_000


def write_beneath(root: Path, to: str, tree: Tree, *, owner: int | None) -> None:
    """Write `tree` below `root/to`, which is made; whatever is in the way is replaced.

    A link, device or file where a directory must be, and a directory where a file
    must be, is removed: an upload always succeeds, whatever the code left there.
    `owner` is the user and group id to give to what is made (None: leave it).
    """
    with _opened(os.open(root, _FOLDER)) as top:
        writer = _Writer(top, owner)
        try:
            writer.enter(to.split("/"))
            for path, file in sorted(tree.items()):
                writer.put(f"{to}/{path}", file)
        finally:
            writer.close()


def read_beneath(root: Path, path: str, *, max_bytes: int) -> dict[str, File]:
    """Read the plain files below `root/path`; one plain file comes under its name.

    Links, devices, sockets and pipes are left out. Empty where nothing is there.

    Raises:
        DownloadTooLargeError: more than `max_bytes`, a hundred thousand files or a
            hundred levels.
    """
    reader = _Reader(max_bytes)
    *parents, name = path.split("/")
    with _opened(os.open(root, _FOLDER)) as top:
        folder = os.dup(top)
        try:
            for parent in parents:
                inner = _folder(folder, parent)
                os.close(folder)
                folder = inner
            reader.take(folder, name, "", 0)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        finally:
            os.close(folder)
    return reader.tree


def remove(path: Path) -> None:
    """Remove a folder with whatever the code left in it, locked folders included.

    Raises:
        SandboxError: something of it is still there.
    """
    # GNU rm walks any depth, where Python's own recursion ends.
    for command in (["rm", "-rf"], ["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        if not path.exists():
            return
        subprocess.run([*command, "--", path], check=False, capture_output=True)
    if path.exists():
        msg = f"{path} can't be removed; remove it by hand"
        raise SandboxError(msg)


@contextmanager
def _opened(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _entered(folder: int, name: str, owner: int | None) -> int:
    """Open the directory `name`, made where it is missing or something else."""
    try:
        return _folder(folder, name)
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        os.unlink(name, dir_fd=folder)
    os.mkdir(name, 0o755, dir_fd=folder)
    inner = _folder(folder, name)
    os.fchmod(inner, 0o755)
    if owner is not None:
        os.fchown(inner, owner, owner)
    return inner


def _folder(folder: int, name: str) -> int:
    """Open the directory `name`, unlocked if the code locked it.

    Raises:
        FileNotFoundError, NotADirectoryError: also for a link.
    """
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        with _opened(handle):
            Path(f"/proc/self/fd/{handle}").chmod(0o700)
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotADirectoryError(name) from error
        raise


class _Writer:
    """Puts files below an open folder; stays in the directory it wrote to last."""

    def __init__(self, top: int, owner: int | None) -> None:
        self._top = top
        self._owner = owner
        self._folder = os.dup(top)
        self._at: list[str] = []

    def put(self, path: str, file: File) -> None:
        """Write one file; its directories are made where they are missing."""
        *parents, name = path.split("/")
        self.enter(parents)
        _clear(self._folder, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, 0o600, dir_fd=self._folder), "wb") as out:  # noqa: PTH123  a descriptor, not a path
            out.write(file.data)
            os.fchmod(out.fileno(), 0o755 if file.executable else 0o644)
            if self._owner is not None:
                os.fchown(out.fileno(), self._owner, self._owner)

    def close(self) -> None:
        """Let go of the directory."""
        os.close(self._folder)

    def enter(self, parents: list[str]) -> None:
        """Go to a directory; it is made where it is missing."""
        if parents == self._at:
            return
        folder, self._folder = self._folder, os.dup(self._top)
        os.close(folder)
        self._at = []
        for name in parents:
            inner = _entered(self._folder, name, self._owner)
            os.close(self._folder)
            self._folder = inner
        self._at = parents


def _clear(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        remove(Path(f"/proc/{os.getpid()}/fd/{folder}", name))


class _Reader:
    """Collects plain files until its budget is spent."""

    def __init__(self, max_bytes: int) -> None:
        self.tree: dict[str, File] = {}
        self._left = max_bytes
        self._max = max_bytes

    def take(self, folder: int, name: str, prefix: str, depth: int) -> None:
        """Take `name` of the open `folder`, and all below it if it is one."""
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISREG(mode):
            self._take_file(folder, name, prefix + name)
        elif stat.S_ISDIR(mode):
            if depth > _DEEPEST:
                self._refuse(f"more than {_DEEPEST} levels of folders")
            inside = f"{prefix}{name}/" if depth else ""
            with _opened(_folder(folder, name)) as inner:
                for entry in sorted(os.listdir(inner)):  # noqa: PTH208  a descriptor
                    self.take(inner, entry, inside, depth + 1)

    def _take_file(self, folder: int, name: str, path: str) -> None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(name, flags, dir_fd=folder)
        except PermissionError:
            return  # not readable for its owner either; only root never comes here
        with open(descriptor, "rb") as source:  # noqa: PTH123  a descriptor, not a path
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                return
            data = source.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            self._refuse(f"more than {self._max} bytes")
        if len(self.tree) >= _MOST_FILES:
            self._refuse(f"more than {_MOST_FILES} files")
        self.tree[path] = File(data, bool(mode & 0o100))

    def _refuse(self, what: str) -> None:
        msg = f"{what} to download; ask for a smaller folder or raise max_bytes"
        raise DownloadTooLargeError(msg)
