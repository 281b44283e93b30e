"""One side of `benchmarks.training` in a process of its own; prints one JSON object."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Literal

import torch
from pydantic import TypeAdapter
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from benchmarks.memory import forget_peak, peak_bytes
from envplatform.learning.training.arguments import common_arguments
from envplatform.learning.training.base import base_model, load
from envplatform.learning.training.encoding import IGNORED
from envplatform.learning.training.order import Device, TrainingOrder
from envplatform.learning.training.sft import SFTJob, sft_job
from envplatform.learning.training.workfolder import WorkFolder

Variant = Literal["ours", "plain"]


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
    labelled: int
    """Of them learnt."""
    peak_bytes: int
    """From the loaded model on; of the process on a CPU, of torch on a GPU."""
    over_loaded_bytes: int
    """Of that what training took."""
    losses: tuple[float, ...]
    """Of all steps."""


JOB = TypeAdapter(Job)


class _Watch(TrainerCallback):  # type: ignore[misc]  # transformers is not followed
    """Starts after the first step, which also warms up."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._began = 0.0

    def on_step_end(self, _args: object, state: Any, *_: object, **__: object) -> None:  # noqa: ANN401  its base's
        """Start."""
        if state.global_step == 1:
            self._began = self._now()

    def seconds(self) -> float:
        """Since the first step."""
        return self._now() - self._began

    def _now(self) -> float:
        if self._device == "cpu":
            return process_time()  # whatever else the machine does
        torch.cuda.synchronize()
        return perf_counter()


def measure(job: Job) -> Figures:
    """Train as ordered, ours or plain."""
    loaded = load(job.order, base_model(job.order))
    sft = sft_job(job.order, loaded)
    trainer = _trainer(job, sft, WorkFolder(job.folder))
    watch = _Watch(job.order.device)
    trainer.add_callback(watch)
    trainer.remove_callback(PrinterCallback)
    before = _forget_peak(job.order.device)
    trainer.train()
    seconds, peak = watch.seconds(), _peak(job.order.device)
    rows = {one.row_id: one for one in sft.encoded.examples}
    seen = [rows[row] for step in sft.examples[1:] for row in step]
    return Figures(
        seconds=seconds,
        tokens=sum(len(one.input_ids) for one in seen),
        labelled=sum(label != IGNORED for one in seen for label in one.labels[1:]),
        peak_bytes=peak,
        over_loaded_bytes=peak - before,
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
    return Trainer(
        model=sft.loaded.model,  # the same one: a second copy would count as memory
        args=TrainingArguments(**given),
        train_dataset=ours.train_dataset.remove_columns("seq_lengths"),
        data_collator=ours.data_collator,
    )


def _forget_peak(device: Device) -> int:
    """Bytes in use now."""
    if device == "cpu":
        return forget_peak()
    torch.cuda.reset_peak_memory_stats()
    return torch.cuda.memory_allocated()


def _peak(device: Device) -> int:
    return peak_bytes() if device == "cpu" else torch.cuda.max_memory_allocated()


def main() -> None:
    """Do what standard input says."""
    job = JOB.validate_json(sys.stdin.buffer.read())
    torch.set_num_threads(job.order.threads)
    sys.stdout.write(json.dumps(asdict(measure(job))) + "\n")


if __name__ == "__main__":
    main()
