"""Scores of conversations under a student: one pass over the body for each batch."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch

from envplatform.learning.conversation import Conversation
from envplatform.learning.protocol import ScoringOrder
from envplatform.learning.rendering import Rendered, Skipped, held_to
from envplatform.learning.student import Student
from envplatform.learning.surprisal import Sums, chunked_figures
from envplatform.trajectories.scores import TrajectoryScore

_WINDOW = 64
"""Conversations looked at together to find some of like length."""


def score_conversations(
    student: Student, conversations: Iterable[Conversation], order: ScoringOrder
) -> Iterator[TrajectoryScore]:
    """One row for each conversation, in their order; none is cut and none is lost."""
    source = iter(conversations)
    while window := list(islice(source, _WINDOW if order.batch_tokens > 1 else 1)):
        looked_at = [_rendered(student, one) for one in window]
        sums = _window_sums(student, looked_at, order)
        for index, (one, seen) in enumerate(zip(window, looked_at, strict=True)):
            yield _row(student, one.trajectory_id, seen, sums.get(index))


@torch.inference_mode()
def batch_sums(
    student: Student, batch: Sequence[Rendered], chunk_rows: int
) -> tuple[Sums, ...]:
    """Sums of each of `batch`, read together.

    Shorter ones are filled up at their end, where nothing that counts looks: each token
    sees only what comes before it.
    """
    device = student.record.device
    rows = [torch.tensor(one.token_ids, device=device) for one in batch]
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    hidden = student.head.hidden(padded)
    return tuple(
        chunked_figures(
            hidden[index],
            padded[index],
            one.agent,
            student.head.logits,
            chunk_rows=chunk_rows,
        ).sums
        for index, one in enumerate(batch)
    )


def _rendered(student: Student, conversation: Conversation) -> Rendered | Skipped:
    seen = student.renderer.render(conversation)
    return held_to(seen, student.record.max_length)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A rendered conversation and its place in the window."""

    index: int
    rendered: Rendered


def _window_sums(
    student: Student, seen: Sequence[Rendered | Skipped], order: ScoringOrder
) -> dict[int, Sums]:
    """By place in the window."""
    placed = [
        _Placed(index, one)
        for index, one in enumerate(seen)
        if isinstance(one, Rendered)
    ]
    sums: dict[int, Sums] = {}
    for batch in _batches(placed, order.batch_tokens):
        found = batch_sums(student, [one.rendered for one in batch], order.chunk_rows)
        sums.update({one.index: each for one, each in zip(batch, found, strict=True)})
    return sums


def _batches(placed: Sequence[_Placed], batch_tokens: int) -> Iterator[list[_Placed]]:
    """Of like length, filled up to no more than `batch_tokens`; at least one in each."""
    batch: list[_Placed] = []
    for one in sorted(placed, key=lambda one: len(one.rendered.token_ids)):
        longest = len(one.rendered.token_ids)  # sorted: of all so far
        if batch and longest * (len(batch) + 1) > batch_tokens:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def _row(
    student: Student, trajectory_id: str, seen: Rendered | Skipped, sums: Sums | None
) -> TrajectoryScore:
    if isinstance(seen, Skipped):
        return _skipped(student, trajectory_id, seen)
    length = len(seen.token_ids)
    if sums is None or not math.isfinite(sums.surprisal):
        detail = f"surprisal is not finite in {student.record.dtype}"
        skipped = Skipped(reason="not_finite", detail=detail, length=length)
        return _skipped(student, trajectory_id, skipped)
    return TrajectoryScore(
        trajectory_id=trajectory_id,
        length=length,
        tokens=sums.tokens,
        sum_surprisal=sums.surprisal,
        sum_clipped_rank=sums.clipped_rank,
        dtype=student.record.dtype,
        model_digest=student.record.digest,
    )


def _skipped(student: Student, trajectory_id: str, seen: Skipped) -> TrajectoryScore:
    return TrajectoryScore(
        trajectory_id=trajectory_id,
        length=seen.length,
        tokens=0,
        sum_surprisal=0.0,
        sum_clipped_rank=0,
        dtype=student.record.dtype,
        model_digest=student.record.digest,
        skipped=seen.reason,
        detail=seen.detail,
    )
