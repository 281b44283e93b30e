"""From hidden states to logits, as a model does it itself, for some positions only.

Some models scale or cap their logits after the last matrix. Which one does what is read
off its configuration and then held to its own logits; one that does what is not known
here is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

import torch
from transformers import PreTrainedModel

from envplatform.errors import StudentError

_PROBE_TOKENS = 16
_TOLERANCE = 1e-4
"""Of the largest logit, in float32."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What a model does to its logits."""

    kind: Literal["none", "softcap", "multiply", "divide"]
    factor: float = 1.0

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """The logits as the model gives them."""
        match self.kind:
            case "softcap":
                return torch.tanh(logits / self.factor) * self.factor
            case "multiply":
                return logits * self.factor
            case "divide":
                return logits / self.factor
            case "none":
                return logits


@dataclass(frozen=True, slots=True)
class Head:
    """The body and the output layer of a causal model."""

    body: torch.nn.Module
    output: torch.nn.Module
    adjustment: Adjustment

    @classmethod
    def of(cls, model: PreTrainedModel) -> Self:
        """Take `model` apart, and try that its parts give its own logits.

        Raises:
            StudentError: they do not.
        """
        output = model.get_output_embeddings()
        if output is None or model.base_model is model:
            msg = f"{_name(model)} has no output layer of its own"
            raise StudentError(msg)
        adjustments = list(_declared(model)) or [Adjustment("none")]
        for adjustment in adjustments:
            head = cls(model.base_model, output, adjustment)
            if _difference(model, head) <= _TOLERANCE:
                return head
        tried = ", ".join(f"{one.kind} {one.factor:g}" for one in adjustments)
        msg = (
            f"{_name(model)} makes its logits in a way that is not known here (tried: "
            f"{tried}); scores would be wrong"
        )
        raise StudentError(msg)

    def hidden(self, token_ids: torch.Tensor, **further: object) -> torch.Tensor:
        """Last hidden states of a batch of conversations, one pass, nothing cached.

        `further` goes to the body: masks and places, as transformers names them.
        """
        states: torch.Tensor = self.body(
            input_ids=token_ids, use_cache=False, **further
        ).last_hidden_state
        return states

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits of these positions, in the model's dtype."""
        return self.adjustment.apply(self.output(hidden))


def _declared(model: PreTrainedModel) -> Iterator[Adjustment]:
    """What the configuration says is done; the same name means two things in two models."""
    config = model.config.get_text_config()
    cap = getattr(config, "final_logit_softcapping", None)
    if cap:
        yield Adjustment("softcap", float(cap))
    for name in ("logit_scale", "logits_scaling", "lm_head_multiplier"):
        factor = getattr(config, name, None)
        if factor not in {None, 1}:
            yield Adjustment("multiply", float(factor))
            yield Adjustment("divide", float(factor))


def _difference(model: PreTrainedModel, head: Head) -> float:
    """Between the model's own logits and ours, relative to the largest."""
    was_training = model.training
    model.eval()  # dropout would make two readings differ
    try:
        own, ours = _readings(model, head)
    finally:
        model.train(was_training)
    if own.shape != ours.shape:
        return float("inf")
    # A model of which nothing is finite is told by its loss or its scores, not here.
    gap = torch.where(own.isnan() & ours.isnan(), 0.0, own - ours).abs().max()
    return float(gap / own.nan_to_num().abs().max().clamp(min=1e-9))


@torch.inference_mode()
def _readings(model: PreTrainedModel, head: Head) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits [1, tokens, vocabulary] of a probe: the model's own, and ours."""
    size = model.get_input_embeddings().weight.shape[0]
    places = torch.arange(_PROBE_TOKENS, device=model.device)
    probe = (places * 7919 % size).unsqueeze(0)
    own = model(input_ids=probe, use_cache=False).logits.float()
    return own, head.logits(head.hidden(probe)).float()


def _name(model: PreTrainedModel) -> str:
    return type(model).__name__
