"""Surprisal of labelled tokens, made to be learnt from; logits of a few at a time.

Most of a conversation is read and not learnt, and the output layer is a good part of a
small model: so only labelled positions go through it. Each chunk's gradient is taken while
its logits exist; nothing is computed twice and no chunk outlives its turn.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from envplatform.learning.head import Head

CHUNK_ROWS = 256
"""Positions whose logits exist at once."""

Logits = Callable[[torch.Tensor], torch.Tensor]
"""Hidden states [rows, width] to logits [rows, vocabulary]."""


class _Surprisal(torch.autograd.Function):
    """Sum over all rows, in nats, float32; what it hangs on follows its settings."""

    @staticmethod
    def forward(
        ctx: Any,  # noqa: ANN401  torch gives no type
        logits: Logits,
        token_ids: torch.Tensor,
        chunk_rows: int,
        hidden: torch.Tensor,
        *weights: torch.Tensor,
    ) -> torch.Tensor:
        """Of tokens [rows] after hidden states [rows, width]; `weights` are the head's."""
        total = torch.zeros((), device=hidden.device)
        slopes = torch.empty_like(hidden)  # filled in; see `chunked_figures`
        sums = [torch.zeros_like(weight) for weight in weights]
        for start in range(0, len(token_ids), chunk_rows):
            here = slice(start, start + chunk_rows)
            with torch.enable_grad():
                states = hidden[here].detach().requires_grad_()
                surprisal = cross_entropy(
                    logits(states).float(), token_ids[here], reduction="sum"
                )
            slopes[here], *further = torch.autograd.grad(surprisal, (states, *weights))
            sums = [whole + part for whole, part in zip(sums, further, strict=True)]
            total += surprisal.detach()
        ctx.save_for_backward(slopes, *sums)
        return total

    @staticmethod
    def backward(
        ctx: Any,  # noqa: ANN401  as above
        *grads: torch.Tensor,
    ) -> tuple[torch.Tensor | None, ...]:
        """What was found on the way, times what comes after."""
        return (None, None, None, *(slope * grads[0] for slope in ctx.saved_tensors))


def labelled_surprisal(
    hidden: torch.Tensor,
    token_ids: torch.Tensor,
    head: Head,
    *,
    chunk_rows: int = CHUNK_ROWS,
) -> torch.Tensor:
    """Sum of the surprisals of tokens [rows], nats; 0 of none.

    Each is foretold by its row of `hidden` [rows, width]. Gradients reach `hidden` and
    what of the output layer is trained. No more than `chunk_rows` rows of logits exist
    at once.
    """
    trained = [one for one in head.output.parameters() if one.requires_grad]
    surprisal: torch.Tensor = _Surprisal.apply(  # type: ignore[no-untyped-call]  # torch's own
        head.logits, token_ids, chunk_rows, hidden, *trained
    )
    return surprisal
