"""The teacher: a model of the student's vocabulary that gives distributions, no more."""

from dataclasses import replace

from peft import PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from envplatform.errors import TrainingError
from envplatform.learning.distillation.settings import DistillationSettings
from envplatform.learning.student import load_tokenizer
from envplatform.learning.student_files import student_digest, student_files
from envplatform.learning.training.base import base_model, load_base, parent_adapter
from envplatform.learning.training.checkpoint import read_checkpoint
from envplatform.learning.training.order import TrainingOrder

_NAMED = 3
"""Tokens that an error names."""


def settings_of(order: TrainingOrder) -> DistillationSettings:
    """What an order says of distillation.

    Raises:
        TrainingError: nothing; it is of another kind.
    """
    if order.distillation is None:
        msg = f"an order of kind {order.kind} names no teacher"
        raise TrainingError(msg)
    return order.distillation


def teacher_digest(settings: DistillationSettings) -> str:
    """Digest over the teacher's files, and its checkpoint where there is one.

    Raises:
        StudentError: there is no model.
        TrainingError: the checkpoint is none.
    """
    own = student_digest(student_files(settings.teacher), "")
    if settings.teacher_checkpoint is None:
        return own
    return f"{own}+{read_checkpoint(settings.teacher_checkpoint).digest}"


def load_teacher(
    order: TrainingOrder, student: PreTrainedTokenizerBase
) -> PreTrainedModel:
    """The teacher on the ordered device, in the ordered dtype; nothing of it learns.

    Raises:
        TrainingError: its vocabulary is not the student's, or its checkpoint is of
            another base.
        StudentError: it can't be loaded.
    """
    settings = settings_of(order)
    check_vocabulary(student, load_tokenizer(settings.teacher), settings)
    own = replace(order, base=settings.teacher)
    model = load_base(own)
    if settings.teacher_checkpoint is not None:
        adapted = parent_adapter(model, settings.teacher_checkpoint, base_model(own))
        model = merged(adapted)
    model.requires_grad_(requires_grad=False)
    evaluated: PreTrainedModel = model.eval()
    return evaluated


def merged(model: PeftModel) -> PreTrainedModel:
    """The base with its adapter in place, which must hold numbers alone."""
    whole: PreTrainedModel = model.merge_and_unload(safe_merge=True)
    return whole


def check_vocabulary(
    student: PreTrainedTokenizerBase,
    teacher: PreTrainedTokenizerBase,
    settings: DistillationSettings,
) -> None:
    """Hold the teacher to the student's tokens: distributions are compared one by one.

    Raises:
        TrainingError: a token is another; names the first.
    """
    own, other = student.get_vocab(), teacher.get_vocab()
    if own == other:
        return
    differing = sorted(
        token
        for token in own.keys() | other.keys()
        if own.get(token) != other.get(token)
    )
    named = ", ".join(repr(token) for token in differing[:_NAMED])
    msg = (
        f"teacher: {settings.teacher.name} has another vocabulary ({len(other)} tokens, "
        f"the student {len(own)}; {len(differing)} differ, such as {named}): choose a "
        "teacher of the student's family"
    )
    raise TrainingError(msg)


def check_heads(student: PreTrainedModel, teacher: PreTrainedModel) -> None:
    """Hold the output layers to one size; models pad theirs as they like.

    Raises:
        TrainingError: they differ.
    """
    own, other = _rows(student), _rows(teacher)
    if own != other:
        msg = (
            f"teacher: its output layer has {other} rows and the student's {own}, so "
            "their distributions can't be compared"
        )
        raise TrainingError(msg)


def _rows(model: PreTrainedModel) -> int:
    return len(model.get_output_embeddings().weight)
