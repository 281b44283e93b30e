"""The loss of labelled tokens is that of full logits, in value and in gradient."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs envplatform[learning]")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.learning.head import Adjustment, Head
from envplatform.learning.training.base import base_model, load
from envplatform.learning.training.encoding import IGNORED
from envplatform.learning.training.loss import labelled_surprisal
from envplatform.learning.training.order import Packing
from envplatform.learning.training.sft import sft_job
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.training.made_orders import order

WIDTH, VOCABULARY = 6, 40
ADJUSTMENTS = (
    Adjustment("none"),
    Adjustment("softcap", 2.0),
    Adjustment("multiply", 0.5),
    Adjustment("divide", 4.0),
)


def head(adjustment: Adjustment, *, trained: bool) -> Head:
    output = torch.nn.Linear(WIDTH, VOCABULARY)
    output.requires_grad_(trained)
    return Head(torch.nn.Identity(), output, adjustment)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**20),
    rows=st.integers(1, 30),
    chunk_rows=st.integers(1, 40),
    adjustment=st.sampled_from(ADJUSTMENTS),
    trained=st.booleans(),
)
def test_chunks_give_the_loss_and_the_gradients_of_all_at_once(
    *, seed: int, rows: int, chunk_rows: int, adjustment: Adjustment, trained: bool
) -> None:
    torch.manual_seed(seed)
    made = head(adjustment, trained=trained)
    hidden = torch.randn(rows, WIDTH, requires_grad=True)
    ids = torch.randint(VOCABULARY, (rows,))
    leaves = [hidden, *(made.output.parameters() if trained else ())]
    whole = torch.nn.functional.cross_entropy(made.logits(hidden), ids, reduction="sum")
    parts = labelled_surprisal(hidden, ids, made, chunk_rows=chunk_rows)
    torch.testing.assert_close(parts, whole, rtol=1e-6, atol=0)
    wanted = torch.autograd.grad(3 * whole, leaves)
    found = torch.autograd.grad(3 * parts, leaves)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_of_no_token_it_is_nothing_and_moves_nothing() -> None:
    """As of a micro batch in which nothing is labelled."""
    states = torch.randn(3, WIDTH, requires_grad=True)
    hidden = states[torch.zeros(3, dtype=torch.bool)]
    none = torch.zeros(0, dtype=torch.long)
    loss = labelled_surprisal(hidden, none, head(Adjustment("none"), trained=False))
    (slope,) = torch.autograd.grad(loss, states)
    assert loss.item() == 0.0
    assert not slope.any()


def test_no_more_logits_exist_than_a_chunk_has() -> None:
    seen: list[int] = []

    class Watching(torch.nn.Linear):
        def forward(self, hidden: torch.Tensor) -> torch.Tensor:
            seen.append(len(hidden))
            return super().forward(hidden)

    watching = Head(
        torch.nn.Identity(), Watching(WIDTH, VOCABULARY), Adjustment("none")
    )
    hidden, ids = torch.randn(10, WIDTH, requires_grad=True), torch.arange(10)
    loss = labelled_surprisal(hidden, ids, watching, chunk_rows=4)
    torch.autograd.grad(loss, hidden)
    assert seen == [4, 4, 2]


@pytest.mark.parametrize("packing", ["none", "bfd"])
def test_a_step_has_the_loss_and_the_gradients_of_the_models_own_logits(
    tmp_path: Path, packing: Packing
) -> None:
    """Rows of unequal length together, and only what is labelled asks for logits."""
    plain = order(tmp_path, packing=packing, micro_batch=2)
    given_order = replace(plain, lora=replace(plain.lora, dropout=0.0))
    loaded = load(given_order, base_model(given_order))
    job = sft_job(given_order, loaded)
    assert job.packing == packing
    trainer = job.trainer(WorkFolder(tmp_path / "w"), 2)
    for name, weight in loaded.model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.1)  # or half of the gradients were 0
    batch = next(iter(trainer.get_train_dataloader()))
    weights = [one for one in loaded.model.parameters() if one.requires_grad]

    labels = batch["labels"][:, 1:]
    seen: list[int] = []
    output = Head.of(loaded.model.get_base_model()).output
    watch = output.register_forward_hook(
        lambda *got: seen.append(got[2].shape[:-1].numel())
    )
    ours = trainer.compute_loss(loaded.model, dict(batch), num_items_in_batch=50)
    watch.remove()
    assert sum(seen) == int((labels != IGNORED).sum())

    given_batch = {name: one for name, one in batch.items() if name != "labels"}
    logits = loaded.model(**given_batch, use_cache=False).logits[:, :-1]
    full = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    torch.testing.assert_close(ours, full / 50, rtol=1e-6, atol=0)
    own = torch.autograd.grad(ours, weights)
    wanted = torch.autograd.grad(full / 50, weights)
    assert any(one.abs().max() > 0 for one in wanted)
    for one, other in zip(own, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)
