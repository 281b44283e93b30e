"""The training kind `distillation`: over recorded rollouts, or over single turns."""

from collections.abc import Mapping
from dataclasses import dataclass

from datasets import Dataset
from transformers import PreTrainedModel, TrainingArguments

from envplatform.learning.distillation.recorded import RecordedTrainer
from envplatform.learning.distillation.teacher import (
    check_heads,
    load_teacher,
    settings_of,
    teacher_digest,
)
from envplatform.learning.head import Head
from envplatform.learning.training.arguments import common_arguments
from envplatform.learning.training.base import Loaded
from envplatform.learning.training.encoding import IGNORED, Encoded, Encoder, Example
from envplatform.learning.training.job import Job
from envplatform.learning.training.order import Packing, TrainingOrder
from envplatform.learning.training.planning import steps_of
from envplatform.learning.training.rows import LeftOut, read_conversations
from envplatform.learning.training.workfolder import WorkFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJob(Job):
    """Recorded rollouts of the student, and a teacher."""

    order: TrainingOrder
    loaded: Loaded
    teacher: PreTrainedModel
    encoded: Encoded
    steps: tuple[tuple[int, ...], ...]
    """Places of examples."""
    packing: Packing = "none"
    packing_refused: str = ""

    @property
    def row_ids(self) -> tuple[str, ...]:
        """Ids of the rollouts that are learnt on."""
        return tuple(one.row_id for one in self.encoded.examples)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Rollouts that are not."""
        return self.encoded.left_out

    @property
    def examples(self) -> tuple[tuple[str, ...], ...]:
        """Ids of the rollouts that each step sees."""
        ids = self.row_ids
        return tuple(tuple(ids[at] for at in step) for step in self.steps)

    @property
    def tokens(self) -> int:
        """Read in all steps."""
        return sum(len(one.input_ids) for one in self._seen())

    @property
    def trained_tokens(self) -> int:
        """Of them the student's own."""
        return sum(label != IGNORED for one in self._seen() for label in one.labels[1:])

    @property
    def facts(self) -> Mapping[str, str]:
        """Whose distributions were learnt, and where."""
        settings = settings_of(self.order)
        return {
            "distilled on": settings.on,
            "divergence": "reverse KL",
            "teacher": settings.teacher.name,
            "teacher digest": teacher_digest(settings),
        }

    def trainer(self, folder: WorkFolder, micro_batch: int) -> RecordedTrainer:
        """What draws the student to its teacher."""
        given = common_arguments(
            self.order, folder, steps=len(self.steps), micro_batch=micro_batch
        )
        rows = self._seen()
        return RecordedTrainer(
            Head.of(self.teacher),
            chunk_rows=settings_of(self.order).chunk_rows,
            model=self.loaded.model,
            args=TrainingArguments(**given, remove_unused_columns=False),
            train_dataset=Dataset.from_dict(
                {
                    "input_ids": [one.input_ids for one in rows],
                    "labels": [one.labels for one in rows],
                }
            ),
            processing_class=self.loaded.tokenizer,
        )

    def _seen(self) -> list[Example]:
        return [self.encoded.examples[at] for step in self.steps for at in step]


def distillation_job(order: TrainingOrder, loaded: Loaded) -> Job:
    """Read an order's rows and load its teacher.

    Raises:
        TrainingError: rows can't be used, or the teacher's vocabulary is another.
        StudentError: the teacher can't be loaded.
    """
    settings = settings_of(order)
    teacher = load_teacher(order, loaded.tokenizer)
    check_heads(loaded.model.get_base_model(), teacher)
    if settings.on == "single_turns":
        from envplatform.learning.distillation.single_turns import (  # noqa: PLC0415
            single_turn_job,
        )

        return single_turn_job(order, loaded, teacher)
    encoder = Encoder(loaded.renderer, order.max_length)
    encoded = encoder.encode(read_conversations(order.rows))
    return RecordedJob(
        order=order,
        loaded=loaded,
        teacher=teacher,
        encoded=encoded,
        steps=steps_of([one.row_id for one in encoded.examples], order),
    )
