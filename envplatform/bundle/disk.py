"""Environments in folders: written whole or not at all, read with distrust.

Here: the only code that touches a disk for environments. Not here: which file holds
what (`layout`), older formats (`migrate`), stores of many environments.
"""

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import layout
from envplatform.bundle.digest import environment_digest, identity_file
from envplatform.bundle.environment import Environment
from envplatform.bundle.migrate import identify, migrate, named_digest
from envplatform.errors import BundleError
from envplatform.tree import File, Tree, TreeError, checked_path, write_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """What a reader is willing to take into memory from a folder of someone else's."""

    files: int = 20_000
    total_bytes: int = 512_000_000


def write_environment(environment: Environment, folder: Path) -> str:
    """Write `environment` as `folder` and return its digest.

    Written beside, then renamed: a half-written folder is never visible. Where the
    same environment lies there already, only its audit is brought up to date.

    Raises:
        BundleError: parts do not fit together, or another environment lies there.
    """
    digest = environment_digest(environment)
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        write_tree(environment_files(environment), beside)
        beside.chmod(0o755)
        try:
            beside.rename(folder)
        except OSError:
            if not folder.exists():
                raise
            _settle(environment, beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return digest


def read_environment(
    folder: Path, *, digest: str | None = None, limits: ReadLimits = ReadLimits()
) -> Environment:
    """Read and verify the environment in `folder`.

    Every file must be what this version would write: no more, no less, no other.

    Args:
        folder: an environment's own folder.
        digest: the digest that the caller asked for, checked too where given; for a
            folder of an older format the one that this format gave it.
        limits: refuse more than this.

    Raises:
        BundleError: wrong digest, unknown format version, a missing, surplus or
            changed part, a link or device, too many or too large files.
    """
    raw = _bounded_tree(folder, limits)
    files = migrate(raw)
    identity = identify(files)
    environment = layout.parse(files, identity.environment)
    actual = environment_digest(environment)
    if identity.digest != actual:
        msg = f"{folder} names the digest {identity.digest}, its content is {actual}"
        raise BundleError(msg)
    _compare(files, environment_files(environment), folder)
    if digest is not None and digest not in {identity.digest, named_digest(raw)}:
        msg = f"{folder} holds {identity.digest}, not {digest}"
        raise BundleError(msg)
    return environment


def environment_files(environment: Environment) -> dict[str, File]:
    """Every file of the environment's folder.

    Raises:
        BundleError: the environment's parts do not fit together.
    """
    files = layout.content_files(environment)
    files[layout.IDENTITY] = identity_file(environment)
    files[layout.AUDIT] = layout.audit_file(environment)
    return files


def _settle(environment: Environment, beside: Path, folder: Path) -> None:
    """Another writer was first, or we write again: agree on one content."""
    there = read_environment(folder)
    if environment_digest(there) != environment_digest(environment):
        msg = f"{folder} already holds another environment; choose another folder"
        raise BundleError(msg)
    if environment.audit:
        (beside / layout.AUDIT).replace(folder / layout.AUDIT)


def _compare(found: Tree, wanted: Tree, folder: Path) -> None:
    if found == wanted:
        return
    surplus, lost = found.keys() - wanted.keys(), wanted.keys() - found.keys()
    changed = {
        path for path in found.keys() & wanted.keys() if found[path] != wanted[path]
    }
    what = "surplus" if surplus else "missing" if lost else "changed"
    path = min(surplus or lost or changed)
    msg = f"{folder} is not what its digest says: {path} is {what}"
    raise BundleError(msg)


def _bounded_tree(folder: Path, limits: ReadLimits) -> dict[str, File]:
    if folder.is_symlink() or not folder.is_dir():
        msg = f"{folder} is not a folder of an environment"
        raise BundleError(msg)
    files: dict[str, File] = {}
    room = limits.total_bytes
    for path in _plain_files(folder):
        full = folder / path
        room -= full.stat().st_size
        if room < 0 or len(files) >= limits.files:
            msg = f"{folder} is larger than {limits}"
            raise BundleError(msg)
        executable = bool(full.stat().st_mode & stat.S_IXUSR)
        files[path] = File(full.read_bytes(), executable)
    return files


def _plain_files(folder: Path) -> list[str]:
    found = []
    for parent, folders, names in os.walk(folder):
        for name in [*folders, *names]:
            full = Path(parent, name)
            mode = full.lstat().st_mode
            if stat.S_ISREG(mode):
                found.append(_clean(full.relative_to(folder).as_posix()))
            elif not stat.S_ISDIR(mode):
                msg = f"{full} is a link or device; an environment holds plain files"
                raise BundleError(msg)
    return sorted(found)


def _clean(path: str) -> str:
    try:
        return checked_path(path)
    except TreeError as error:
        raise BundleError(str(error)) from error
