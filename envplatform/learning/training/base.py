"""The model that is trained: a base whose weights stay, and an adapter over it."""

import hashlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import PreTrainedModel, PreTrainedTokenizerBase, set_seed

from envplatform.errors import StudentError, TrainingError
from envplatform.learning.file_digests import file_digest
from envplatform.learning.rendering import Renderer
from envplatform.learning.student import load_model, load_tokenizer
from envplatform.learning.student_files import student_digest, student_files
from envplatform.learning.templates import renderer_of
from envplatform.learning.training.adapter_check import check_fits
from envplatform.learning.training.checkpoint import ADAPTER, read_checkpoint
from envplatform.learning.training.order import LoraSettings, TrainingOrder
from envplatform.learning.training.record import BaseModel

_TOKENIZER = ("tokenizer", "special_tokens", "added_tokens", "vocab", "merges")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What an order names, in memory."""

    model: PeftModel
    """On the ordered device, adapter weights in float32 and trainable."""
    tokenizer: PreTrainedTokenizerBase
    renderer: Renderer
    context: int | None
    """Tokens the base was built for; None where it names none."""
    parent: str | None
    """Digest of the checkpoint that is trained further."""


def base_model(
    order: TrainingOrder, digest: Callable[[Path], str] = file_digest
) -> BaseModel:
    """The record of the base, from its files.

    Raises:
        StudentError: there is no model, or one whose weights are no safetensors.
    """
    files = student_files(order.base, digest=digest)
    return BaseModel(
        name=order.base.name,
        digest=student_digest(files, ""),
        files=files,
        licence=order.base_licence,
    )


def tokenizer_digest(base: BaseModel) -> str:
    """SHA-256 (hex) over the files of its tokenizer; of a GGUF over the whole file."""
    lines = [
        f"{file.sha256}  {file.name}"
        for file in base.files
        if file.name.startswith(_TOKENIZER) or file.name.endswith(".gguf")
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def load_base(order: TrainingOrder) -> PreTrainedModel:
    """The base model on the ordered device, without an adapter.

    Raises:
        TrainingError: the device is not here.
        StudentError: the model can't be loaded.
    """
    check_device(order)
    model = load_model(order.base, order.dtype, order.attention)
    moved: PreTrainedModel = model.to(order.device)
    return moved


def check_device(order: TrainingOrder) -> None:
    """Make sure that the ordered device is here.

    Raises:
        TrainingError: it is not.
    """
    if order.device == "cuda" and not torch.cuda.is_available():
        msg = (
            "device: a GPU is asked for and torch finds none; start the training where "
            "one is, or order device cpu"
        )
        raise TrainingError(msg)


def load(order: TrainingOrder, base: BaseModel) -> Loaded:
    """Load base, adapter, tokenizer and template.

    Raises:
        TrainingError: the device is not here, the parent belongs to another base, or
            `max_length` is more than the base reads.
        StudentError: the model or its template can't be used.
    """
    tokenizer = load_tokenizer(order.base)
    renderer = renderer_of(order.base, order.template, tokenizer)
    model = load_base(order)
    context = _context(model)
    if context is not None and order.max_length > context:
        msg = (
            f"max_length: {order.max_length} tokens, and {order.base.name} reads "
            f"{context}"
        )
        raise TrainingError(msg)
    set_seed(order.seed)
    if order.parent is None:
        return Loaded(
            model=fresh_adapter(model, order.lora),
            tokenizer=tokenizer,
            renderer=renderer,
            context=context,
            parent=None,
        )
    return Loaded(
        model=parent_adapter(model, order.parent, base),
        tokenizer=tokenizer,
        renderer=renderer,
        context=context,
        parent=read_checkpoint(order.parent).digest,
    )


def fresh_adapter(model: PreTrainedModel, lora: LoraSettings) -> PeftModel:
    """Put a new adapter over `model`, drawn by torch's seed."""
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=lora.r,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=_targets(lora),
        bias="none",
    )
    try:
        with _quiet_peft():
            made = get_peft_model(model, config)
    except ValueError as error:
        msg = f"lora.targets: {lora.targets!r} can't be adapted: {error}"
        raise TrainingError(msg) from error
    return _as_peft(made)


def parent_adapter(
    model: PreTrainedModel, checkpoint: Path, base: BaseModel
) -> PeftModel:
    """Put the adapter of a published checkpoint over `model`, to be trained further.

    Raises:
        TrainingError: it is none, damaged, or of another base.
    """
    parent = read_checkpoint(checkpoint)
    if parent.record.base.digest != base.digest:
        msg = (
            f"parent: the adapter {checkpoint.name} was trained over "
            f"{parent.record.base.name} ({parent.record.base.digest[:12]}), not over "
            f"{base.name} ({base.digest[:12]})"
        )
        raise TrainingError(msg)
    return adapted(model, checkpoint / ADAPTER, trainable=True)


def adapted(model: PreTrainedModel, adapter: Path, *, trainable: bool) -> PeftModel:
    """Put an adapter that is on disk over `model`.

    Raises:
        TrainingError: it is none, or of another base.
    """
    check_fits(adapter, model)
    with _quiet_peft():
        made = PeftModel.from_pretrained(model, str(adapter), is_trainable=trainable)
    return _as_peft(made)


@contextmanager
def _quiet_peft() -> Iterator[None]:
    """PEFT asks a property by the name that transformers gave up."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="`is_gradient_checkpointing`", category=FutureWarning
        )
        yield


def _as_peft(made: object) -> PeftModel:
    if not isinstance(made, PeftModel):
        msg = "the base model can't carry an adapter"
        raise StudentError(msg)
    return made


def _targets(lora: LoraSettings) -> str | list[str]:
    if lora.targets == "all-linear":
        return lora.targets
    return [name.strip() for name in lora.targets.split(",") if name.strip()]


def _context(model: PreTrainedModel) -> int | None:
    own = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return int(own) if own else None
