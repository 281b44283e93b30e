"""Published checkpoints in the store: a directory by its digest, and a row about it."""

from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import ClassVar

from envplatform.errors import StoreError
from envplatform.learning.training.checkpoint import (
    KIND,
    Checkpoint,
    read_checkpoint,
)
from envplatform.store import Manifest, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRow:
    """One published checkpoint; the whole record lies in its directory."""

    SCHEMA_VERSION: ClassVar[int] = 1

    checkpoint: str
    """Digest, by which the store keeps it."""
    kind: str
    """Of training."""
    base: str
    base_digest: str
    base_licence: str
    parent: str | None
    """Checkpoint that was trained further."""
    rows: int
    """Trained on."""
    left_out: int
    steps: int
    tokens: int
    trained_tokens: int
    first_loss: float
    last_loss: float
    device: str
    dtype: str
    packing: str
    memory_splits: int
    """Times that memory ran out and a step was divided further."""


def keep_checkpoint(store: Store, folder: Path) -> Checkpoint:
    """Keep a published checkpoint for good; returns it where it lies now.

    Raises:
        TrainingError: it is none.
    """
    found = read_checkpoint(folder)
    kept = store.put_directory(KIND, found.digest, folder)
    return Checkpoint(folder=kept, digest=found.digest, record=found.record)


def kept_checkpoint(store: Store, digest: str) -> Checkpoint:
    """A checkpoint by its digest.

    Raises:
        StoreError: none of this digest is stored.
        TrainingError: it was damaged.
    """
    return read_checkpoint(store.directory(KIND, digest))


def holds_checkpoints(store: Store, manifest: Manifest) -> bool:
    """Whether all checkpoints of a table are stored; for `batch_asset`."""
    rows = store.scan(CheckpointRow, manifest.asset, manifest.partition)
    try:
        for row in rows:
            store.directory(KIND, row.checkpoint)
    except StoreError:
        return False
    return True


def checkpoint_row(found: Checkpoint) -> CheckpointRow:
    """Return the row of a checkpoint."""
    record = found.record
    return CheckpointRow(
        checkpoint=found.digest,
        kind=record.kind,
        base=record.base.name,
        base_digest=record.base.digest,
        base_licence=record.base.licence,
        parent=record.parent,
        rows=len(record.row_ids),
        left_out=len(record.left_out),
        steps=record.steps,
        tokens=record.tokens,
        trained_tokens=record.trained_tokens,
        first_loss=record.losses[0].loss if record.losses else nan,
        last_loss=record.losses[-1].loss if record.losses else nan,
        device=record.device,
        dtype=record.dtype,
        packing=record.packing,
        memory_splits=len(record.memory_splits),
    )
