"""Making a release of what is stored. The same content is never released twice.

Written beside and renamed; a release that is there already is looked through first, and
one that is damaged is not taken for the same: the next version takes its place.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from envplatform.bundle import Environment, environment_files, read_environment
from envplatform.bundle.archive import pack
from envplatform.configuration.release import ReleaseSettings
from envplatform.errors import BundleError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.release.card import card
from envplatform.release.gathering import (
    Found,
    Offered,
    gather,
    selected_trajectories,
)
from envplatform.release.held_out import load_sets, shared_with
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
from envplatform.release.members import (
    LeftOut,
    Reason,
    Split,
    line_of,
    release_digest,
)
from envplatform.release.rows import environment_row, trajectory_row
from envplatform.release.shelf import Shelf, shelf_of
from envplatform.release.tables import Tables
from envplatform.release.verifying import damages, policy_digest
from envplatform.store import Input, Store
from envplatform.store.files import sha256_of
from envplatform.swe.fixes.curation.hashes import HeldOut

REVISION = 1
"""Raised when the same tables can become another release than before."""

_LONGEST = 300


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
        ConfigError: a hash file can't be read.
        NothingToReleaseError: nothing is stored that may be; says what was.
        StoreError: a table is not what it was.
    """
    held_out = load_sets(settings.held_out_files)
    shelf = shelf_of(store)
    with shelf.making() as building:
        writing = _Writing(store=store, folder=building, settings=settings)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """One release under way."""

    store: Store
    folder: Path
    settings: ReleaseSettings

    def write(
        self,
        inputs: Sequence[Input],
        held_out: HeldOut,
        told: Callable[[int, int], None],
    ) -> Ledger:
        ledger = Ledger()
        gathered = gather(self.store, inputs, self.settings)
        ledger.left_out += gathered.left_out
        splits = {one.row.digest: one.split for one in gathered.offered}
        kept: dict[str, Split] = {}
        with Tables(self.folder) as tables:
            for number, offered in enumerate(gathered.offered, start=1):
                left_out = self._environment(offered, held_out, splits, tables, ledger)
                if left_out is None:
                    kept[offered.row.digest] = offered.split
                else:
                    ledger.left_out.append(left_out)
                told(number, len(gathered.offered))
            for found in selected_trajectories(
                self.store, inputs, self.settings, ledger.left_out
            ):
                left_out = _trajectory(found, kept, tables, ledger)
                if left_out is not None:
                    ledger.left_out.append(left_out)
        return ledger

    def _environment(
        self,
        offered: Offered,
        held_out: HeldOut,
        splits: dict[str, Split],
        tables: Tables,
        ledger: Ledger,
    ) -> LeftOut | None:
        row = offered.row
        try:
            folder = self.store.directory(DIRECTORY_KIND, row.digest)
        except StoreError as error:
            return _out_environment(row.environment_id, "lost", error)
        try:
            environment = read_environment(folder, digest=row.digest)
            why = shared_with(
                held_out,
                environment,
                repository=row.repository,
                most=self.settings.held_out_grams,
            )
            files = environment_files(environment)
        except (BundleError, OSError) as error:
            # Without where it lies: that is nobody's business who gets the release.
            what = str(error).replace(str(folder), "its folder")
            return _out_environment(row.environment_id, "damaged", what)
        if why:
            return _out_environment(row.environment_id, "held_out", why)
        if _has_parent_elsewhere(environment, offered.split, splits):
            parent = environment.lineage.parent
            return _out_environment(row.environment_id, "parent_elsewhere", parent)
        columns, member = environment_row(offered, environment, pack(files))
        tables.add("environment", offered.split, columns)
        ledger.add_environment(member, row, columns["writers"])
        return None


def _trajectory(
    found: Found, kept: dict[str, Split], tables: Tables, ledger: Ledger
) -> LeftOut | None:
    one = found.trajectory
    split = kept.get(one.environment_digest)
    if split is None:
        detail = f"{one.environment_id} ({one.environment_digest[:12]}) is not in it"
        return _out_trajectory(found.id, "no_environment", detail)
    if not one.steps:
        return _out_trajectory(found.id, "no_steps", f"harness {one.harness}")
    try:
        columns, member = trajectory_row(found, split)
    except ValueError as error:
        return _out_trajectory(found.id, "unreadable", error)
    tables.add("trajectory", split, columns)
    ledger.add_trajectory(member, one)
    return None


def _has_parent_elsewhere(
    environment: Environment, split: Split, splits: dict[str, Split]
) -> bool:
    parent = environment.lineage.parent
    return parent is not None and splits.get(parent, split) != split


def _out_environment(name: str, reason: Reason, detail: object) -> LeftOut:
    line = " ".join(str(detail).split())[:_LONGEST]
    return LeftOut(kind="environment", id=name, reason=reason, detail=line)


def _out_trajectory(name: str, reason: Reason, detail: object) -> LeftOut:
    line = " ".join(str(detail).split())[:_LONGEST]
    return LeftOut(kind="trajectory", id=name, reason=reason, detail=line)


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
        folder = shelf.folder(version)
        try:
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
