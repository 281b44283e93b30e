"""From a trained adapter and its job to the folder that is published."""

import hashlib
import json
import platform
import shutil
from importlib import metadata
from pathlib import Path

from peft import PeftModel
from pydantic import JsonValue
from safetensors import SafetensorError

from envplatform.code import code_digest
from envplatform.errors import TrainingError
from envplatform.learning.training.adapter_check import CONFIG, check_adapter
from envplatform.learning.training.base import Loaded, tokenizer_digest
from envplatform.learning.training.checkpoint import ADAPTER, RECORD_FILE
from envplatform.learning.training.job import Job
from envplatform.learning.training.order import ORDER, TrainingOrder
from envplatform.learning.training.record import RECORD, BaseModel, CheckpointRecord
from envplatform.learning.training.rows import rows_digest
from envplatform.learning.training.workfolder import WorkFolder

PACKAGES = (
    "accelerate",
    "datasets",
    "numpy",
    "peft",
    "safetensors",
    "tokenizers",
    "torch",
    "transformers",
    "trl",
)
_NOT_ARGUMENTS = frozenset(
    {
        *("base", "base_licence", "parent", "rows", "template", "lora", "kind"),
        *("seed", "data_seed", "code_commit", "writers", "facts", "dtype", "device"),
        *("attention", "packing", "online", "distillation"),
    }
)
"""Of the order: paths, and what the record says elsewhere."""


def record_of(
    order: TrainingOrder, base: BaseModel, loaded: Loaded, job: Job
) -> CheckpointRecord:
    """All but how the training went: losses and memory."""
    arguments = ORDER.dump_python(order, mode="json", exclude=set(_NOT_ARGUMENTS))
    facts = {**order.facts, **job.facts}
    return CheckpointRecord(
        kind=order.kind,
        base=base,
        template_sha256=hashlib.sha256(loaded.renderer.template.encode()).hexdigest(),
        tokenizer_sha256=tokenizer_digest(base),
        parent=loaded.parent,
        rows_digest=rows_digest(order.rows),
        row_ids=job.row_ids,
        examples=job.examples,
        left_out=job.left_out,
        adapter=adapter_config(loaded.model, base),
        arguments={name: arguments[name] for name in sorted(arguments)},
        seeds={"data": order.data_seed, "training": order.seed},
        packages=packages(),
        device=order.device,
        dtype=order.dtype,
        attention=str(loaded.model.config._attn_implementation),  # noqa: SLF001  no other way
        packing=job.packing,
        packing_refused=job.packing_refused,
        tokens=job.tokens,
        trained_tokens=job.trained_tokens,
        steps=len(job.examples),
        losses=(),
        code_commit=order.code_commit,
        code_digest=code_digest("learning"),
        writers=tuple(sorted(order.writers)),
        facts={name: facts[name] for name in sorted(facts)},
        components=job.components,
    )


def packages() -> dict[str, str]:
    """Versions of what trains, and of Python."""
    found = {name: metadata.version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **found}


def adapter_config(model: PeftModel, base: BaseModel) -> dict[str, JsonValue]:
    """The adapter's configuration, keys and sets sorted, without a path of this machine."""
    plain = model.peft_config[model.active_adapter].to_dict()
    plain["base_model_name_or_path"] = base.name
    plain["inference_mode"] = True
    ready: dict[str, JsonValue] = json.loads(json.dumps(plain, default=_plain))
    return {name: ready[name] for name in sorted(ready)}


def publish(model: PeftModel, record: CheckpointRecord, folder: WorkFolder) -> Path:
    """Write adapter and record to the work folder's result, whole or not at all.

    Raises:
        TrainingError: it can't be written, as on a full disk.
    """
    beside = folder.root / ".result.unfinished"
    shutil.rmtree(beside, ignore_errors=True)
    adapter = beside / ADAPTER
    try:
        adapter.mkdir(parents=True)
        model.save_pretrained(str(adapter), save_embedding_layers=False)
        (adapter / "README.md").unlink(missing_ok=True)
        (adapter / CONFIG).write_text(json.dumps(record.adapter, indent=2))
        (beside / RECORD_FILE).write_bytes(RECORD.dump_json(record, indent=2))
        check_adapter(adapter)
        beside.rename(folder.result)
    except (OSError, SafetensorError) as error:
        msg = (
            f"the checkpoint can't be published in {folder.root}: {error}; make room and "
            "train again: what is trained is kept, and is published alone"
        )
        raise TrainingError(msg) from error
    return folder.result


def _plain(value: object) -> object:
    """Sets in order; what else JSON does not know by its name."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(getattr(value, "value", value))
