"""A published checkpoint: a folder of safetensors and JSON, named by its content.

    record.json                  what it is and how it came to be; see `record`
    adapter/adapter_config.json  as PEFT and vLLM read it, keys sorted
    adapter/adapter_model.safetensors

Reading one loads no torch.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from envplatform.errors import TrainingError
from envplatform.learning.file_digests import file_digest
from envplatform.learning.training.adapter_check import check_adapter
from envplatform.learning.training.record import (
    FORMAT_VERSION,
    RECORD,
    CheckpointRecord,
)

ADAPTER, RECORD_FILE = "adapter", "record.json"
KIND = "checkpoints"
"""Of directory in the store."""
_SUFFIXES = frozenset({".safetensors", ".json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One that was read."""

    folder: Path
    digest: str
    """SHA-256 (hex) over names and contents of its files."""
    record: CheckpointRecord


def checkpoint_digest(folder: Path) -> str:
    """SHA-256 (hex) over names and contents of all files of a checkpoint.

    Raises:
        TrainingError: something in it is neither safetensors nor JSON.
    """
    lines = [f"{file_digest(path)}  {name}" for name, path in _files(folder).items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read a published checkpoint and hold its adapter to what one must be.

    Raises:
        TrainingError: it is none, or something else is in it.
    """
    digest = checkpoint_digest(folder) if folder.is_dir() else ""
    try:
        record = RECORD.validate_json((folder / RECORD_FILE).read_bytes())
    except OSError as error:
        msg = f"{folder} is no published checkpoint: {error}"
        raise TrainingError(msg) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        msg = f"{folder / RECORD_FILE}: {place}: {first['msg']}"
        raise TrainingError(msg) from error
    if record.format_version > FORMAT_VERSION:
        msg = (
            f"{folder} is of format {record.format_version}, and this platform reads "
            f"up to {FORMAT_VERSION}: bring it up to date"
        )
        raise TrainingError(msg)
    check_adapter(folder / ADAPTER)
    return Checkpoint(folder=folder, digest=digest, record=record)


def _files(folder: Path) -> Mapping[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.suffix in _SUFFIXES):
            msg = f"{folder} holds {name}; a checkpoint is safetensors and JSON alone"
            raise TrainingError(msg)
        if path.is_file():
            found[name] = path
    return found
