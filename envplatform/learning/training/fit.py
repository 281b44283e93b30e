"""One training from its order to a published checkpoint, in this process.

Goes on from the last whole checkpoint of its folder. Where memory runs out, the step is
divided further and done again from there.
"""

import gc
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from pydantic import TypeAdapter
from transformers.trainer_callback import PrinterCallback

from envplatform.errors import TrainingError
from envplatform.learning.training.base import Loaded, base_model, load
from envplatform.learning.training.external import train_elsewhere
from envplatform.learning.training.identity import identity_of
from envplatform.learning.training.job import Job, job_of
from envplatform.learning.training.messages import Say
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.publishing import publish, record_of
from envplatform.learning.training.record import BaseModel, LossPoint, MemorySplit
from envplatform.learning.training.steady import OnStep
from envplatform.learning.training.workfolder import WorkFolder, step_of

_SPLITS = TypeAdapter(tuple[MemorySplit, ...])


def fit(
    order: TrainingOrder,
    folder: WorkFolder,
    say: Say,
    *,
    make_job: Callable[[TrainingOrder, Loaded], Job] = job_of,
    after_step: Callable[[int], None] | None = None,
) -> Path:
    """Train as ordered and publish; returns the folder of the result.

    A result that is there already is that of this order, and stays.

    Raises:
        TrainingError: the training can't go on; says what to change.
        StudentError: the base model can't be used.
    """
    base = base_model(order)
    with folder.claimed(identity_of(order, base)):
        if not folder.result.is_dir():
            _train(order, folder, base, _Hooks(say, make_job, after_step))
        return folder.result


@dataclass(frozen=True, slots=True)
class _Hooks:
    """What a caller brings."""

    say: Say
    make_job: Callable[[TrainingOrder, Loaded], Job]
    after_step: Callable[[int], None] | None


def _train(
    order: TrainingOrder, folder: WorkFolder, base: BaseModel, hooks: _Hooks
) -> None:
    splits = _read_splits(folder)
    while not _attempt(order, folder, base, splits, hooks):
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        splits = (*splits, _split(order, folder, splits))
        folder.splits.write_bytes(_SPLITS.dump_json(splits))
        hooks.say({"event": "memory", **asdict(splits[-1])})


def _attempt(
    order: TrainingOrder,
    folder: WorkFolder,
    base: BaseModel,
    splits: tuple[MemorySplit, ...],
    hooks: _Hooks,
) -> bool:
    """Whether memory was enough; what was loaded is free again on return."""
    try:
        loaded = load(order, base)
        job = hooks.make_job(order, loaded)
        if order.external:
            _publish_external(order, folder, base, loaded, job)
            return True
        losses = _run(job, folder, _micro_batch(order, splits), hooks)
    except (MemoryError, RuntimeError) as error:
        if _is_memory(error):
            return False
        raise
    record = record_of(order, base, loaded, job)
    publish(loaded.model, replace(record, losses=losses, memory_splits=splits), folder)
    hooks.say({"event": "published", "steps": len(losses), "tokens": record.tokens})
    return True


def _publish_external(
    order: TrainingOrder, folder: WorkFolder, base: BaseModel, loaded: Loaded, job: Job
) -> None:
    """Have others train; how they did it is not known here, so nothing is said of it."""
    model = train_elsewhere(order, folder, job.row_ids)
    record = record_of(order, base, replace(loaded, model=model), job)
    unknown = replace(record, examples=(), tokens=0, trained_tokens=0, steps=0)
    publish(model, unknown, folder)


def _run(
    job: Job, folder: WorkFolder, micro_batch: int, hooks: _Hooks
) -> tuple[LossPoint, ...]:
    trainer = job.trainer(folder, micro_batch)
    trainer.say = hooks.say
    trainer.remove_callback(PrinterCallback)  # `say` tells the same
    if hooks.after_step is not None:
        trainer.add_callback(OnStep(hooks.after_step))
    last = folder.last_checkpoint()
    hooks.say(
        {
            "event": "started",
            "rows": len(job.row_ids),
            "left_out": len(job.left_out),
            "steps": len(job.examples),
            "from_step": step_of(last) if last else 0,
            "micro_batch": micro_batch,
        }
    )
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    return tuple(
        LossPoint(
            step=one["step"],
            loss=one["loss"],
            learning_rate=one["learning_rate"],
            grad_norm=one.get("grad_norm", 0.0),
        )
        for one in trainer.state.log_history
        if "loss" in one
    )


def _is_memory(error: BaseException) -> bool:
    known = isinstance(error, (torch.OutOfMemoryError, MemoryError))
    return known or "can't allocate memory" in str(error)


def _split(
    order: TrainingOrder, folder: WorkFolder, splits: tuple[MemorySplit, ...]
) -> MemorySplit:
    """Halve, or divide by the least that divides it evenly."""
    micro_batch = _micro_batch(order, splits)
    if micro_batch == 1:
        msg = (
            "memory runs out with one example at a time: lower max_length, use "
            "gradient_checkpointing, or take a larger machine"
        )
        raise TrainingError(msg)
    smaller = max(size for size in range(1, micro_batch) if micro_batch % size == 0)
    last = folder.last_checkpoint()
    return MemorySplit(
        step=step_of(last) if last else 0,
        micro_batch=smaller,
        accumulation=order.batch // smaller,
    )


def _micro_batch(order: TrainingOrder, splits: tuple[MemorySplit, ...]) -> int:
    return splits[-1].micro_batch if splits else order.micro_batch


def _read_splits(folder: WorkFolder) -> tuple[MemorySplit, ...]:
    try:
        return _SPLITS.validate_json(folder.splits.read_bytes())
    except FileNotFoundError:
        return ()
