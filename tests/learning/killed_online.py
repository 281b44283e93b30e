"""Trains on plays and by distillation in children that are killed; prints what came of each.

`python -m tests.learning.killed_online FOLDER`. Each child is a fork, so that torch is
imported once; nothing is trained in the parent.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from envplatform.code import code_digest
from envplatform.learning.distillation.settings import DistillationSettings
from envplatform.learning.training.checkpoint import checkpoint_digest
from envplatform.learning.training.fit import fit
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.rows import write_conversations
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning import made_online
from tests.learning.made_elsewhere import policy
from tests.learning.made_students import ASK, DONE, FOUND, SYSTEM, THANKS, talk
from tests.learning.training.killed import at, forked

STEPS = 2


def plays(given: TrainingOrder, folder: Path, after: Callable[[int], None]) -> None:
    """Train on plays; a new player each time, as after a crash."""
    made_online.train(given, folder, made_online.plays_of(), after_step=after)


def distils(given: TrainingOrder, folder: Path, after: Callable[[int], None]) -> None:
    """Train by distillation."""
    fit(given, WorkFolder(folder), lambda _: None, after_step=after)


def distillation(root: Path, on: str) -> TrainingOrder:
    """An order over two rollouts, or two prompts."""
    path = root / f"{on}.jsonl"
    rows = {
        "rollouts": [
            talk(SYSTEM, ASK, FOUND, trajectory_id="a"),
            talk(ASK, DONE, trajectory_id="b"),
        ],
        "single_turns": [
            talk(SYSTEM, ASK, trajectory_id="a"),
            talk(THANKS, trajectory_id="b"),
        ],
    }
    write_conversations(path, rows[on])
    settings = DistillationSettings(
        teacher=policy(),
        on="single_turns" if on == "single_turns" else "rollouts",
        answer_tokens=10,
    )
    return replace(
        made_online.order(root),
        kind="distillation",
        online=None,
        rows=path,
        batch=2,
        distillation=settings,
    )


def main() -> None:
    """Print exit codes and digests as JSON."""
    root = Path(sys.argv[1])
    torch.set_num_threads(1)
    code_digest("learning")  # remembered in the forks, whoever edits the code meanwhile
    ways: dict[str, Callable[[Path, Callable[[int], None]], None]] = {
        style: partial(plays, made_online.order(root, settings={"style": style}))
        for style in ("environment_factory", "rollout_func")
    }
    with_reference = made_online.order(root, settings={"beta": 0.1})
    ways["reference"] = partial(plays, with_reference)
    for on in ("rollouts", "single_turns"):
        ways[on] = partial(distils, distillation(root, on))
    told: dict[str, dict[str, object]] = {}
    for name, way in ways.items():
        codes, digests = [], []
        for step in range(STEPS + 1):  # 0: not killed
            folder = root / f"{name} {step}"
            codes.append(
                [
                    forked(partial(way, folder, at(step))),
                    forked(partial(way, folder, at(0))),
                ]
            )
            digests.append(checkpoint_digest(folder / "result"))
        told[name] = {"codes": codes, "digests": digests}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
