"""One training: what is learnt, what is recorded, and how it ends where it can't go on."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs envplatform[learning]")

import torch
from pydantic import JsonValue
from safetensors.torch import load_file

from envplatform.errors import StudentError, TrainingError
from envplatform.learning.training.base import (
    Loaded,
    adapted,
    base_model,
    load,
    load_base,
)
from envplatform.learning.training.checkpoint import (
    ADAPTER,
    Checkpoint,
    read_checkpoint,
)
from envplatform.learning.training.fit import fit
from envplatform.learning.training.job import Job
from envplatform.learning.training.order import LoraSettings, TrainingOrder
from envplatform.learning.training.packing import packing_fault
from envplatform.learning.training.rows import (
    CompletionRow,
    write_completions,
    write_conversations,
)
from envplatform.learning.training.sft import SFTJob, SteadySFTTrainer, sft_job
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.chat_templates import CHATML_TOOLS
from tests.learning.made_elsewhere import policy
from tests.learning.made_students import (
    ASK,
    CALL,
    DONE,
    FOUND,
    RESULT,
    model,
    save_student,
    talk,
    tokenizer,
)
from tests.learning.training.made_orders import ROWS, order

STILL: dict[str, Any] = {"lora": LoraSettings(r=4, alpha=8), "max_grad_norm": 1e9}
"""Without chance and without clipping."""


def trained(given: TrainingOrder, folder: Path) -> Checkpoint:
    return read_checkpoint(fit(given, WorkFolder(folder), lambda _: None))


def weights(found: Checkpoint) -> dict[str, torch.Tensor]:
    return load_file(found.folder / ADAPTER / "adapter_model.safetensors")


def test_equal_orders_give_equal_checkpoints_and_seeds_others(tmp_path: Path) -> None:
    given = order(tmp_path)
    first = trained(given, tmp_path / "a")
    assert trained(given, tmp_path / "b").digest == first.digest
    other = trained(replace(given, seed=1), tmp_path / "c")
    assert other.digest != first.digest


def test_the_record_says_what_was_done(tmp_path: Path) -> None:
    long = CompletionRow(row_id="long", prompt="x" * 500, completion="y")
    given = order(tmp_path, (*ROWS, long), code_commit="c0ffee")
    found = trained(given, tmp_path / "w")
    record = found.record
    assert record.base.licence == "Apache-2.0"
    assert {file.name for file in record.base.files} >= {"model.safetensors"}
    assert record.row_ids == tuple(row.row_id for row in ROWS)
    assert [one.row_id for one in record.left_out] == ["long"]
    assert len(record.examples) == record.steps == len(record.losses) == 3
    assert {len(step) for step in record.examples} == {2}
    assert [point.step for point in record.losses] == [1, 2, 3]
    assert record.losses[0].learning_rate > record.losses[2].learning_rate
    assert record.adapter["r"] == 4
    assert list(record.adapter) == sorted(record.adapter)
    assert record.adapter["base_model_name_or_path"] == "student"
    assert record.packages["torch"] == torch.__version__
    assert (record.device, record.dtype, record.attention) == ("cpu", "float32", "sdpa")
    assert record.code_commit == "c0ffee"
    assert record.tokens > record.trained_tokens > 0
    assert record.seeds == {"data": 0, "training": 0}
    assert str(tmp_path) not in (found.folder / "record.json").read_text()
    config = (found.folder / ADAPTER / "adapter_config.json").read_text()
    assert str(tmp_path) not in config


def test_it_learns(tmp_path: Path) -> None:
    row = ROWS[:1]
    given = order(tmp_path, row, steps=12, batch=1, learning_rate=2e-2)
    losses = trained(given, tmp_path / "w").record.losses
    assert losses[-1].loss < losses[0].loss / 2


def test_weights_of_an_adapter_are_float32_over_a_base_in_bfloat16(
    tmp_path: Path,
) -> None:
    found = trained(order(tmp_path, dtype="bfloat16"), tmp_path / "w")
    assert {one.dtype for one in weights(found).values()} == {torch.float32}
    assert found.record.dtype == "bfloat16"


def test_a_parent_is_trained_further_and_named(tmp_path: Path) -> None:
    parent = trained(order(tmp_path), tmp_path / "a")
    child = trained(order(tmp_path, parent=parent.folder), tmp_path / "b")
    assert child.record.parent == parent.digest
    start = weights(parent)
    moved = [not torch.equal(start[name], one) for name, one in weights(child).items()]
    assert any(moved)
    steps = order(tmp_path, parent=parent.folder, learning_rate=1e-9, seed=5)
    still = weights(trained(steps, tmp_path / "c"))
    assert all(torch.allclose(start[name], still[name], atol=1e-6) for name in start)


def test_an_adapter_of_another_base_is_no_parent(tmp_path: Path) -> None:
    parent = trained(order(tmp_path), tmp_path / "a")
    given = order(tmp_path, parent=parent.folder, base=policy())
    with pytest.raises(TrainingError, match=r"trained over student .* not over policy"):
        trained(given, tmp_path / "b")


def test_conversations_are_trained_on_with_their_tools(tmp_path: Path) -> None:
    given = order(tmp_path, kind="sft_conversation", max_length=400)
    write_conversations(
        given.rows, [talk(ASK, CALL, RESULT, FOUND), talk(ASK, DONE, trajectory_id="u")]
    )
    record = trained(given, tmp_path / "w").record
    assert record.row_ids == ("t1", "u")
    assert record.trained_tokens < record.tokens / 2


def first_gradients(
    given: TrainingOrder, folder: Path
) -> tuple[dict[str, torch.Tensor], SFTJob]:
    """Gradients of the first step, before anything moved."""
    found: list[dict[str, torch.Tensor]] = []

    class Looking(SteadySFTTrainer):
        def _get_grad_norm(self, *args: object, **kwargs: object) -> object:
            named = self.model.named_parameters()
            found.append(
                {name: one.grad.clone() for name, one in named if one.grad is not None}
            )
            return super()._get_grad_norm(*args, **kwargs)

    jobs: list[SFTJob] = []

    def make(order: TrainingOrder, loaded: Loaded) -> Job:
        jobs.append(replace(sft_job(order, loaded), trained_by=Looking))
        return jobs[0]

    fit(given, WorkFolder(folder), lambda _: None, make_job=make)
    return found[0], jobs[0]


def test_packed_rows_give_the_gradients_of_rows_apart(tmp_path: Path) -> None:
    """One step over all rows: its loss is a mean over tokens, however they are packed."""
    rows = len(ROWS)
    apart = order(tmp_path, steps=1, batch=rows, **STILL)
    one, job = first_gradients(apart, tmp_path / "a")
    packed = replace(apart, packing="bfd")
    packs = len(sft_job(packed, load(packed, base_model(packed))).packs)
    assert packs < rows
    two, job_packed = first_gradients(replace(packed, batch=packs), tmp_path / "b")
    assert job_packed.packing == "bfd"
    assert job.trained_tokens == job_packed.trained_tokens
    assert one.keys() == two.keys()
    for name, gradient in one.items():
        assert torch.allclose(gradient, two[name], rtol=1e-3, atol=1e-6), name


def test_what_users_say_last_carries_no_gradient(tmp_path: Path) -> None:
    """What follows the last answer changes nothing: it is neither learnt nor read."""
    said = [talk(ASK, FOUND), talk(ASK, FOUND, replace(ASK, content="No! ls -l cat"))]
    found = []
    for number, one in enumerate(said):
        folder = tmp_path / str(number)
        folder.mkdir()
        given = order(folder, kind="sft_conversation", steps=1, batch=1, **STILL)
        write_conversations(given.rows, [one])
        found.append(first_gradients(given, folder / "w")[0])
    assert any(gradient.abs().max() > 0 for gradient in found[0].values())
    for name, gradient in found[0].items():
        assert torch.allclose(gradient, found[1][name], rtol=1e-3, atol=1e-6), name


def test_packing_is_given_up_where_rows_look_into_each_other() -> None:
    """A model that has no notion of places sees one long row."""
    made = model()
    assert packing_fault(made) == ""
    with_places = made.forward

    class Leaking(type(made)):  # type: ignore[misc]  # a class known at run time
        def forward(self, *args: object, **given: object) -> object:
            given.pop("position_ids", None)
            return super().forward(*args, **given)

    assert with_places is not None
    made.__class__ = Leaking
    assert "packed rows differ from separate ones" in packing_fault(made)


class Hungry(SteadySFTTrainer):
    """Has no memory for more than one row at once."""

    def training_step(
        self, model: object, inputs: dict[str, torch.Tensor], *further: object
    ) -> torch.Tensor:
        """Refuse more."""
        if len(inputs["input_ids"]) > 1:
            msg = "made up"
            raise torch.OutOfMemoryError(msg)
        loss: torch.Tensor = super().training_step(  # type: ignore[no-untyped-call]
            model, inputs, *further
        )
        return loss


class Starved(SteadySFTTrainer):
    """Has no memory at all, as a CPU says it."""

    def training_step(self, *_: object) -> torch.Tensor:
        """Refuse all."""
        msg = (
            "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"
        )
        raise RuntimeError(msg)


def test_out_of_memory_divides_the_step_and_says_so(tmp_path: Path) -> None:
    given = order(tmp_path, batch=4, micro_batch=4, **STILL)
    told: list[Mapping[str, JsonValue]] = []
    result = fit(
        given,
        WorkFolder(tmp_path / "w"),
        told.append,
        make_job=lambda order, loaded: replace(
            sft_job(order, loaded), trained_by=Hungry
        ),
    )
    record = read_checkpoint(result).record
    splits = [(one.micro_batch, one.accumulation) for one in record.memory_splits]
    assert splits == [(2, 2), (1, 4)]
    assert [one["micro_batch"] for one in told if one["event"] == "memory"] == [2, 1]
    plain = trained(replace(given, micro_batch=1), tmp_path / "plain").record
    assert record.losses == plain.losses
    assert record.examples == plain.examples


def test_out_of_memory_with_one_row_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="lower max_length"):
        fit(
            order(tmp_path),
            WorkFolder(tmp_path / "w"),
            lambda _: None,
            make_job=lambda order, loaded: replace(
                sft_job(order, loaded), trained_by=Starved
            ),
        )


def test_a_loss_that_is_no_number_ends_the_training(tmp_path: Path) -> None:
    made = model()
    with torch.no_grad():
        made.get_input_embeddings().weight.fill_(float("nan"))
    made.save_pretrained(tmp_path / "base")
    tokenizer(CHATML_TOOLS).save_pretrained(tmp_path / "base")
    given = order(tmp_path, base=tmp_path / "base")
    with pytest.raises(TrainingError, match="the loss of step 1 is nan: lower"):
        trained(given, tmp_path / "w")
    assert not (tmp_path / "w" / "result").exists()


def test_no_row_that_fits_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="7 over_length"):
        trained(order(tmp_path, max_length=10), tmp_path / "w")


def test_more_than_the_model_reads_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        TrainingError, match=r"max_length: 513 tokens, and .* reads 512"
    ):
        trained(order(tmp_path, max_length=513), tmp_path / "w")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_here_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="device: a GPU is asked for"):
        trained(order(tmp_path, device="cuda"), tmp_path / "w")


def test_a_base_without_a_template_needs_one(tmp_path: Path) -> None:
    save_student(tmp_path / "base", None)
    given = order(tmp_path, base=tmp_path / "base")
    with pytest.raises(StudentError, match="base has no chat template"):
        trained(given, tmp_path / "a")
    template = tmp_path / "own.jinja"
    template.write_text(CHATML_TOOLS)
    assert trained(replace(given, template=template), tmp_path / "b").record.steps == 3


def test_layers_that_are_not_there_can_not_be_adapted(tmp_path: Path) -> None:
    given = order(tmp_path, lora=LoraSettings(targets="nowhere"))
    with pytest.raises(TrainingError, match=r"lora.targets: 'nowhere'"):
        trained(given, tmp_path / "w")


def test_a_folder_belongs_to_one_order(tmp_path: Path) -> None:
    given = order(tmp_path)
    trained(given, tmp_path / "w")
    with pytest.raises(TrainingError, match="belongs to another training"):
        trained(replace(given, seed=3), tmp_path / "w")
    write_completions(given.rows, ROWS[:3])
    with pytest.raises(TrainingError, match="belongs to another training"):
        trained(given, tmp_path / "w")


def test_two_processes_do_not_mix_in_one_folder(tmp_path: Path) -> None:
    folder = WorkFolder(tmp_path / "w")
    with (
        folder.claimed("a"),
        pytest.raises(TrainingError, match="another process is training"),
        WorkFolder(tmp_path / "w").claimed("a"),
    ):
        pass


def test_a_published_adapter_loads_as_any_other(tmp_path: Path) -> None:
    given = order(tmp_path)
    found = trained(given, tmp_path / "w")
    base = load_base(given)
    ids = torch.tensor([[5, 6, 7]])
    before = base(input_ids=ids).logits
    loaded = adapted(base, found.folder / ADAPTER, trainable=False)
    assert not torch.equal(loaded(input_ids=ids).logits, before)
