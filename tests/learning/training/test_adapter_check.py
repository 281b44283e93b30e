"""Adapters that others wrote, and published checkpoints that were tampered with."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs envplatform[learning]")

from envplatform.errors import TrainingError
from envplatform.learning.training.adapter_check import (
    CONFIG,
    WEIGHTS,
    check_adapter,
    check_fits,
    read_header,
)
from envplatform.learning.training.checkpoint import ADAPTER, read_checkpoint
from envplatform.learning.training.fit import fit
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.made_students import model
from tests.learning.training.made_orders import order


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    return fit(order(folder, steps=1), WorkFolder(folder / "w"), lambda _: None)


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    return shutil.copytree(published, tmp_path / "copy")


def test_what_is_published_passes_and_fits_its_base(copy: Path) -> None:
    assert check_adapter(copy / ADAPTER).r == 4
    check_fits(copy / ADAPTER, model())
    assert read_checkpoint(copy).record.steps == 1


def test_a_pickle_is_refused_by_name_and_never_read(copy: Path) -> None:
    (copy / ADAPTER / "adapter_model.bin").write_bytes(b"cos\nsystem\n")
    with pytest.raises(TrainingError, match=r"adapter_model.bin, and pickles run code"):
        check_adapter(copy / ADAPTER)
    with pytest.raises(TrainingError, match=r"holds adapter/adapter_model.bin"):
        read_checkpoint(copy)


def changed(**values: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / CONFIG
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    return change


def cut(folder: Path) -> None:
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data[:-8])


def header(text: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / WEIGHTS).write_bytes(len(text).to_bytes(8, "little") + text)

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (changed(peft_type="PREFIX_TUNING"), "peft_type"),
        (changed(r=8), "no part of a LoRA adapter of rank 8"),
        (changed(r=-1), "r: "),
        (changed(lora_alpha=float("inf")), "lora_alpha"),
        (changed(modules_to_save=["lm_head"]), "modules_to_save"),
        (changed(auto_mapping={"base_model_class": "os.system"}), "auto_mapping"),
        (cut, "cut short"),
        (header(b"{}"), "cut short"),
        (header(b"[" * 100_000), "can't be read as safetensors"),
        (header(b'{"a": {"dtype": "F32", "shape": [-1]}}'), "shape"),
        (lambda folder: (folder / WEIGHTS).write_bytes(b"\xff" * 8), "would be"),
        (lambda folder: (folder / WEIGHTS).unlink(), "can't be read"),
        (lambda folder: (folder / CONFIG).unlink(), "holds no adapter"),
    ],
)
def test_what_is_no_plain_adapter_is_named(
    copy: Path, change: Callable[[Path], None], told: str
) -> None:
    change(copy / ADAPTER)
    with pytest.raises(TrainingError, match=told):
        check_adapter(copy / ADAPTER)


def test_layers_of_another_size_are_of_another_base(copy: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415  alone here

    other = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=400,
            hidden_size=64,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=4,
        )
    )
    with pytest.raises(TrainingError, match="an adapter of another base"):
        check_fits(copy / ADAPTER, other)


def test_a_later_format_is_not_guessed_at(copy: Path) -> None:
    path = copy / "record.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format_version": 99}))
    with pytest.raises(TrainingError, match="is of format 99"):
        read_checkpoint(copy)


def test_headers_are_read_without_numbers(copy: Path) -> None:
    shapes = {one.shape for one in read_header(copy / ADAPTER / WEIGHTS).values()}
    assert (4, 32) in shapes
