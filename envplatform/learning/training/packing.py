"""Whether a model reads rows that are packed into one as if they were apart.

Attention that does not see where one row ends and the next begins would let rows look
into each other. So a model is tried before anything is packed for it.
"""

import torch
from transformers import PreTrainedModel
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

_LENGTHS = (11, 7, 5)
_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 1e-2}
"""Of the largest logit; a leak between rows is far larger."""


@torch.no_grad()
def packing_fault(model: PreTrainedModel) -> str:
    """Why `model` must not be given packed rows; empty if it may."""
    was_training = model.training
    model.eval()
    try:
        difference = _difference(model)
    finally:
        model.train(was_training)
    limit = _TOLERANCE[model.get_input_embeddings().weight.dtype]
    if difference <= limit:
        return ""
    return f"packed rows differ from separate ones by {difference:.2g} of the logits"


def _difference(model: PreTrainedModel) -> float:
    """Of the logits, relative to the largest, between packed and separate rows."""
    size = model.get_input_embeddings().weight.shape[0]
    rows = [
        [(3 + 7919 * (place + 31 * number)) % size for place in range(length)]
        for number, length in enumerate(_LENGTHS)
    ]
    whole = [token for row in rows for token in row]
    collate = DataCollatorForLanguageModeling(pad_token_id=0, padding_free=True)
    packed = collate([{"input_ids": whole, "labels": whole, "seq_lengths": _LENGTHS}])
    packed.pop("labels")
    given = {
        name: value.to(model.device) if torch.is_tensor(value) else value
        for name, value in packed.items()
    }
    together = model(**given, use_cache=False).logits[0].float()
    apart = torch.cat(
        [
            model(
                input_ids=torch.tensor([row], device=model.device), use_cache=False
            ).logits[0]
            for row in rows
        ]
    ).float()
    return float((together - apart).abs().max() / apart.abs().max().clamp(min=1e-9))
