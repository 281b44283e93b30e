"""Arguments that every trainer of an order shares, in transformers' names."""

from typing import Any

from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.workfolder import WorkFolder

_HERE = frozenset({"output_dir"})
"""What a record leaves out: where, not what."""


def common_arguments(
    order: TrainingOrder, folder: WorkFolder, *, steps: int, micro_batch: int
) -> dict[str, Any]:
    """Keyword arguments for `TrainingArguments` and what is derived from it."""
    return {
        "output_dir": str(folder.work),
        "max_steps": steps,
        "per_device_train_batch_size": micro_batch,
        "gradient_accumulation_steps": order.batch // micro_batch,
        "learning_rate": order.learning_rate,
        "lr_scheduler_type": order.schedule,
        "warmup_steps": order.warmup_steps,
        "weight_decay": order.weight_decay,
        "max_grad_norm": order.max_grad_norm,
        "optim": "adamw_torch",
        "activation_checkpointing": order.gradient_checkpointing,
        "bf16": False,  # the base's own dtype; adapters stay in float32
        "fp16": False,
        "use_cpu": order.device == "cpu",
        "seed": order.seed,
        "data_seed": order.data_seed,
        "full_determinism": True,
        "train_sampling_strategy": "sequential",  # rows come in the order of the plan
        "dataloader_num_workers": 0,
        "dataloader_pin_memory": order.device != "cpu",
        "logging_strategy": "steps",
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "save_strategy": "steps",
        "save_steps": order.checkpoint_every,
        "save_total_limit": order.checkpoints_kept,
        "disable_tqdm": True,
        "report_to": "none",
    }


def recorded(arguments: dict[str, Any]) -> dict[str, Any]:
    """What of them a checkpoint's record keeps, sorted."""
    return {name: arguments[name] for name in sorted(arguments) if name not in _HERE}
