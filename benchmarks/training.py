"""Training against plain `Trainer` on the same rows: `python -m benchmarks.training`.

The embedded model reads this checkout's documentation as prompts and answers. Each
training has a process of its own, ours and plain in turn, one thread; seconds are those
of the processor, without the first step.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
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
    ratios, peaks, speeds, difference = [], [], [], 0.0
    for number in range(repeats):
        pair = folder / str(number)
        pair.mkdir()
        ours, plain = run("ours", order, pair), run("plain", order, pair)
        speed = ours["tokens"] / ours["seconds"]
        speeds.append(speed)
        ratios.append(speed * plain["seconds"] / plain["tokens"])
        peaks.append(ours["peak_bytes"] / plain["peak_bytes"])
        difference = max(
            difference,
            *(
                abs(one - other) / other
                for one, other in zip(ours["losses"], plain["losses"], strict=True)
            ),
        )
        progress(f"pair {number + 1} of {repeats}: {ratios[-1]:.3f}")
    if difference > _TOLERANCE:
        refuse(f"losses differ by {difference:.2g}: not the same training")
    return {
        "tokens_per_second_ratio": round(median(ratios), 4),
        "peak_ratio": round(median(peaks), 4),
        "device": order.device,
        "tokens_per_second": round(median(speeds), 1),
        "largest_loss_difference": difference,
        "steps": order.steps,
        "dtype": order.dtype,
    }


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", type=Path, help="default: the embedded model")
    parser.add_argument("--characters", type=int, default=1_200, help="of one row")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
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
