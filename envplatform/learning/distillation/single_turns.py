"""Distillation over single turns without tools: TRL's trainer, which lets the student speak.

Each step the student answers prompts anew, and is drawn to the teacher where it went.
"""

from collections.abc import Mapping
from typing import Any

from datasets import Dataset
from transformers import PreTrainedModel
from trl.trainer.distillation_config import DistillationConfig
from trl.trainer.distillation_trainer import DistillationTrainer

from envplatform.errors import TrainingError
from envplatform.learning.conversation import Conversation, template_messages
from envplatform.learning.distillation.teacher import settings_of, teacher_digest
from envplatform.learning.online.turns import Turns
from envplatform.learning.training.arguments import common_arguments
from envplatform.learning.training.base import Loaded
from envplatform.learning.training.job import Job
from envplatform.learning.training.order import Packing, TrainingOrder
from envplatform.learning.training.planning import steps_of
from envplatform.learning.training.renamed import known_renamings
from envplatform.learning.training.rows import LeftOut, read_conversations
from envplatform.learning.training.steady import Steady
from envplatform.learning.training.workfolder import WorkFolder

_REVERSE = 1.0
"""TRL's beta: the divergence of the student from the teacher, as in `divergence`."""


class SingleTurnTrainer(Steady, DistillationTrainer):
    """TRL's on-policy distillation."""

    def train(self, resume_from_checkpoint: str | None = None) -> object:
        """Train to the end."""
        with known_renamings():
            done: object = super().train(resume_from_checkpoint=resume_from_checkpoint)
        return done


class SingleTurnJob(Job):
    """Prompts that fit, and when each is answered."""

    packing: Packing = "none"
    packing_refused: str = ""

    def __init__(
        self, order: TrainingOrder, loaded: Loaded, teacher: PreTrainedModel
    ) -> None:
        """Read, measure and order the prompts.

        Raises:
            TrainingError: one is no single turn, or none fits.
        """
        self._order = order
        self._loaded = loaded
        self._teacher = teacher
        self._turns = Turns(loaded.tokenizer, loaded.renderer)
        loaded.tokenizer.chat_template = loaded.renderer.template  # TRL reads it there
        prompts = [_checked(one) for one in read_conversations(order.rows)]
        long = {one.trajectory_id: self._over_length(one) for one in prompts}
        self._kept = [one for one in prompts if long[one.trajectory_id] is None]
        self._left_out = tuple(one for one in long.values() if one is not None)
        names = [one.trajectory_id for one in self._kept]
        steps = steps_of(names, order) if names else ()
        self._steps = tuple(step for step in steps if len(step) == order.batch)
        if not self._steps:
            msg = (
                f"{len(names)} prompts fit, and a step answers {order.batch}: give more"
            )
            raise TrainingError(msg)
        self._trainer: SingleTurnTrainer | None = None

    @property
    def row_ids(self) -> tuple[str, ...]:
        """Ids of the prompts that are answered."""
        return tuple(one.trajectory_id for one in self._kept)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Prompts that leave no room for an answer."""
        return self._left_out

    @property
    def examples(self) -> tuple[tuple[str, ...], ...]:
        """Ids of the prompts that each step answers."""
        ids = self.row_ids
        return tuple(tuple(ids[at] for at in step) for step in self._steps)

    @property
    def tokens(self) -> int:
        """Of prompts and answers, in all steps."""
        counts = [one["num_tokens"] for one in self._history() if "num_tokens" in one]
        return int(counts[-1]) if counts else 0

    @property
    def trained_tokens(self) -> int:
        """Of answers, in all steps."""
        means = (one.get("completions/mean_length", 0.0) for one in self._history())
        return sum(round(mean * self._order.batch) for mean in means)

    @property
    def facts(self) -> Mapping[str, str]:
        """Whose distributions were learnt, and where."""
        settings = settings_of(self._order)
        return {
            "distilled on": settings.on,
            "divergence": "reverse KL",
            "teacher": settings.teacher.name,
            "teacher digest": teacher_digest(settings),
        }

    def trainer(self, folder: WorkFolder, micro_batch: int) -> SingleTurnTrainer:
        """What has the student answer, and draws it to its teacher."""
        settings = settings_of(self._order)
        self._loaded.model.generation_config.eos_token_id = list(self._turns.stop_ids())
        given = common_arguments(
            self._order, folder, steps=len(self._steps), micro_batch=micro_batch
        )
        rows = [self._kept[at] for step in self._steps for at in step]
        prompts = [template_messages(one.messages) for one in rows]
        self._trainer = SingleTurnTrainer(
            model=self._loaded.model,
            teacher_model=self._teacher,
            args=DistillationConfig(
                **given,
                beta=_REVERSE,
                temperature=settings.temperature,
                max_completion_length=settings.answer_tokens,
                shuffle_dataset=False,
                remove_unused_columns=False,
            ),
            train_dataset=Dataset.from_dict({"prompt": prompts}),
            processing_class=self._loaded.tokenizer,
        )
        return self._trainer

    def _over_length(self, prompt: Conversation) -> LeftOut | None:
        length = len(self._turns.opening_ids(prompt.messages, ()))
        room = self._order.max_length - settings_of(self._order).answer_tokens
        if length <= room:
            return None
        detail = f"{length} tokens, and with its answer room for {room}"
        return LeftOut(
            row_id=prompt.trajectory_id,
            reason="over_length",
            detail=detail,
            length=length,
        )

    def _history(self) -> list[dict[str, Any]]:
        return self._trainer.state.log_history if self._trainer else []


def single_turn_job(
    order: TrainingOrder, loaded: Loaded, teacher: PreTrainedModel
) -> SingleTurnJob:
    """Read the prompts of an order.

    Raises:
        TrainingError: one is no single turn, or none fits.
    """
    return SingleTurnJob(order, loaded, teacher)


def _checked(row: Conversation) -> Conversation:
    answered = any(one.role == "assistant" for one in row.messages)
    if row.tools or answered or not row.messages or row.messages[-1].role != "user":
        msg = (
            f"row {row.trajectory_id!r} is no single turn without tools: it must end "
            "with a user's message, and hold no answer and no tool"
        )
        raise TrainingError(msg)
    return row
