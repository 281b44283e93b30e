"""What an adapter must be before it is loaded, whoever wrote it. Loads no torch.

Its weights are safetensors whose header is read here, its configuration plain LoRA.
Folders with a pickle in them are refused by name, and nothing of them is loaded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from envplatform.errors import TrainingError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
_PICKLES = frozenset({".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"})
_PREFIX = "base_model.model."
_MAX_HEADER = 100_000_000
_DTYPES = frozenset({"F32", "F16", "BF16"})

Size = Annotated[int, Field(ge=1, le=10_000_000)]


class AdapterConfig(BaseModel):
    """The part of `adapter_config.json` that is taken; what else stands there must be off."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    peft_type: Literal["LORA"]
    r: Annotated[int, Field(ge=1, le=512)]
    lora_alpha: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    target_modules: str | tuple[str, ...]
    bias: Literal["none"] = "none"
    use_dora: Literal[False] = False
    modules_to_save: None = None
    auto_mapping: None = None
    trainable_token_indices: None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a file, without its numbers."""

    dtype: str
    shape: tuple[int, ...]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    dtype: str
    shape: list[Size] = Field(max_length=8)
    data_offsets: list[Annotated[int, Field(ge=0)]] = Field(min_length=2, max_length=2)


_ENTRIES = TypeAdapter(dict[str, _Entry])


def check_adapter(folder: Path) -> AdapterConfig:
    """Read an adapter's configuration and the header of its weights.

    Raises:
        TrainingError: it is no plain LoRA adapter in safetensors; names file and field.
    """
    pickles = sorted(path.name for path in folder.glob("*") if path.suffix in _PICKLES)
    if pickles:
        msg = (
            f"{folder} holds {', '.join(pickles)}, and pickles run code when read: "
            "have the adapter saved as safetensors alone"
        )
        raise TrainingError(msg)
    config = _config(folder / CONFIG)
    tensors = read_header(folder / WEIGHTS)
    for name, tensor in tensors.items():
        _check_tensor(folder, name, tensor, config.r)
    return config


def check_fits(folder: Path, model: "PreTrainedModel") -> None:
    """Hold an adapter to the base that it is to be loaded over.

    Raises:
        TrainingError: it names layers that are not there, or of another size.
    """
    check_adapter(folder)
    shapes = {
        name: tuple(weight.shape)
        for name, weight in model.named_parameters()
        if name.endswith(".weight")
    }
    for name, tensor in read_header(folder / WEIGHTS).items():
        layer, side, _ = name.removeprefix(_PREFIX).rsplit(".", 2)
        found = shapes.get(f"{layer}.weight")
        size = tensor.shape[1] if side == "lora_A" else tensor.shape[0]
        if found is None or size != found[1 if side == "lora_A" else 0]:
            what = "has no such layer" if found is None else f"has {found} there"
            msg = (
                f"{folder} is an adapter of another base: {name} is "
                f"{tensor.shape}, and the base {what}"
            )
            raise TrainingError(msg)


def read_header(path: Path) -> Mapping[str, Tensor]:
    """The tensors of a safetensors file; their numbers are not read.

    Raises:
        TrainingError: it is none, or not whole.
    """
    try:
        with path.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            if size > _MAX_HEADER:
                msg = f"{path} is no safetensors file: its header would be {size} bytes"
                raise TrainingError(msg)
            header = json.loads(stream.read(size))
    except (OSError, ValueError, RecursionError) as error:
        msg = f"{path} can't be read as safetensors: {error}"
        raise TrainingError(msg) from error
    if isinstance(header, dict):
        header.pop("__metadata__", None)
    try:
        entries = _ENTRIES.validate_python(header)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        msg = f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise TrainingError(msg) from error
    end = max((entry.data_offsets[1] for entry in entries.values()), default=0)
    if not entries or 8 + size + end != path.stat().st_size:
        msg = f"{path} is empty or cut short; have it written again"
        raise TrainingError(msg)
    return {
        name: Tensor(entry.dtype, tuple(entry.shape)) for name, entry in entries.items()
    }


def _check_tensor(folder: Path, name: str, tensor: Tensor, rank: int) -> None:
    parts = name.removeprefix(_PREFIX).rsplit(".", 2)
    sides = {"lora_A": 0, "lora_B": 1}
    fits = (
        name.startswith(_PREFIX)
        and len(parts) == 3  # noqa: PLR2004  layer, side, "weight"
        and parts[1] in sides
        and parts[2] == "weight"
        and len(tensor.shape) == 2  # noqa: PLR2004  a matrix
        and tensor.shape[sides[parts[1]]] == rank
        and tensor.dtype in _DTYPES
    )
    if not fits:
        msg = (
            f"{folder / WEIGHTS}: {name} ({tensor.dtype} {list(tensor.shape)}) is no "
            f"part of a LoRA adapter of rank {rank}"
        )
        raise TrainingError(msg)


def _config(path: Path) -> AdapterConfig:
    try:
        return AdapterConfig.model_validate_json(path.read_bytes())
    except OSError as error:
        msg = f"{path.parent} holds no adapter: {error}"
        raise TrainingError(msg) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "(file)"
        msg = f"{path}: {place}: {first['msg']}"
        raise TrainingError(msg) from error
