"""What goes to the scoring process and what comes back: one JSON object a line.

The first line of standard input is the order, each further one a conversation. The first
line of standard output is the student, each further one a score. Loads no torch.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from envplatform.learning.conversation import Conversation
from envplatform.learning.turns import MaskFault
from envplatform.trajectories.scores import TrajectoryScore

Dtype = Literal["float32", "bfloat16", "float16"]
"""Of weights and logits. Scores of two dtypes are never compared: ties differ."""

SkipReason = Literal[
    MaskFault,
    "turn_marks",  # an agent writes marks by which the template tells turns
    "no_agent_tokens",
    "over_length",  # longer than the student can read; nothing is ever cut to fit
    "not_finite",  # a surprisal overflowed, as in float16 it may
]
"""Why a conversation has no score: `TrajectoryScore.skipped`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOrder:
    """What to score with, and how."""

    model: Path
    """Folder of a Hugging Face model, or a GGUF file."""
    dtype: Dtype = "float32"
    device: str = "cpu"
    """As torch names it."""
    template: Path | None = None
    """A Jinja file in place of the model's own chat template."""
    max_length: int | None = None
    """Tokens of the longest conversation scored; None: what the model can read."""
    chunk_rows: int = 128
    """Positions whose logits are in memory at once."""
    batch_tokens: int = 1
    """Conversations of like length are read together up to so many tokens; 1: never."""
    threads: int = 1
    """Of the scoring process; more than one collapses beside other work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentFile:
    """One file that was loaded."""

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRecord:
    """What gave the scores."""

    name: str
    """Of the folder or file, without what leads there."""
    digest: str
    """Over `files` and the chat template."""
    files: tuple[StudentFile, ...]
    """By name."""
    template_sha256: str
    dtype: Dtype
    device: str
    attention: str
    """Implementation, as transformers names it."""
    max_length: int | None
    """Tokens; None where the model names no limit."""
    torch: str
    transformers: str


ORDER = TypeAdapter(ScoringOrder)
CONVERSATION = TypeAdapter(Conversation)
STUDENT = TypeAdapter(StudentRecord)
SCORE = TypeAdapter(TrajectoryScore)
