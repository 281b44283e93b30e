"""Writing files so that a crash leaves the old or the new content, and folder locks.

POSIX only: `rename` replaces atomically and `flock` is dropped when its holder dies.
What the files mean is not known here.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = ".lock"
UNFINISHED = ".tmp"
"""Suffix of a file under way. Its writer holds the folder's lock, so under the same
lock such a file is always a leftover of a crash."""


def write_atomically(path: Path, data: bytes) -> None:
    """Replace `path`, durable on return. The folder's lock must be held."""
    beside = path.with_name(f".{path.name}{UNFINISHED}")
    with beside.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Bring a file's content, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold `folder`, created if missing, against other processes and threads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
