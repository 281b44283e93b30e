"""Whether a release is what it says: every file's digest, and the digest over all."""

import stat
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import StoreError
from envplatform.release.manifest import (
    MANIFEST,
    FileFacts,
    Release,
    read_left_out,
    read_members,
    read_release,
)
from envplatform.release.members import release_digest
from envplatform.store.files import sha256_of
from envplatform.store.values import digest_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One thing that is wrong."""

    path: str
    """Below the release's folder."""
    what: str


def damages(folder: Path) -> tuple[Damage, ...]:
    """Read every byte; empty if all is well. Never raises for what it finds."""
    try:
        release = read_release(folder)
    except StoreError as error:
        return (Damage(path=MANIFEST, what=str(error)),)
    found = [
        Damage(path=path, what=what)
        for path, facts in sorted(release.files.items())
        if (what := _wrong(folder / path, facts))
    ]
    known = {*release.files, MANIFEST}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name not in known and (path.is_symlink() or not path.is_dir()):
            found.append(Damage(path=name, what="does not belong to the release"))
    return tuple(found) if found else _contradictions(folder, release)


def check_whole(folder: Path) -> Release:
    """Return the release in a folder.

    Raises:
        StoreError: it is damaged; names the first file and what to do.
    """
    found = damages(folder)
    if found:
        more = f", and {len(found) - 1} more" if found[1:] else ""
        msg = (
            f"the release in {folder} is damaged: {found[0].path} {found[0].what}{more}; "
            "bring it back from a copy, or move it away and make it again"
        )
        raise StoreError(msg)
    return read_release(folder)


def policy_digest(release: Release) -> str:
    """Digest of the settings that decided what is in it."""
    return digest_json(dict(release.policy))


def _wrong(path: Path, facts: FileFacts) -> str:
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            return "is no plain file"
        if state.st_size != facts.bytes:
            return f"has {state.st_size} bytes, not {facts.bytes}"
        return "" if sha256_of(path) == facts.sha256 else "has another digest"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"can't be read ({error.strerror})"


def _contradictions(folder: Path, release: Release) -> tuple[Damage, ...]:
    """See that the manifest fits the files: someone may have written both anew."""
    try:
        members, left_out = read_members(folder), read_left_out(folder)
    except StoreError as error:
        return (Damage(path=MANIFEST, what=str(error)),)
    digest = release_digest(members, left_out, policy=policy_digest(release))
    if digest == release.digest:
        return ()
    return (
        Damage(path=MANIFEST, what=f"names {release.digest}, members say {digest}"),
    )
