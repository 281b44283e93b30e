"""Training against plain `Trainer` on the same rows: `python -m benchmarks.training`.

The embedded model reads this checkout's documentation as prompts and answers: half of
each row is given, half is learnt, and how much is learnt decides how much a trainer saves
that asks for no other logits. Plain `Trainer` computes all of them. Each training has a
process of its own, ours and plain in turn, the first one changing places; one thread.
Seconds are those of the processor (of the clock on a GPU), without the first step. Peaks
are of training, loaded model included; `over_loaded_mb` is what it took besides.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.report import print_result, progress, refuse
from benchmarks.training_run import JOB, Job, Variant
from envplatform.errors import ModelError
from envplatform.learning.training.order import Device, TrainingOrder
from envplatform.learning.training.rows import CompletionRow, write_completions
from envplatform.llm.embedded import EMBEDDED_NAME, embedded_gguf

DOCUMENTS = Path(__file__).parents[1] / "docs"
_TOLERANCE = 1e-3
"""Of a loss, relative to it: sums in another order, and no more."""


def rows(characters: int) -> list[CompletionRow]:
    """Pages cut into pieces; of each the first half is given, the second is learnt."""
    text = "\n\n".join(page.read_text() for page in sorted(DOCUMENTS.glob("*.md")))
    pieces = [
        text[start : start + characters]
        for start in range(0, len(text) - characters, characters)
    ]
    half = characters // 2
    return [
        CompletionRow(row_id=f"{at}", prompt=piece[:half], completion=piece[half:])
        for at, piece in enumerate(pieces)
    ]


def run(variant: Variant, order: TrainingOrder, folder: Path) -> dict[str, Any]:
    """Figures of one training, in a process of its own."""
    job = Job(variant=variant, order=order, folder=folder / variant)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.training_run"],
        input=JOB.dump_json(job),
        stdout=subprocess.PIPE,
        env={**os.environ, "TQDM_DISABLE": "1", "OMP_NUM_THREADS": "1"},
        check=False,
    )
    if done.returncode != 0:
        refuse(f"the measured process ended with code {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(order: TrainingOrder, folder: Path, repeats: int) -> dict[str, object]:
    """Ours and plain in turn."""
    pairs: list[dict[Variant, dict[str, Any]]] = []
    for number in range(repeats):
        place = folder / str(number)
        place.mkdir()
        turns: tuple[Variant, Variant] = ("ours", "plain")
        in_turn = turns if number % 2 == 0 else reversed(turns)
        pairs.append({one: run(one, order, place) for one in in_turn})
        progress(f"pair {number + 1} of {repeats}: {_speed_ratio(pairs[-1]):.3f}")
    difference = max(_difference(pair) for pair in pairs)
    if not difference <= _TOLERANCE:
        refuse(f"losses differ by {difference:.2g}: not the same training")
    first = pairs[0]["ours"]
    return {
        "tokens_per_second_ratio": round(median(map(_speed_ratio, pairs)), 4),
        "peak_ratio": round(median(_ratio(pair, "peak_bytes") for pair in pairs), 4),
        "device": order.device,
        "tokens_per_second": _medians(pairs, _speed),
        "peak_mb": _medians(pairs, lambda one: one["peak_bytes"] / 1e6),
        "over_loaded_mb": _medians(pairs, lambda one: one["over_loaded_bytes"] / 1e6),
        "largest_loss_difference": difference,
        "learnt_share": round(first["labelled"] / first["tokens"], 3),
        "tokens_a_step": round(first["tokens"] / (len(first["losses"]) - 1), 1),
        "steps": len(first["losses"]) - 1,
        "dtype": order.dtype,
    }


def _speed(side: dict[str, Any]) -> float:
    return float(side["tokens"] / side["seconds"])


def _speed_ratio(pair: dict[Variant, dict[str, Any]]) -> float:
    return _speed(pair["ours"]) / _speed(pair["plain"])


def _ratio(pair: dict[Variant, dict[str, Any]], name: str) -> float:
    return float(pair["ours"][name] / pair["plain"][name])


def _difference(pair: dict[Variant, dict[str, Any]]) -> float:
    """The largest of a loss, relative to it."""
    losses = zip(pair["ours"]["losses"], pair["plain"]["losses"], strict=True)
    return float(max(abs(one - other) / other for one, other in losses))


def _medians(
    pairs: list[dict[Variant, dict[str, Any]]], of: Callable[[dict[str, Any]], float]
) -> dict[str, float]:
    """By side."""
    sides: tuple[Variant, Variant] = ("ours", "plain")
    return {side: round(median(of(one[side]) for one in pairs), 1) for side in sides}


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", type=Path, help="default: the embedded model")
    parser.add_argument("--characters", type=int, default=1_200, help="of one row")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dtype", default="float32")
    devices: tuple[Device, ...] = ("cpu", "cuda")
    parser.add_argument("--device", default="cpu", choices=devices)
    options = parser.parse_args()
    try:
        base = options.base or embedded_gguf()
    except ModelError as error:
        refuse(str(error))
    with tempfile.TemporaryDirectory(prefix="training-") as scratch:
        folder = Path(scratch)
        write_completions(folder / "rows.jsonl", rows(options.characters))
        order = TrainingOrder(
            kind="sft_completion",
            base=base,
            rows=folder / "rows.jsonl",
            steps=options.steps + 1,
            batch=options.batch,
            max_length=options.characters,
            dtype=options.dtype,
            device=options.device,
            checkpoint_every=1_000_000,
        )
        figures = compare(order, folder, options.repeats)
    name = options.base.name if options.base else EMBEDDED_NAME
    made_from = f"docs/, {options.characters} characters a row, read by {name}"
    print_result(figures, made_from=made_from, repeats=options.repeats)


if __name__ == "__main__":
    main()
