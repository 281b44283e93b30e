"""What every asset that trains does: order, process, store, and what the UI is told."""

import hashlib
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import isfinite
from pathlib import Path

from assets.batch import PartitionResult
from assets.pictures import counts_table
from assets.plots import Axes, curves
from envplatform.configuration import EMBEDDED_STUDENT, ExperimentTrainingSettings
from envplatform.learning.training.checkpoint import Checkpoint
from envplatform.learning.training.order import ORDER, TrainingOrder
from envplatform.learning.training.published import checkpoint_row, keep_checkpoint
from envplatform.learning.training.record import LossPoint
from envplatform.learning.training.rows import rows_digest
from envplatform.learning.training.workfolder import WorkFolder
from envplatform.store import Store
from resources.trainer import TrainerResource

PLUMBING = "the embedded model proves the plumbing; what it learns is no evidence"
_CACHE = "training"
_TICKS = 5


def new_place(store: Store, name: str) -> Path:
    """Where rows are written before they are trained on; `trained` takes them away."""
    return store.cache_folder(_CACHE) / f".{name}.{os.getpid()}.rows.unfinished"


def trained(store: Store, trainer: TrainerResource, order: TrainingOrder) -> Checkpoint:
    """Train as ordered, and keep what comes of it; its rows stand in a `new_place`.

    The work folder is named by order and rows: a run that was killed goes on when the
    same is asked again. It is deleted once the checkpoint is kept.

    Raises:
        TrainingError: it can't be carried out; says what to change.
        StudentError: the base model can't be used.
    """
    given = replace(order, code_commit=code_commit())
    digest = hashlib.sha256(ORDER.dump_json(replace(given, rows=Path("rows"))))
    digest.update(rows_digest(order.rows).encode())
    folder = store.cache_folder(_CACHE) / digest.hexdigest()[:32]
    folder.mkdir(exist_ok=True)
    rows = WorkFolder(folder).rows
    order.rows.replace(rows)
    found = keep_checkpoint(store, trainer.train(replace(given, rows=rows), folder))
    shutil.rmtree(folder)
    return found


def published(
    found: Checkpoint, settings: ExperimentTrainingSettings
) -> PartitionResult:
    """The row of a checkpoint, with figures, the reasons of what was left out, a curve."""
    record = found.record
    row = checkpoint_row(found)
    reasons: Counter[str] = Counter(one.reason for one in record.left_out)
    notes = (PLUMBING,) if settings.base == EMBEDDED_STUDENT else ()
    refused = (record.packing_refused,) if record.packing_refused else ()
    return PartitionResult(
        rows=(row,),
        metadata={
            "checkpoint": row.checkpoint,
            "base": row.base,
            "base digest": row.base_digest,
            "base licence": row.base_licence or "not known",
            "parent": row.parent or "none",
            "rows": row.rows,
            "left out": row.left_out,
            "steps": row.steps,
            "tokens": row.tokens,
            "trained tokens": row.trained_tokens,
            "first loss": row.first_loss,
            "last loss": row.last_loss,
            "packing": row.packing,
            "divided for memory": row.memory_splits,
            "device": row.device,
            "dtype": row.dtype,
            "attention": record.attention,
        },
        markdown={
            **loss_curve(record.losses),
            **({"left out": counts_table(reasons, of="reason")} if reasons else {}),
        },
        notes=(*notes, *refused),
    )


def loss_curve(losses: Sequence[LossPoint]) -> dict[str, str]:
    """A picture of the loss by step; none of fewer than two steps."""
    points = [(one.step, one.loss) for one in losses if isfinite(one.loss)]
    if len(points) < 2:  # noqa: PLR2004  a line has two ends
        return {}
    first, last = points[0][0], points[-1][0]
    low, high = min(loss for _, loss in points), max(loss for _, loss in points)
    spread = (high - low) or 1.0
    axes = Axes(
        x="step",
        y="loss",
        x_ticks=sorted(
            {first + (last - first) * part // (_TICKS - 1) for part in range(_TICKS)}
        ),
        y_ticks=[
            round(low + spread * part / (_TICKS - 1), 3) for part in range(_TICKS)
        ],
        is_linear=True,
    )
    return {"loss curve": curves({"loss": points}, axes, title="loss by step")}


@cache
def code_commit() -> str:
    """Commit of the checkout that this code stands in; empty outside of one."""
    told = subprocess.run(
        ["git", "rev-parse", "--verify", "HEAD"],
        cwd=Path(__file__).resolve().parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() if told.returncode == 0 else ""
