"""Making a release of what is stored. The same content is never released twice.

Written beside and renamed; a release that is there already is looked through first, and
one that is damaged is not taken for the same: the next version takes its place.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from envplatform.configuration.release import ReleaseSettings
from envplatform.errors import StoreError
from envplatform.release.card import card
from envplatform.release.gathering import check_experiments
from envplatform.release.held_out import load_sets
from envplatform.release.ledger import Ledger
from envplatform.release.manifest import (
    CARD,
    FORMAT,
    FORMAT_VERSION,
    LEFT_OUT,
    MANIFEST,
    MEMBERS,
    Counts,
    FileFacts,
    Release,
    manifest_bytes,
    read_release,
)
from envplatform.release.members import line_of, release_digest
from envplatform.release.shelf import Shelf, shelf_of
from envplatform.release.verifying import damages, policy_digest
from envplatform.release.writing import Writing
from envplatform.store import Input, Store
from envplatform.store.files import sha256_of

REVISION = 1
"""Raised when the same tables can become another release than before."""


class NothingToReleaseError(StoreError):
    """Nothing is stored that may be released; the message says what was, and why not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A release on its shelf."""

    release: Release
    folder: Path
    is_new: bool
    """False: the same content had been released before."""
    ledger: Ledger


def make(
    store: Store,
    inputs: Sequence[Input],
    settings: ReleaseSettings,
    *,
    created: datetime,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Made:
    """Release what these tables hold and the settings take.

    Args:
        store: holds tables and environments; the release is kept beside them.
        inputs: tables in the versions that are meant, `stored_inputs` for the newest.
        settings: what is taken, and how it is divided.
        created: now, with time zone.
        told: called after each environment with the number that is done, and of all.

    Raises:
        ConfigError: a hash file can't be read, or an experiment is named of which
            nothing is stored.
        NothingToReleaseError: nothing is stored that may be; says what was.
        StoreError: a table is not what it was.
    """
    check_experiments(inputs, settings)
    held_out = load_sets(settings.held_out_files)
    shelf = shelf_of(store)
    with shelf.making() as building:
        writing = Writing(store=store, folder=building, settings=settings)
        ledger = writing.write(inputs, held_out, told)
        if not ledger.members:
            raise NothingToReleaseError(_nothing(ledger))
        draft = _draft(settings, ledger, created)
        same, damaged = _same(shelf, draft.digest)
        if same is not None:
            folder = shelf.folder(same)
            return Made(
                release=read_release(folder), folder=folder, is_new=False, ledger=ledger
            )
        ledger.notes += damaged
        version = max(shelf.versions, default=0) + 1
        release = _finish(building, replace(draft, version=version), ledger)
        folder = shelf.put(building, version)
    return Made(release=release, folder=folder, is_new=True, ledger=ledger)


def _nothing(ledger: Ledger) -> str:
    some = "; ".join(
        f"{one.id}: {one.reason.replace('_', ' ')}, {one.detail}"
        for one in ledger.left_out[:3]
    )
    return f"nothing can be released: {some or 'no environment is stored'}"


def _draft(settings: ReleaseSettings, ledger: Ledger, created: datetime) -> Release:
    """Return what is known before its version and its files are."""
    draft = Release(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        name=settings.name,
        version=0,
        digest="",
        created=created.isoformat(timespec="seconds"),
        policy=_policy(settings),
        counts=Counts(
            environments=ledger.environments,
            trajectories=ledger.trajectories,
            left_out=len(ledger.left_out),
        ),
        notes=(),
        files={},
    )
    digest = release_digest(
        ledger.members, ledger.left_out, policy=policy_digest(draft)
    )
    return replace(draft, digest=digest)


def _policy(settings: ReleaseSettings) -> dict[str, str]:
    """Settings as text; of a file its digest, as where it lies decides nothing."""
    said = settings.model_dump(mode="json", exclude={"held_out_files"})
    files = sorted(sha256_of(Path(file)) for file in settings.held_out_files)
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in said.items()
    }
    return {**texts, "held_out": ", ".join(files) or "none", "code": f"{REVISION}"}


def _same(shelf: Shelf, digest: str) -> tuple[int | None, list[str]]:
    """The newest whole release of this content, and a note for each damaged one."""
    notes = []
    for version in reversed(shelf.versions):
        try:
            folder = shelf.folder(version)
            if read_release(folder).digest != digest:
                continue
        except StoreError:
            continue  # whose content can't be told: `release verify` names it
        found = damages(folder)
        if not found:
            return version, []
        notes.append(
            f"v{version} has the same content and is damaged: {found[0].path} "
            f"{found[0].what}"
        )
    return None, notes


def _finish(building: Path, release: Release, ledger: Ledger) -> Release:
    """Write lists and card, then the manifest with the digests of all files."""
    noted = replace(release, notes=tuple(ledger.notes))
    with (building / MEMBERS).open("wb") as file:
        file.writelines(line_of(one) for one in ledger.members)
    with (building / LEFT_OUT).open("wb") as file:
        file.writelines(line_of(one) for one in ledger.left_out)
    (building / CARD).write_text(card(noted, ledger), encoding="utf-8")
    files = {
        path.relative_to(building).as_posix(): _facts(path)
        for path in sorted(building.rglob("*"))
        if path.is_file()
    }
    whole = replace(noted, files=files)
    (building / MANIFEST).write_bytes(manifest_bytes(whole))
    return whole


def _facts(path: Path) -> FileFacts:
    return FileFacts(sha256=sha256_of(path), bytes=path.stat().st_size)
