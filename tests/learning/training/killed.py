"""Trains in children that are killed, and in one that is not; prints what came of each.

`python -m tests.learning.training.killed FOLDER`. A child is a fork, so that torch is
imported once; nothing is trained in the parent, as autograd does not survive a fork.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from envplatform.code import code_digest
from envplatform.errors import TrainingError
from envplatform.learning.training.base import Loaded
from envplatform.learning.training.checkpoint import checkpoint_digest
from envplatform.learning.training.fit import fit
from envplatform.learning.training.job import Job
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.sft import SFTJob, SteadySFTTrainer, sft_job
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.training.made_orders import order

STEPS = 4
_SMALL_FILE = 4_000
"""Bytes: less than an adapter of the tiny model."""


def die() -> None:
    """End this process as a lack of power would."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying_at(step: int) -> type[SteadySFTTrainer]:
    """A trainer that dies while it writes the checkpoint of `step`."""

    class Dying(SteadySFTTrainer):
        def _save_rng_state(self, output_dir: str) -> None:
            if self.state.global_step == step:
                die()
            super()._save_rng_state(output_dir)

    return Dying


def job_of_dying(step: int, given: TrainingOrder, loaded: Loaded) -> Job:
    """A job whose trainer dies."""
    return replace(sft_job(given, loaded), trained_by=dying_at(step))


def forked(work: Callable[[], object]) -> int:
    """Exit code of a child that does `work`; negative: the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except TrainingError as error:
            sys.stderr.write(f"{error}\n")
            os._exit(2)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def train(given: TrainingOrder, folder: Path, **hooks: Any) -> None:  # noqa: ANN401  of `fit`
    """Train quietly."""
    fit(given, WorkFolder(folder), lambda _: None, **hooks)


def fill_disk() -> None:
    """Let no file of this process grow beyond a few bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (_SMALL_FILE, _SMALL_FILE))


def fill_disk_at(step: int, given: TrainingOrder, folder: Path) -> None:
    """Train where the disk is full once `step` is done."""
    train(given, folder, after_step=lambda done: fill_disk() if done == step else None)


class FullAtTheEnd(SFTJob):
    """Its disk is full when all is trained and its record is made."""

    @property
    def facts(self) -> Mapping[str, str]:
        """None; asked for after the last step alone."""
        fill_disk()
        return super().facts


def full_at_the_end(given: TrainingOrder, loaded: Loaded) -> Job:
    """A job that is trained and can't be published."""
    job = sft_job(given, loaded)
    return FullAtTheEnd(**{one.name: getattr(job, one.name) for one in fields(job)})


def at(step: int) -> Callable[[int], None]:
    """Die once `step` is done, before anything of it is written."""
    return lambda done: die() if done == step else None


def main() -> None:
    """Print exit codes and digests as JSON."""
    root = Path(sys.argv[1])
    torch.set_num_threads(1)
    code_digest("learning")  # remembered in the forks, whoever edits the code meanwhile
    given = order(root, steps=STEPS)
    codes: dict[str, list[int]] = {}
    ways: dict[str, Callable[[Path], object]] = {
        "not": lambda folder: train(given, folder),
        "full disk": lambda folder: fill_disk_at(2, given, folder),
        "full at the end": lambda folder: train(
            given, folder, make_job=full_at_the_end
        ),
    }
    for step in range(1, STEPS + 1):
        hooks = {"after_step": at(step)}
        ways[f"after {step}"] = lambda folder, hooks=hooks: train(  # type: ignore[misc]
            given, folder, **hooks
        )
        job = partial(job_of_dying, step)
        ways[f"writing {step}"] = lambda folder, job=job: train(  # type: ignore[misc]
            given, folder, make_job=job
        )
    for name, way in ways.items():
        folder = root / name
        codes[name] = [
            forked(partial(way, folder)),
            forked(partial(train, given, folder)),
        ]
    digests = {name: checkpoint_digest(root / name / "result") for name in ways}
    sys.stdout.write(json.dumps({"codes": codes, "digests": digests}))


if __name__ == "__main__":
    main()
