"""Surprisal and rank of the agent's tokens; logits of a few positions at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

RANK_CLIP = 100
"""A token ranked lower counts as this."""

Logits = Callable[[torch.Tensor], torch.Tensor]
"""Hidden states [rows, width] to logits [rows, vocabulary]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Over some tokens."""

    tokens: int
    surprisal: float
    """Nats."""
    clipped_rank: int


def sums_of_logits(logits: torch.Tensor, token_ids: torch.Tensor) -> Sums:
    """Of tokens [rows] under logits [rows, vocabulary], each of its own row.

    Ranks compare logits in the dtype the model gave them; a tie is no higher logit.
    """
    given = logits.gather(1, token_ids.unsqueeze(1))
    ranks = 1 + (logits > given).sum(dim=1)
    wide = logits.float()
    surprisal = torch.logsumexp(wide, dim=1) - given.squeeze(1).float()
    return Sums(
        tokens=len(token_ids),
        surprisal=float(surprisal.double().sum()),
        clipped_rank=int(ranks.clamp(max=RANK_CLIP).sum()),
    )


def chunked_sums(
    hidden: torch.Tensor,
    token_ids: torch.Tensor,
    positions: Sequence[int],
    logits: Logits,
    *,
    chunk_rows: int,
) -> Sums:
    """Of the tokens at `positions`, each foretold by the hidden state before it.

    `hidden` is [length, width] and `token_ids` [length], of one conversation; positions
    are above 0. No more than `chunk_rows` rows of logits exist at once.
    """
    total = Sums(tokens=0, surprisal=0.0, clipped_rank=0)
    places = torch.tensor(positions, dtype=torch.long, device=hidden.device)
    for chunk in torch.split(places, chunk_rows):
        part = sums_of_logits(logits(hidden[chunk - 1]), token_ids[chunk])
        total = Sums(
            tokens=total.tokens + part.tokens,
            surprisal=total.surprisal + part.surprisal,
            clipped_rank=total.clipped_rank + part.clipped_rank,
        )
    return total
