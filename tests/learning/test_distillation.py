"""Distillation over recorded rollouts: nothing to learn from oneself, much from another."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from envplatform.errors import TrainingError
from envplatform.learning.distillation.settings import DistillationSettings
from envplatform.learning.training.checkpoint import read_checkpoint
from envplatform.learning.training.fit import fit
from envplatform.learning.training.order import LoraSettings, TrainingOrder
from envplatform.learning.training.rows import write_conversations
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.chat_templates import CHATML_TOOLS
from tests.learning.made_elsewhere import policy, student
from tests.learning.made_students import (
    ASK,
    CALL,
    DONE,
    FOUND,
    RESULT,
    SYSTEM,
    THANKS,
    model,
    save_student,
    talk,
)

Event = Mapping[str, Any]


def order(folder: Path, teacher: Path, **changes: Any) -> TrainingOrder:  # noqa: ANN401  any field
    path = folder / "rows.jsonl"
    turns = (SYSTEM, ASK, CALL, RESULT, FOUND)
    write_conversations(
        path,
        [
            talk(*turns, trajectory_id="a"),
            talk(ASK, DONE, trajectory_id="b"),
            talk(SYSTEM, ASK, FOUND, THANKS, DONE, trajectory_id="c"),
        ],
    )
    plain = TrainingOrder(
        kind="distillation",
        base=student(),
        rows=path,
        lora=LoraSettings(r=4, alpha=8),
        learning_rate=1e-2,
        steps=3,
        batch=2,
        max_length=300,
        dtype="float32",
        checkpoint_every=1,
        distillation=DistillationSettings(teacher=teacher, chunk_rows=8),
    )
    return replace(plain, **changes)


def trained(given: TrainingOrder, folder: Path) -> tuple[Path, list[Event]]:
    told: list[Event] = []
    result = fit(given, WorkFolder(folder), told.append)
    return result, told


def test_a_teacher_that_is_the_student_teaches_exactly_nothing(tmp_path: Path) -> None:
    result, told = trained(order(tmp_path, student()), tmp_path / "work")
    steps = [one for one in told if one["event"] == "step"]
    assert [(one["loss"], one["grad_norm"]) for one in steps] == [(0.0, 0.0)] * 3
    weights = load_file(result / "adapter" / "adapter_model.safetensors")
    assert all(
        torch.count_nonzero(weight) == 0
        for name, weight in weights.items()
        if "lora_B" in name
    )


def test_another_teacher_is_approached(tmp_path: Path) -> None:
    given = order(tmp_path, policy(), steps=8, batch=3)
    result, _ = trained(given, tmp_path / "work")
    record = read_checkpoint(result).record
    losses = [one.loss for one in record.losses]
    assert losses[-1] < losses[0] / 2
    assert record.facts["teacher"] == policy().name
    assert record.facts["distilled on"] == "rollouts"
    assert record.kind == "distillation"


@pytest.mark.parametrize("micro_batch", [1, 2])
def test_accumulated_or_at_once_the_loss_is_the_same(
    tmp_path: Path, micro_batch: int
) -> None:
    given = order(tmp_path, policy(), steps=1, micro_batch=micro_batch)
    _, told = trained(given, tmp_path / "work")
    losses = [one["loss"] for one in told if one["event"] == "step"]
    whole = order(tmp_path, policy(), steps=1, micro_batch=2)
    _, again = trained(whole, tmp_path / "again")
    assert losses == pytest.approx(
        [one["loss"] for one in again if one["event"] == "step"], rel=1e-4
    )


def test_a_teacher_of_another_vocabulary_is_refused_by_name(tmp_path: Path) -> None:
    other = save_student(tmp_path / "other", CHATML_TOOLS)
    tokens = Tokenizer.from_file(str(other / "tokenizer.json"))
    tokens.add_tokens(["zebra"])
    tokens.save(str(other / "tokenizer.json"))
    with pytest.raises(TrainingError, match=r"other has another vocabulary.*'zebra'"):
        trained(order(tmp_path, other), tmp_path / "work")


def test_a_teacher_whose_output_layer_is_larger_is_refused(tmp_path: Path) -> None:
    """Its tokens are the student's; its distributions are over more than them."""
    other = save_student(tmp_path / "other", CHATML_TOOLS)
    padded = model()
    padded.resize_token_embeddings(448)
    padded.save_pretrained(other)
    with pytest.raises(TrainingError, match="has 448 rows and the student's 400"):
        trained(order(tmp_path, other), tmp_path / "work")


def test_a_checkpoint_of_the_student_teaches_its_base(tmp_path: Path) -> None:
    first, _ = trained(order(tmp_path, policy(), steps=4), tmp_path / "first")
    settings = DistillationSettings(teacher=student(), teacher_checkpoint=first)
    result, _ = trained(
        order(tmp_path, student(), distillation=settings), tmp_path / "b"
    )
    record = read_checkpoint(result).record
    assert record.losses[0].loss > 0
    assert read_checkpoint(first).digest in record.facts["teacher digest"]
    foreign = replace(settings, teacher=policy())
    with pytest.raises(TrainingError, match="was trained over"):
        trained(order(tmp_path, student(), distillation=foreign), tmp_path / "c")


def test_a_student_goes_on_from_its_parent(tmp_path: Path) -> None:
    first, _ = trained(order(tmp_path, policy()), tmp_path / "first")
    result, _ = trained(order(tmp_path, policy(), parent=first), tmp_path / "second")
    assert read_checkpoint(result).record.parent == read_checkpoint(first).digest


def test_settings_belong_to_their_kind(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="distillation: its settings"):
        order(tmp_path, policy(), distillation=None)
    with pytest.raises(TrainingError, match="distillation: its settings"):
        order(tmp_path, policy(), kind="sft_conversation")


def single(folder: Path, teacher: Path, **changes: Any) -> TrainingOrder:  # noqa: ANN401  any field
    given = order(
        folder,
        teacher,
        distillation=DistillationSettings(
            teacher=teacher, on="single_turns", answer_tokens=10
        ),
        **changes,
    )
    asks = [talk(SYSTEM, ASK, trajectory_id="a"), talk(THANKS, trajectory_id="b")]
    write_conversations(given.rows, asks)
    return given


def test_answers_that_the_student_gives_now_are_drawn_to_the_teacher(
    tmp_path: Path,
) -> None:
    result, told = trained(single(tmp_path, policy()), tmp_path / "work")
    record = read_checkpoint(result).record
    assert [one.loss > 0 for one in record.losses] == [True] * 3
    assert record.facts["distilled on"] == "single_turns"
    assert record.trained_tokens > 0
    assert len(record.examples) == 3
    _, same = trained(single(tmp_path, student()), tmp_path / "same")
    losses = [one["loss"] for one in same if one["event"] == "step"]
    assert losses == pytest.approx([0.0] * 3, abs=1e-6)
    assert [one["event"] for one in told][-1] == "published"


def test_what_is_no_single_turn_is_refused_and_what_is_too_long_counted(
    tmp_path: Path,
) -> None:
    given = single(tmp_path, policy(), batch=1)
    write_conversations(given.rows, [talk(ASK, DONE, trajectory_id="answered")])
    with pytest.raises(TrainingError, match="'answered' is no single turn"):
        trained(given, tmp_path / "work")
    long = replace(ASK, content="where is it " * 200)
    rows = [talk(ASK, trajectory_id="a"), talk(long, trajectory_id="long")]
    write_conversations(given.rows, rows)
    result, _ = trained(given, tmp_path / "long")
    left = read_checkpoint(result).record.left_out
    assert [(one.row_id, one.reason) for one in left] == [("long", "over_length")]
