"""What a published checkpoint says of itself: JSON beside the adapter. No torch.

Nothing in it depends on when, where or how fast: equal orders give equal records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue, TypeAdapter

from envplatform.learning.protocol import StudentFile
from envplatform.learning.training.order import Kind, Packing
from envplatform.learning.training.rows import LeftOut

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseModel:
    """What the adapter belongs to."""

    name: str
    """Of its folder or file, without what leads there."""
    digest: str
    """Over `files`: an adapter is loaded over no other base."""
    files: tuple[StudentFile, ...]
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPoint:
    """One step of the optimizer."""

    step: int
    """From 1."""
    loss: float
    """Nats a trained token; of other kinds what their trainer minimises."""
    learning_rate: float
    grad_norm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentPoint:
    """Figures of one step beside its loss, such as what each verifier said."""

    step: int
    """From 1."""
    figures: Mapping[str, float]
    """By name, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySplit:
    """Memory ran out, and a step was divided further."""

    step: int
    """The last one that was done."""
    micro_batch: int
    """From then on."""
    accumulation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRecord:
    """All that decides a checkpoint, and how its training went."""

    format_version: int = FORMAT_VERSION
    kind: Kind
    base: BaseModel
    template_sha256: str
    """Of the chat template that rendered the rows."""
    tokenizer_sha256: str
    """Over the tokenizer's files; of a GGUF the file itself."""
    parent: str | None
    """Digest of the checkpoint that was trained further."""
    rows_digest: str
    """SHA-256 of the file of rows."""
    row_ids: tuple[str, ...]
    """Of the rows that were trained on, in the order in which they were first given."""
    examples: tuple[tuple[str, ...], ...]
    """What each step saw: ids of rows in their order."""
    left_out: tuple[LeftOut, ...]
    adapter: Mapping[str, JsonValue]
    """Its configuration, sorted."""
    arguments: Mapping[str, JsonValue]
    """Of the training, sorted."""
    seeds: Mapping[str, int]
    packages: Mapping[str, str]
    device: str
    dtype: str
    attention: str
    packing: Packing
    packing_refused: str = ""
    """Why rows were not packed though it was asked for; empty: they were, or not asked."""
    tokens: int
    """Read in all steps, without padding."""
    trained_tokens: int
    """Of them those that were learnt."""
    steps: int
    losses: tuple[LossPoint, ...]
    components: tuple[ComponentPoint, ...] = ()
    memory_splits: tuple[MemorySplit, ...] = ()
    code_commit: str
    code_digest: str
    """Of this platform's own code for learning."""
    writers: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


RECORD = TypeAdapter(CheckpointRecord)
