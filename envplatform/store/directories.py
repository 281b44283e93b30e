"""Content-addressed directories: environments, checkpoints, anything too big for rows.

`directories/<kind>/<digest>` appears whole or not at all and never changes; the
digest is the caller's. Beside it, `<digest>.seal` holds our own SHA-256 over its
files, by which damage is found. What the files mean is not known here.
"""

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import StoreError
from envplatform.store.files import locked, sha256_of, sync
from envplatform.store.names import encode_name

SEAL = ".seal"


@dataclass(frozen=True, slots=True)
class Directories:
    """The directories below one folder; `staging` is on the same file system."""

    root: Path
    staging: Path

    def put(self, kind: str, digest: str, source: Path) -> Path:
        """Keep a copy of `source`; see `Store.put_directory`."""
        target = self.path(kind, digest)
        if target.is_dir():
            return target
        if not source.is_dir():
            msg = f"{source} is no directory, so it can't be stored as {kind}"
            raise StoreError(msg)
        with (
            locked(self.staging, shared=True),
            tempfile.TemporaryDirectory(dir=self.staging) as scratch,
        ):
            copy = Path(scratch, "copy")
            _copy(source, copy)
            seal = Path(scratch, "seal")
            seal.write_text(seal_of(copy), encoding="ascii")
            sync(seal)
            target.parent.mkdir(parents=True, exist_ok=True)
            # The seal first: alone it is a harmless leftover, a directory without
            # one could never be verified.
            seal.replace(target.with_name(target.name + SEAL))
            _appear(copy, target)
            sync(target.parent)
        return target

    def get(self, kind: str, digest: str) -> Path:
        """Where a directory lies; see `Store.directory`."""
        path = self.path(kind, digest)
        if not path.is_dir():
            msg = f"no {kind} with digest {digest} is stored: materialise it again"
            raise StoreError(msg)
        return path

    def path(self, kind: str, digest: str) -> Path:
        """Where a directory lies or would lie."""
        return self.root / encode_name(kind) / encode_name(digest)


def seal_of(folder: Path) -> str:
    """SHA-256 (hex) over names, executable bits and contents of all files below.

    Raises:
        StoreError: something below is neither a directory nor a plain file.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            msg = f"{path} is a link or a device; only plain files can be stored"
            raise StoreError(msg)
        if path.is_file():
            executable = int(bool(path.stat().st_mode & 0o100))
            name = path.relative_to(folder).as_posix()
            line = f"{sha256_of(path)} {executable} {name}\n"
            digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _copy(source: Path, copy: Path) -> None:
    """Copy files durably. Links are kept as links, for `seal_of` to refuse."""
    shutil.copytree(source, copy, symlinks=True)
    for path in [copy, *copy.rglob("*")]:
        if not path.is_symlink():
            sync(path)


def _appear(copy: Path, target: Path) -> None:
    try:
        copy.rename(target)
    except OSError:
        if not target.is_dir():  # else another writer of the same digest was first
            raise
