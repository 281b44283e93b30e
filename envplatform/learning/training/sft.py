"""Supervised training: TRL's SFTTrainer on rows that were tokenized and ordered here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from datasets import Dataset
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation
from envplatform.learning.head import Head
from envplatform.learning.training.arguments import common_arguments
from envplatform.learning.training.base import Loaded
from envplatform.learning.training.encoding import IGNORED, Encoded, Encoder, Example
from envplatform.learning.training.job import Job
from envplatform.learning.training.loss import labelled_surprisal
from envplatform.learning.training.order import Packing, TrainingOrder
from envplatform.learning.training.packing import packing_fault
from envplatform.learning.training.planning import Pack, packs_of, steps_of
from envplatform.learning.training.rows import (
    LeftOut,
    read_completions,
    read_conversations,
)
from envplatform.learning.training.steady import Steady
from envplatform.learning.training.workfolder import WorkFolder


class SteadySFTTrainer(Steady, SFTTrainer):
    """SFT that asks the output layer for labelled tokens alone, and for no figure beside."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401  of its base
        super().__init__(**given)
        self._head = Head.of(self.model.get_base_model())

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,  # noqa: FBT001, FBT002  as its base calls it
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> torch.Tensor:
        """Mean surprisal of the labelled tokens, over all micro batches of a step."""
        del model, return_outputs  # the head holds its parts; nothing else is asked
        further = {
            name: value
            for name, value in inputs.items()
            if name not in {"input_ids", "labels"}
        }
        labels = inputs["labels"][:, 1:]
        labelled = labels != IGNORED
        hidden = self._head.hidden(inputs["input_ids"], **further)[:, :-1][labelled]
        total = labelled.sum() if num_items_in_batch is None else num_items_in_batch
        surprisal = labelled_surprisal(hidden, labels[labelled], self._head)
        return surprisal / torch.as_tensor(total).clamp(min=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SFTJob(Job):
    """Rows, packed or not, and when each is seen."""

    order: TrainingOrder
    loaded: Loaded
    encoded: Encoded
    packs: tuple[Pack, ...]
    steps: tuple[tuple[int, ...], ...]
    """Places of packs."""
    packing: Packing
    packing_refused: str
    trained_by: type[SteadySFTTrainer] = SteadySFTTrainer

    @property
    def row_ids(self) -> tuple[str, ...]:
        """Ids of the rows that are trained on."""
        return tuple(one.row_id for one in self.encoded.examples)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Rows that are not."""
        return self.encoded.left_out

    @property
    def examples(self) -> tuple[tuple[str, ...], ...]:
        """Ids of the rows that each step sees."""
        ids = self.row_ids
        return tuple(
            tuple(ids[at] for place in step for at in self.packs[place])
            for step in self.steps
        )

    @property
    def tokens(self) -> int:
        """Read in all steps."""
        return sum(len(one.input_ids) for one in self._seen())

    @property
    def trained_tokens(self) -> int:
        """Learnt in all steps."""
        return sum(label != IGNORED for one in self._seen() for label in one.labels[1:])

    def trainer(self, folder: WorkFolder, micro_batch: int) -> SteadySFTTrainer:
        """A trainer of this job; the model is trained in place."""
        given = common_arguments(
            self.order, folder, steps=len(self.steps), micro_batch=micro_batch
        )
        arguments = SFTConfig(
            **given,
            max_length=self.order.max_length,
            packing=self.packing == "bfd",
            packing_strategy="bfd",
            dataset_kwargs={"skip_prepare_dataset": True},
            shuffle_dataset=False,
        )
        return self.trained_by(
            model=self.loaded.model,
            args=arguments,
            train_dataset=self._dataset(),
            processing_class=self.loaded.tokenizer,
        )

    def _seen(self) -> list[Example]:
        return [
            self.encoded.examples[at]
            for step in self.steps
            for place in step
            for at in self.packs[place]
        ]

    def _dataset(self) -> Dataset:
        packs = [[self.encoded.examples[at] for at in pack] for pack in self.packs]
        whole = Dataset.from_dict(
            {
                "input_ids": [_joined([one.input_ids for one in p]) for p in packs],
                "labels": [_joined([one.labels for one in p]) for p in packs],
                "seq_lengths": [[len(one.input_ids) for one in p] for p in packs],
            }
        )
        return whole.select([place for step in self.steps for place in step])


def sft_job(order: TrainingOrder, loaded: Loaded) -> SFTJob:
    """Read, tokenize, pack and order the rows of an order.

    Raises:
        TrainingError: rows can't be read, or none is left.
    """
    encoder = Encoder(loaded.renderer, order.max_length)
    encoded = drawn(encoder.encode(conversations_of(order)), order)
    refused = packing_fault(loaded.model) if order.packing == "bfd" else ""
    packing: Packing = "none" if refused else order.packing
    lengths = [len(one.input_ids) for one in encoded.examples]
    packs = (
        packs_of(lengths, order.max_length)
        if packing == "bfd"
        else tuple((at,) for at in range(len(lengths)))
    )
    ids = [one.row_id for one in encoded.examples]
    names = ["\n".join(ids[at] for at in pack) for pack in packs]
    return SFTJob(
        order=order,
        loaded=loaded,
        encoded=encoded,
        packs=packs,
        steps=steps_of(names, order),
        packing=packing,
        packing_refused=refused,
    )


def drawn(encoded: Encoded, order: TrainingOrder) -> Encoded:
    """As many examples as are ordered, after what can't be read fell out.

    Raises:
        TrainingError: there are fewer; the arms would not be equal.
    """
    wanted, there = order.exact_rows, encoded.examples
    if wanted is None:
        return encoded
    if len(there) < wanted:
        msg = (
            f"exact_rows: {wanted} rows are wanted; {len(there)} can be read and "
            f"{len(encoded.left_out)} were left out: lower it in every arm alike"
        )
        raise TrainingError(msg)
    names = [one.row_id for one in there]
    first = steps_of(
        names, replace(order, steps=None, epochs=1, batch=wanted, micro_batch=1)
    )
    return replace(encoded, examples=tuple(there[at] for at in sorted(first[0])))


def conversations_of(order: TrainingOrder) -> tuple[Conversation, ...]:
    """The rows of an order as turns.

    Raises:
        TrainingError: they can't be read.
    """
    if order.kind == "sft_completion":
        return tuple(row.conversation for row in read_completions(order.rows))
    return read_conversations(order.rows)


def _joined(parts: Sequence[tuple[int, ...]]) -> list[int]:
    return [number for part in parts for number in part]
