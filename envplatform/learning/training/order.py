"""What a training process is told: one JSON file. Loads no torch."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from envplatform.errors import TrainingError
from envplatform.learning.distillation.settings import DistillationSettings
from envplatform.learning.online.settings import OnlineSettings
from envplatform.learning.protocol import Dtype

Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Rate = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]

Kind = Literal["sft_completion", "sft_conversation", "grpo", "distillation"]
Packing = Literal["none", "bfd"]
Attention = Literal["sdpa", "eager", "flash_attention_2"]
Device = Literal["cpu", "cuda"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraSettings:
    """The adapter that is trained; its weights are float32 whatever the base is in."""

    r: Annotated[int, Field(ge=1, le=512)] = 16
    """Rank; vLLM is started with `--max-lora-rank` at least as large."""
    alpha: Count = 32
    dropout: Share = 0.0
    targets: str = "all-linear"
    """All linear layers but the head, or names of layers with commas between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOrder:
    """What is trained on what, and how. Equal orders give equal weights."""

    kind: Kind
    base: Path
    """Folder of a Hugging Face model, or a GGUF file."""
    base_licence: str = ""
    """SPDX expression, as far as it is known."""
    parent: Path | None = None
    """A published checkpoint of the same base that is trained further; None: fresh."""
    rows: Path
    """JSON lines, of the row type of `kind`; see `rows`."""
    exact_rows: Count | None = None
    """Exactly so many rows, drawn by `data_seed` of those that are not left out, so that
    arms of an experiment have as many; None: all of them.
    """
    template: Path | None = None
    """A Jinja file in place of the model's own chat template."""
    lora: LoraSettings = LoraSettings()
    learning_rate: Rate = 2e-4
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_steps: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    weight_decay: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    max_grad_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    steps: Count | None = None
    """Of the optimizer; None: as many as `epochs` take."""
    epochs: Count = 1
    """Times that each row is seen; counts only without `steps`."""
    batch: Count = 8
    """Examples (packs, if packed) of one step."""
    micro_batch: Count = 1
    """Of them at once; divides `batch`, and is halved where memory runs out."""
    max_length: Annotated[int, Field(ge=2, le=100_000_000)]
    """Tokens of the longest row; longer ones are left out and counted, never cut."""
    packing: Packing = "none"
    """Several rows in one example, if the model reads them as if they were apart."""
    gradient_checkpointing: bool = False
    seed: Seed = 0
    """Of fresh adapters and of dropout."""
    data_seed: Seed = 0
    """Of the order of rows."""
    dtype: Dtype = "bfloat16"
    """Of the base model's weights."""
    device: Device = "cpu"
    attention: Attention = "sdpa"
    threads: Count = 1
    """Of the process; more than one collapses beside other work."""
    checkpoint_every: Count = 10
    """Steps; a killed training goes on from the last one."""
    checkpoints_kept: Annotated[int, Field(ge=1, le=1_000)] = 2
    code_commit: str = ""
    """Of this platform, as far as it is known."""
    writers: tuple[str, ...] = ()
    """Names of models that wrote the rows."""
    online: OnlineSettings | None = None
    """Of `grpo`, and of no other kind."""
    distillation: DistillationSettings | None = None
    """Of `distillation`, and of no other kind."""
    external: tuple[str, ...] = ()
    """Command of a trainer of others that takes the place of ours; see `external`."""
    facts: dict[str, str] = field(default_factory=dict)
    """What else the record is to keep of where the rows come from."""

    def __post_init__(self) -> None:
        """Hold figures that belong together to each other.

        Raises:
            TrainingError: they contradict one another; names them.
        """
        if self.batch % self.micro_batch:
            msg = (
                f"micro_batch: {self.micro_batch} does not divide batch "
                f"({self.batch}); choose a divisor"
            )
            raise TrainingError(msg)
        for kind, settings in (
            ("grpo", self.online),
            ("distillation", self.distillation),
        ):
            if (self.kind == kind) != (settings is not None):
                msg = f"{kind}: its settings belong to this kind and to no other"
                raise TrainingError(msg)


ORDER = TypeAdapter(TrainingOrder)


def write_order(order: TrainingOrder, path: Path) -> None:
    """Write an order for the process to read."""
    path.write_bytes(ORDER.dump_json(order, indent=2))


def read_order(path: Path) -> TrainingOrder:
    """Read an order.

    Raises:
        TrainingError: there is none, or a field of it is wrong; names it.
    """
    try:
        return ORDER.validate_json(path.read_bytes())
    except OSError as error:
        msg = f"the order {path} can't be read: {error}"
        raise TrainingError(msg) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "(file)"
        msg = f"{path}: {place}: {first['msg']}"
        raise TrainingError(msg) from error
