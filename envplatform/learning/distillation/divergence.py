"""Reverse KL of a student from its teacher, some positions at a time.

The gradient is written out: p (log p/q - KL) with respect to the student's logits. By
automatic differentiation it would be a difference of large terms; so it is exactly 0
where both agree.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

Logits = Callable[[torch.Tensor], torch.Tensor]
"""Hidden states [rows, width] to logits [rows, vocabulary]."""


class ReverseKL(torch.autograd.Function):
    """KL(student || teacher) of rows of logits, in nats; float32 [rows]."""

    @staticmethod
    def forward(
        ctx: Any,  # noqa: ANN401  torch gives no type
        student: torch.Tensor,
        teacher: torch.Tensor,
    ) -> torch.Tensor:
        """Of logits [rows, vocabulary] each, in whatever dtype they are."""
        own = torch.log_softmax(student.float(), dim=-1)
        gap = own - torch.log_softmax(teacher.float(), dim=-1)
        share = own.exp()
        # Where the student gives nothing, a gap of minus infinity counts nothing.
        gap = torch.where(share > 0, gap, torch.zeros_like(gap))
        divergence = (share * gap).sum(dim=-1)
        ctx.save_for_backward(share * (gap - divergence.unsqueeze(-1)))
        ctx.dtype = student.dtype
        return divergence

    @staticmethod
    def backward(
        ctx: Any,  # noqa: ANN401  as above
        *grads: torch.Tensor,
    ) -> tuple[torch.Tensor, None]:
        """Nothing for the teacher: it does not learn."""
        (slope,) = ctx.saved_tensors
        return (slope * grads[0].unsqueeze(-1)).to(ctx.dtype), None


def reverse_kl(
    hidden: torch.Tensor,
    teacher_hidden: torch.Tensor,
    logits: Logits,
    teacher_logits: Logits,
    *,
    chunk_rows: int,
) -> torch.Tensor:
    """Sum of the divergences of positions [rows, width], nats; 0 of none.

    No more than `chunk_rows` rows of logits exist at once, also on the way back.
    """

    def part(own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            aim = teacher_logits(other)
        divergence: torch.Tensor = ReverseKL.apply(logits(own), aim)  # type: ignore[no-untyped-call]  # torch's own
        return divergence.sum()

    pairs = zip(
        torch.split(hidden, chunk_rows),
        torch.split(teacher_hidden, chunk_rows),
        strict=True,
    )
    parts = [checkpoint(part, *pair, use_reentrant=False) for pair in pairs]
    return torch.stack(parts).sum() if parts else hidden.sum() * 0.0
