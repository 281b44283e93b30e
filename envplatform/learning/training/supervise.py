"""Starts a training process, passes on what it tells, and ends it. Loads no torch.

Events: `started` (rows, left_out, steps, from_step, micro_batch), `step` (step, steps,
loss, learning_rate, grad_norm), `memory` (step, micro_batch, accumulation), `published`
(steps, tokens).
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from envplatform.errors import TrainingError
from envplatform.learning.training.messages import Event
from envplatform.learning.training.order import TrainingOrder, write_order
from envplatform.learning.training.workfolder import WorkFolder

_SAID = 2000
"""Characters of the process's last words that an error repeats."""


def train(
    order: TrainingOrder,
    folder: Path,
    on_progress: Callable[[Event], None] = lambda _: None,
) -> Path:
    """Train in a process of its own; returns the folder of the published checkpoint.

    The same order in the same `folder` goes on where a killed process stopped. Whatever
    `on_progress` raises ends the process, and all that it started, before it is passed
    on.

    Raises:
        TrainingError: it can't be carried out; says what to change.
    """
    place = WorkFolder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_order(order, place.order)
    with (
        (folder / "stderr.log").open("wb") as errors,
        subprocess.Popen(
            command(place.order, "--alone"),
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                on_progress(json.loads(line))
            code = process.wait()
        finally:
            kill_group(process)
    if code != 0:
        raise TrainingError(failure_of(place, f"exit code {code}"))
    return place.result


def command(order: Path, *further: str) -> list[str]:
    """What starts the process."""
    module = "envplatform.learning.training"
    return [sys.executable, "-P", "-m", module, str(order), *further]


def failure_of(place: WorkFolder, ended: str) -> str:
    """Why a process failed, in its own words; if it had none, how it `ended`."""
    said = place.read_error()
    if said is not None:
        return said
    try:
        last = (place.root / "stderr.log").read_bytes()[-_SAID:]
    except FileNotFoundError:
        last = b""
    told = last.decode("utf-8", "replace").strip()
    return f"training ended ({ended}): {told or 'nothing was said'}"


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process that leads its group, with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
