"""What decides distilled checkpoints: the teacher, what is learnt on, and the order."""

from pathlib import Path
from typing import Any

from assets.batch import Batch
from assets.on_policy_recipes import base_settings, with_own
from assets.training_recipes import base_sources, common_order
from envplatform.configuration import EMBEDDED_STUDENT, Configuration, DistilSettings
from envplatform.errors import ConfigError, EnvPlatformError
from envplatform.learning.conversation import Conversation, conversation_of
from envplatform.learning.distillation.settings import DistillationSettings
from envplatform.learning.student_files import student_digest, student_files
from envplatform.learning.training.order import TrainingOrder
from envplatform.llm.embedded import embedded_gguf
from envplatform.store import Store
from envplatform.store.values import digest_json
from envplatform.trajectories import Trajectory


def distillation_of(configuration: Configuration, name: str) -> DistilSettings | None:
    """What an experiment says of distillation; None: nothing."""
    return configuration.distillation.experiments.get(name)


def distillation_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """What decides the checkpoint of one experiment; empty without one."""
    settings = distillation_of(configuration, name)
    if settings is None:
        return {}
    return {
        **base_sources(base_settings(configuration, name), store),
        "teacher": teacher_digest_of(settings),
        "distillation": digest_json(
            settings.model_dump(mode="json", exclude={"teacher"})
        ),
    }


def distillation_order(
    configuration: Configuration,
    name: str,
    rows: Path,
    *,
    parent: Path | None,
    teacher_checkpoint: Path | None,
) -> TrainingOrder:
    """What is learnt of an experiment, and from whom."""
    base = base_settings(configuration, name)
    settings = distillation_of(configuration, name)
    if settings is None:
        msg = f"no [distillation.{name}]"
        raise ConfigError(msg)
    order = common_order(
        base,
        rows,
        kind="distillation",
        distillation=DistillationSettings(
            teacher=teacher_of(settings),
            teacher_checkpoint=teacher_checkpoint,
            on=settings.on,
            answer_tokens=settings.answer_tokens,
            temperature=settings.temperature,
            chunk_rows=settings.chunk,
        ),
        parent=parent,
        steps=settings.steps,
        batch=settings.batch,
        micro_batch=settings.micro_batch,
        learning_rate=settings.learning_rate,
    )
    return with_own(order, settings)


def learnt_rows(batch: Batch[Any], settings: DistilSettings) -> list[Conversation]:
    """The student's recorded rollouts, or their openings without tools.

    Raises:
        EnvPlatformError: a batch has none.
    """
    found: list[Conversation] = []
    for name in settings.batches:
        own = [
            _learnt(one, settings)
            for one in batch.scan(Trajectory, "rollouts", only=[name])
            if one.error_class is None and one.steps
        ]
        if not own:
            msg = f"batch {name!r} has no rollout to learn on: materialise its rollouts"
            raise EnvPlatformError(msg)
        found += own
    return found


def teacher_of(settings: DistilSettings) -> Path:
    """The teacher's folder or file.

    Raises:
        ModelError: it is the embedded model, which is not installed.
    """
    embedded = settings.teacher == EMBEDDED_STUDENT
    return embedded_gguf() if embedded else Path(settings.teacher)


def teacher_digest_of(settings: DistilSettings) -> str:
    """Of the teacher's files, read through.

    Raises:
        StudentError: there is no model.
    """
    return student_digest(student_files(teacher_of(settings)), "")


def _learnt(one: Trajectory, settings: DistilSettings) -> Conversation:
    if settings.on == "rollouts":
        return conversation_of(one)
    return Conversation(trajectory_id=one.trajectory_id, messages=one.prompt)
