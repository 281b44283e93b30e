"""The tables of a release: each environment looked at and packed, each conversation.

What can't be written is noted and costs no other. Not here: lists, card and manifest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import Environment, environment_files, read_environment
from envplatform.bundle.archive import pack
from envplatform.configuration.release import ReleaseSettings
from envplatform.errors import BundleError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.release.gathering import (
    Found,
    Offered,
    gather,
    selected_trajectories,
)
from envplatform.release.held_out import shared_with
from envplatform.release.ledger import Ledger
from envplatform.release.members import LeftOut, Reason, Split
from envplatform.release.rows import environment_row, trajectory_row
from envplatform.release.tables import Tables
from envplatform.store import Input, Store
from envplatform.swe.fixes.curation.hashes import HeldOut

_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The tables of one release, under way in an empty folder."""

    store: Store
    folder: Path
    settings: ReleaseSettings

    def write(
        self,
        inputs: Sequence[Input],
        held_out: HeldOut,
        told: Callable[[int, int], None],
    ) -> Ledger:
        """Write all that may be; the ledger has what was, and what was not.

        Raises:
            StoreError: a table is not what it was.
        """
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
        try:
            columns, member = environment_row(offered, environment, pack(files))
        except ValueError as error:
            what = f"its row in {offered.origin.asset} can't be written: {error}"
            return _out_environment(row.environment_id, "damaged", what)
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
