"""A student: a causal model with tokenizer and chat template, loaded from local files.

Weights come from safetensors or GGUF only, code that lies beside them is never run, and
nothing is fetched.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
import transformers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from envplatform.errors import StudentError
from envplatform.learning.head import Head
from envplatform.learning.protocol import Dtype, ScoringOrder, StudentRecord
from envplatform.learning.rendering import Renderer
from envplatform.learning.student_files import student_digest, student_files
from envplatform.learning.templates import renderer_of

DTYPES: dict[Dtype, torch.dtype] = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """What scores trajectories."""

    record: StudentRecord
    renderer: Renderer
    head: Head

    @classmethod
    def load(cls, order: ScoringOrder) -> Self:
        """Read the model that `order` names.

        Raises:
            StudentError: it can't be loaded or scored with; says why.
        """
        files = student_files(order.model)
        tokenizer = load_tokenizer(order.model)
        renderer = renderer_of(order.model, order.template, tokenizer)
        model = _moved(load_model(order.model, order.dtype), order.device)
        sha256 = hashlib.sha256(renderer.template.encode()).hexdigest()
        record = StudentRecord(
            name=order.model.name,
            digest=student_digest(files, sha256),
            files=files,
            template_sha256=sha256,
            dtype=order.dtype,
            device=str(model.device),
            attention=str(model.config._attn_implementation),  # noqa: SLF001  no other way
            max_length=_max_length(order, model),
            torch=torch.__version__,
            transformers=transformers.__version__,
        )
        return cls(record=record, renderer=renderer, head=Head.of(model))


def load_model(
    path: Path, dtype: Dtype, attention: str | None = None
) -> PreTrainedModel:
    """The model in one dtype, ready to be read, not trained.

    `attention` is an implementation as transformers names it; None: its own choice.

    Raises:
        StudentError: transformers can't load it without running its code, or not whole.
    """
    folder, gguf = _place(path)
    try:
        model, report = AutoModelForCausalLM.from_pretrained(
            folder,
            **gguf,
            **({} if gguf else {"use_safetensors": True}),
            **({} if attention is None else {"attn_implementation": attention}),
            dtype=DTYPES[dtype],
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        msg = f"{path} can't be loaded as a causal model: {error}"
        raise StudentError(msg) from error
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        msg = f"{path} lacks weights, which would be random: {missing}"
        raise StudentError(msg)
    found = model.get_output_embeddings().weight.dtype
    if found != DTYPES[dtype]:
        msg = f"{path} gives logits in {found}, not in {dtype}; ask for that dtype"
        raise StudentError(msg)
    if gguf:
        _forget_quantisation(model)
    loaded: PreTrainedModel = model.eval()
    return loaded


def _forget_quantisation(model: PreTrainedModel) -> None:
    """Weights read from a GGUF are plain numbers by now.

    transformers still thinks of them as quantised, and refuses to save or train those.
    """
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.is_quantized = False
    model.hf_quantizer = None


def _moved(model: PreTrainedModel, device: str) -> PreTrainedModel:
    try:
        moved: PreTrainedModel = model.to(device)
    except (RuntimeError, AssertionError) as error:  # the latter: built without CUDA
        msg = f"torch can't use the device {device!r} here: {error}"
        raise StudentError(msg) from error
    return moved


def _place(path: Path) -> tuple[Path, dict[str, str]]:
    """Folder and further arguments for transformers."""
    if path.suffix == ".gguf":
        return path.parent, {"gguf_file": path.name}
    return path, {}


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """The tokenizer, one that knows where its tokens stand in a text.

    Raises:
        StudentError: it can't be loaded or does not know.
    """
    folder, gguf = _place(path)
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            folder, **gguf, trust_remote_code=False, local_files_only=True
        )
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        msg = f"the tokenizer of {path} can't be loaded: {error}"
        raise StudentError(msg) from error
    if not tokenizer.is_fast:
        msg = f"the tokenizer of {path} can't tell where in a text its tokens stand"
        raise StudentError(msg)
    return tokenizer


def _max_length(order: ScoringOrder, model: PreTrainedModel) -> int | None:
    """The smaller of what is asked for and what the model was built for."""
    own = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    limits = [limit for limit in (order.max_length, own) if limit]
    return min(limits, default=None)
