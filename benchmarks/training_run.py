"""One side of `benchmarks.training` in a process of its own; prints one JSON object."""

import json
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, Literal

import torch
from pydantic import TypeAdapter
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from envplatform.learning.training.arguments import common_arguments
from envplatform.learning.training.base import base_model, load
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.sft import SFTJob, sft_job
from envplatform.learning.training.workfolder import WorkFolder

Variant = Literal["ours", "plain"]
_KB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the process is to do."""

    variant: Variant
    order: TrainingOrder
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one training, its first step aside."""

    seconds: float
    """Of the processor on a CPU, by the clock on a GPU."""
    tokens: int
    peak_bytes: int
    losses: tuple[float, ...]
    """Of all steps."""


JOB = TypeAdapter(Job)


class _Watch(TrainerCallback):  # type: ignore[misc]  # transformers is not followed
    """Starts after the first step, which also warms up."""

    began = 0.0

    def on_step_end(self, _args: object, state: Any, *_: object, **__: object) -> None:  # noqa: ANN401  its base's
        """Start."""
        if state.global_step == 1:
            self.began = process_time()


def measure(job: Job) -> Figures:
    """Train as ordered, ours or plain."""
    loaded = load(job.order, base_model(job.order))
    sft = sft_job(job.order, loaded)
    folder = WorkFolder(job.folder)
    trainer = _trainer(job, sft, folder)
    watch = _Watch()
    trainer.add_callback(watch)
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    seconds = process_time() - watch.began
    lengths = {one.row_id: len(one.input_ids) for one in sft.encoded.examples}
    return Figures(
        seconds=seconds,
        tokens=sum(lengths[row] for step in sft.examples[1:] for row in step),
        peak_bytes=_peak(),
        losses=tuple(one["loss"] for one in trainer.state.log_history if "loss" in one),
    )


def _trainer(job: Job, sft: SFTJob, folder: WorkFolder) -> Any:  # noqa: ANN401  either
    ours = sft.trainer(folder, job.order.micro_batch)
    ours.say = lambda _: None
    if job.variant == "ours":
        return ours
    given = common_arguments(
        job.order, folder, steps=len(sft.steps), micro_batch=job.order.micro_batch
    )
    fresh = load(job.order, base_model(job.order))
    return Trainer(
        model=fresh.model,
        args=TrainingArguments(**given),
        train_dataset=ours.train_dataset.remove_columns("seq_lengths"),
        data_collator=ours.data_collator,
    )


def _peak() -> int:
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KB


def main() -> None:
    """Do what standard input says."""
    job = JOB.validate_json(sys.stdin.buffer.read())
    torch.set_num_threads(job.order.threads)
    sys.stdout.write(json.dumps(asdict(measure(job))) + "\n")


if __name__ == "__main__":
    main()
