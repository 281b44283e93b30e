"""A trainer of others in place of ours: files in, an adapter folder out.

Its command gets `{order}` (our JSON), `{rows}` (JSON lines, only rows that can be learnt)
and `{out}` (an empty folder) in place of these words. What it leaves is foreign input:
plain LoRA in safetensors, of this base, every number finite; else it is refused.
"""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from peft import PeftModel
from safetensors.torch import load_file

from envplatform.errors import TrainingError
from envplatform.learning.training.adapter_check import WEIGHTS, check_adapter
from envplatform.learning.training.base import adapted, load_base
from envplatform.learning.training.order import TrainingOrder, write_order
from envplatform.learning.training.rows import (
    read_completions,
    read_conversations,
    write_completions,
    write_conversations,
)
from envplatform.learning.training.workfolder import WorkFolder

_SAID = 2000


def train_elsewhere(
    order: TrainingOrder, folder: WorkFolder, row_ids: Sequence[str]
) -> PeftModel:
    """Run the command of an order; returns base and adapter.

    Raises:
        TrainingError: it fails, or what it leaves is no adapter of this base.
    """
    place = folder.root / "external"
    shutil.rmtree(place, ignore_errors=True)
    out = place / "out"
    out.mkdir(parents=True)
    rows = place / "rows.jsonl"
    _write_rows(order, rows, frozenset(row_ids))
    given = place / "order.json"
    write_order(replace(order, rows=rows), given)
    _run(_filled(order.external, given, rows, out), place)
    check_adapter(out)
    _check_numbers(out)
    return adapted(load_base(order), out, trainable=True)


def _write_rows(order: TrainingOrder, path: Path, wanted: frozenset[str]) -> None:
    if order.kind == "sft_completion":
        completions = read_completions(order.rows)
        write_completions(path, [row for row in completions if row.row_id in wanted])
    else:
        talks = read_conversations(order.rows)
        kept = [row for row in talks if row.trajectory_id in wanted]
        write_conversations(path, kept)


def _filled(command: Sequence[str], order: Path, rows: Path, out: Path) -> list[str]:
    places = {"{order}": str(order), "{rows}": str(rows), "{out}": str(out)}
    filled = list(command)
    for name, path in places.items():
        filled = [word.replace(name, path) for word in filled]
    return filled


def _run(command: Sequence[str], place: Path) -> None:
    log = place / "output.log"
    try:
        with log.open("wb") as stream:
            done = subprocess.run(
                command, cwd=place, stdout=stream, stderr=stream, check=False
            )
    except OSError as error:
        msg = f"command: {command[0]!r} can't be started: {error}"
        raise TrainingError(msg) from error
    if done.returncode != 0:
        said = log.read_bytes()[-_SAID:].decode("utf-8", "replace").strip()
        msg = f"command: {command[0]!r} ended with {done.returncode}: {said}"
        raise TrainingError(msg)


def _check_numbers(adapter: Path) -> None:
    for name, weight in load_file(adapter / WEIGHTS).items():
        if not bool(torch.isfinite(weight).all()):
            msg = f"{adapter / WEIGHTS}: {name} holds what is no number"
            raise TrainingError(msg)
