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


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFigures:
    """Of some tokens, in order; two numbers each."""

    surprisal: torch.Tensor
    """Nats, float32 [tokens]."""
    rank: torch.Tensor
    """1 + the number of strictly higher logits, int64 [tokens]."""

    @property
    def sums(self) -> Sums:
        """Added up, ranks clipped."""
        return Sums(
            tokens=len(self.rank),
            surprisal=float(self.surprisal.double().sum()),
            clipped_rank=int(self.rank.clamp(max=RANK_CLIP).sum()),
        )


def figures_of_logits(logits: torch.Tensor, token_ids: torch.Tensor) -> TokenFigures:
    """Of tokens [rows] under logits [rows, vocabulary], each of its own row.

    Ranks compare logits in the dtype the model gave them; a tie is no higher logit.
    """
    given = logits.gather(1, token_ids.unsqueeze(1))
    rank = 1 + (logits > given).sum(dim=1)
    # Not logsumexp less the logit: their difference loses what log_softmax keeps.
    chances = logits.float().log_softmax(dim=1)
    surprisal = -chances.gather(1, token_ids.unsqueeze(1)).squeeze(1)
    return TokenFigures(surprisal=surprisal, rank=rank)


def chunked_figures(
    hidden: torch.Tensor,
    token_ids: torch.Tensor,
    positions: Sequence[int],
    logits: Logits,
    *,
    chunk_rows: int,
) -> TokenFigures:
    """Of the tokens at `positions`, each foretold by the hidden state before it.

    `hidden` is [length, width] and `token_ids` [length], of one conversation; positions
    are above 0, at least one. No more than `chunk_rows` rows of logits exist at once.
    """
    places = torch.tensor(positions, dtype=torch.long, device=hidden.device)
    # Made before any logits and filled in: small results that lie between large ones keep
    # an allocator from using their room again, and the chunks would add up after all.
    surprisal = torch.empty(len(places), device=hidden.device)
    rank = torch.empty_like(places)
    for start in range(0, len(places), chunk_rows):
        here = slice(start, start + chunk_rows)
        chunk = places[here]
        part = figures_of_logits(logits(hidden[chunk - 1]), token_ids[chunk])
        surprisal[here], rank[here] = part.surprisal, part.rank
        del part
    return TokenFigures(surprisal=surprisal, rank=rank)
