"""Published checkpoints whose training nobody ran: records and an adapter of zeros."""

import json
from pathlib import Path

from envplatform.learning.training.checkpoint import (
    ADAPTER,
    RECORD_FILE,
    Checkpoint,
)
from envplatform.learning.training.order import Kind
from envplatform.learning.training.published import keep_checkpoint
from envplatform.learning.training.record import RECORD, BaseModel, CheckpointRecord
from envplatform.store import Store

_RANK, _WIDTH = 4, 2
_ADAPTER = {
    "peft_type": "LORA",
    "r": _RANK,
    "lora_alpha": 8,
    "target_modules": ["q_proj"],
}


def made_checkpoint(
    store: Store,
    folder: Path,
    *,
    kind: Kind,
    row_ids: tuple[str, ...],
    parent: str | None = None,
) -> Checkpoint:
    """Write a checkpoint into `folder`, which is new, and keep it."""
    (folder / ADAPTER).mkdir(parents=True)
    (folder / ADAPTER / "adapter_config.json").write_text(json.dumps(_ADAPTER))
    (folder / ADAPTER / "adapter_model.safetensors").write_bytes(_weights())
    record = CheckpointRecord(
        kind=kind,
        base=BaseModel(name="student", digest="b" * 64, files=(), licence="MIT"),
        template_sha256="0" * 64,
        tokenizer_sha256="0" * 64,
        parent=parent,
        rows_digest="0" * 64,
        row_ids=row_ids,
        examples=(row_ids,),
        left_out=(),
        adapter={},
        arguments={},
        seeds={},
        packages={},
        device="cpu",
        dtype="float32",
        attention="eager",
        packing="none",
        tokens=0,
        trained_tokens=0,
        steps=1,
        losses=(),
        code_commit="",
        code_digest="0" * 64,
    )
    (folder / RECORD_FILE).write_bytes(RECORD.dump_json(record))
    return keep_checkpoint(store, folder)


def _weights() -> bytes:
    """Both halves of one layer, as safetensors lays them out."""
    half = 4 * _RANK * _WIDTH
    entries = {
        f"base_model.model.q_proj.lora_{name}.weight": {
            "dtype": "F32",
            "shape": shape,
            "data_offsets": [half * number, half * (number + 1)],
        }
        for number, (name, shape) in enumerate(
            (("A", [_RANK, _WIDTH]), ("B", [_WIDTH, _RANK]))
        )
    }
    header = json.dumps(entries).encode()
    return len(header).to_bytes(8, "little") + header + bytes(2 * half)
