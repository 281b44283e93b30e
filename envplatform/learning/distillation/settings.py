"""What an order says of distillation. Loads no torch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillationSettings:
    """Whose distributions are learnt, and where."""

    teacher: Path
    """Folder of a Hugging Face model, or a GGUF file, of the student's vocabulary."""
    teacher_checkpoint: Path | None = None
    """A published checkpoint over it; None: the model as it is."""
    on: Literal["rollouts", "single_turns"] = "rollouts"
    """Over the student's own recorded rollouts, or over answers that it gives now to
    prompts without tools.
    """
    answer_tokens: Annotated[int, Field(ge=1)] = 256
    """Of an answer to a single turn, at most."""
    temperature: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)] = 1.0
    """Of answers to single turns."""
    chunk_rows: Annotated[int, Field(ge=1)] = 128
    """Positions whose logits are in memory at once."""
