"""Surprisal of right answers under a loaded model; runs in `held_out`'s process."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Self

import torch
from peft import PeftModel

from envplatform.errors import TrainingError
from envplatform.learning.likelihood.held_out import Likelihood
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.student import load_model, load_tokenizer
from envplatform.learning.student_files import student_digest, student_files
from envplatform.learning.templates import renderer_of
from envplatform.learning.training.base import parent_adapter
from envplatform.learning.training.encoding import IGNORED, Encoder, Example
from envplatform.learning.training.record import BaseModel
from envplatform.learning.training.rows import CompletionRow


@dataclass(frozen=True, slots=True)
class Measure:
    """A loaded model, and how rows become tokens."""

    model: torch.nn.Module
    device: str
    encoder: Encoder

    @classmethod
    def load(cls, order: ServingOrder, max_length: int) -> Self:
        """Read the model.

        Raises:
            StudentError: it can't be used, or its chat template can't.
            TrainingError: its adapter is damaged, or belongs to another base.
        """
        files = student_files(order.base)
        tokenizer = load_tokenizer(order.base)
        renderer = renderer_of(order.base, order.template, tokenizer)
        whole: torch.nn.Module = load_model(order.base, order.dtype)
        if order.checkpoint is not None:
            base = BaseModel(
                name=order.base.name,
                digest=student_digest(files, ""),
                files=files,
                licence="",
            )
            whole = parent_adapter(whole, order.checkpoint, base)
        encoder = Encoder(renderer, max_length)
        return cls(whole.to(order.device).eval(), order.device, encoder)

    def look(self, rows: Iterable[CompletionRow]) -> Iterator[Likelihood]:
        """Yield what the model thinks of each row that it can read, then the others."""
        given = list(rows)
        try:
            encoded = self.encoder.encode(row.conversation for row in given)
        except TrainingError:  # it can read none
            yield from (_skipped(row.row_id, "left_out") for row in given)
            return
        yield from (self._one(example) for example in encoded.examples)
        yield from (_skipped(one.row_id, one.reason) for one in encoded.left_out)

    def _one(self, example: Example) -> Likelihood:
        model = self.model
        bare = (
            model.disable_adapter() if isinstance(model, PeftModel) else nullcontext()
        )
        before, after = self._nats(example, bare), self._nats(example, nullcontext())
        if not before < float("inf") or not after < float("inf"):  # NaN is neither
            return _skipped(example.row_id, "not_finite")
        learnt = sum(label != IGNORED for label in example.labels)
        return Likelihood(
            row_id=example.row_id, tokens=learnt, before=before, after=after
        )

    @torch.inference_mode()
    def _nats(self, example: Example, way: AbstractContextManager[object]) -> float:
        device = self.device
        ids = torch.tensor([example.input_ids], device=device)
        labels = torch.tensor(example.labels, device=device)[1:]
        with way:
            logits = self.model(input_ids=ids).logits[0, :-1].float()
        loss = torch.nn.functional.cross_entropy(
            logits, labels, ignore_index=IGNORED, reduction="sum"
        )
        return float(loss)


def _skipped(row_id: str, why: str) -> Likelihood:
    return Likelihood(row_id=row_id, tokens=0, before=0.0, after=0.0, skipped=why)
