"""Finding a published checkpoint by folder or digest, and what it was trained on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import stored_rows
from envplatform.errors import StoreError
from envplatform.learning.training.checkpoint import (
    RECORD_FILE,
    Checkpoint,
    read_checkpoint,
)
from envplatform.learning.training.published import CheckpointRow, kept_checkpoint
from envplatform.learning.training.record import CheckpointRecord
from envplatform.store import Manifest, Store, record_of
from envplatform.trajectories import Trajectory

_START_OF_DIGEST = re.compile(r"[0-9a-f]{6,64}")
_ROLLOUTS = "rollouts"


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutPlace:
    """Of a trajectory, where it was played."""

    VIEW_OF: ClassVar[type] = Trajectory

    trajectory_id: str
    environment_digest: str


def is_checkpoint_folder(name: str) -> bool:
    """Whether `name` means the folder of a published checkpoint."""
    return Path(name, RECORD_FILE).is_file()


def find_checkpoint(store: Store, name: str) -> Checkpoint | None:
    """The checkpoint that `name` means: a folder, a digest or its start; None if none.

    Raises:
        StoreError: several checkpoints begin so.
        TrainingError: it is damaged.
    """
    if is_checkpoint_folder(name):
        return read_checkpoint(Path(name))
    if not _START_OF_DIGEST.fullmatch(name):
        return None
    found = {row.checkpoint for _, row in _rows(store)}
    fitting = sorted(digest for digest in found if digest.startswith(name))
    if len(fitting) > 1:
        msg = f"{name!r} begins {len(fitting)} checkpoints: {', '.join(fitting)}"
        raise StoreError(msg)
    return kept_checkpoint(store, fitting[0]) if fitting else None


def tables_of(store: Store, digest: str) -> tuple[Manifest, ...]:
    """Tables that tell of a checkpoint."""
    found = (manifest for manifest, row in _rows(store) if row.checkpoint == digest)
    return tuple(found)


def trained_environments(
    store: Store, record: CheckpointRecord
) -> tuple[EnvironmentRow, ...]:
    """Environments whose rollouts were trained on, as far as they are still stored.

    Of training on plays, those that were played.
    """
    wanted = set(record.row_ids)
    if record.kind == "grpo":  # its rows are environments, by the start of the digest
        starts = tuple(wanted)
        return tuple(row for row in stored_rows(store) if row.digest.startswith(starts))
    digests = {
        one.environment_digest
        for manifest in store.manifests(_ROLLOUTS)
        for one in store.scan(RolloutPlace, _ROLLOUTS, manifest.partition)
        if one.trajectory_id in wanted
    }
    return tuple(row for row in stored_rows(store) if row.digest in digests)


def _rows(store: Store) -> Iterator[tuple[Manifest, CheckpointRow]]:
    kind = record_of(CheckpointRow).name
    for asset in store.assets():
        for manifest in store.manifests(asset):
            if manifest.row_type == kind:
                for row in store.scan(CheckpointRow, asset, manifest.partition):
                    yield manifest, row
