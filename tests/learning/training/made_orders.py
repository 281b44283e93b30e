"""Orders over a tiny model, and rows for them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from envplatform.learning.training.order import LoraSettings, TrainingOrder
from envplatform.learning.training.rows import CompletionRow, write_completions
from tests.learning.made_elsewhere import student

ROWS = tuple(
    CompletionRow(
        row_id=f"r{number}",
        prompt=f"Where is answer {number}?",
        completion="It is in a.txt, " * (1 + number % 3) + f"line {number}",
    )
    for number in range(7)
)


def order(
    folder: Path,
    rows: tuple[CompletionRow, ...] = ROWS,
    **changes: Any,  # noqa: ANN401  any field
) -> TrainingOrder:
    """An order of three steps with its rows in `folder`."""
    path = folder / "given.jsonl"
    write_completions(path, rows)
    plain = TrainingOrder(
        kind="sft_completion",
        base=student(),
        base_licence="Apache-2.0",
        rows=path,
        lora=LoraSettings(r=4, alpha=8, dropout=0.1),
        learning_rate=1e-3,
        schedule="linear",
        steps=3,
        batch=2,
        max_length=200,
        dtype="float32",
        checkpoint_every=1,
    )
    return replace(plain, **changes)
