"""Distillation over the student's own recorded rollouts.

Nothing is generated: the student goes again where it went, and at each of its own tokens
its distribution is drawn to the teacher's. What it was told carries no gradient.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import Trainer

from envplatform.learning.distillation.divergence import reverse_kl
from envplatform.learning.head import Head
from envplatform.learning.training.encoding import IGNORED
from envplatform.learning.training.steady import Steady


class RecordedTrainer(Steady, Trainer):  # type: ignore[misc]  # transformers is not followed
    """Minimises the mean reverse KL over the student's tokens of a step, in nats."""

    loss_is_scaled_for_ga = True

    def __init__(
        self,
        teacher: Head,
        *,
        chunk_rows: int,
        **given: Any,  # noqa: ANN401  of its base
    ) -> None:
        super().__init__(data_collator=padded, **given)
        self.model_accepts_loss_kwargs = True  # counts labelled tokens of a whole step
        self._teacher = teacher
        self._student = Head.of(self.model.get_base_model())
        self._chunk_rows = chunk_rows

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,  # noqa: FBT001, FBT002  as its base calls it
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> torch.Tensor:
        """Of the tokens that `labels` name; each is foretold by the state before it."""
        del model, return_outputs  # the head holds its parts; nothing else is asked
        ids, labelled = inputs["input_ids"], inputs["labels"][:, 1:] != IGNORED
        hidden = self._student.hidden(ids)[:, :-1][labelled]
        with torch.no_grad():
            aim = self._teacher.hidden(ids)[:, :-1][labelled]
        total = labelled.sum() if num_items_in_batch is None else num_items_in_batch
        divergence = reverse_kl(
            hidden,
            aim,
            self._student.logits,
            self._teacher.logits,
            chunk_rows=self._chunk_rows,
        )
        return divergence / torch.as_tensor(total).clamp(min=1)


def padded(rows: Sequence[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    """Rows of one length, filled up at the end, where nothing that counts looks."""
    ids = [torch.tensor(row["input_ids"]) for row in rows]
    labels = [torch.tensor(row["labels"]) for row in rows]
    return {
        "input_ids": pad_sequence(ids, batch_first=True),
        "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORED),
    }
