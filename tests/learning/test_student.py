"""What is loaded as a student, and what is refused and why."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs envplatform[learning]")

import torch
from transformers import (
    CohereConfig,
    CohereForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    GraniteConfig,
    GraniteForCausalLM,
    LlamaForCausalLM,
    PreTrainedModel,
)

from envplatform.errors import StudentError
from envplatform.learning.head import Head
from envplatform.learning.protocol import ScoringOrder
from envplatform.learning.student import Student
from tests.learning.chat_templates import CHATML_TOOLS, MARKED, MERGING
from tests.learning.made_students import model, save_student, tokenizer

SIZES = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "initializer_range": 0.8,
}


def load(folder: Path) -> Student:
    return Student.load(ScoringOrder(model=folder))


def test_files_are_recorded_by_digest(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", CHATML_TOOLS)
    (folder / "README.md").write_text("Nothing that scores depend on.")
    record = load(folder).record
    names = [file.name for file in record.files]
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(names)
    assert "README.md" not in names
    other = save_student(tmp_path / "other", CHATML_TOOLS)
    assert load(other).record.digest == record.digest
    (other / "chat_template.jinja").write_text(MARKED)
    assert load(other).record.digest != record.digest


def test_pickles_are_refused_by_name(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", CHATML_TOOLS)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(StudentError, match=r"pytorch_model\.bin.*run code"):
        load(folder)


def test_a_pickle_beside_safetensors_is_not_opened(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", CHATML_TOOLS)
    (folder / "pytorch_model.bin").write_bytes(b"no pickle at all")
    names = [file.name for file in load(folder).record.files]
    assert "pytorch_model.bin" not in names


def test_a_device_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", CHATML_TOOLS)
    with pytest.raises(StudentError, match="the device 'nonsense' here"):
        Student.load(ScoringOrder(model=folder, device="nonsense"))


def test_code_beside_a_model_is_not_run(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", CHATML_TOOLS)
    ran = tmp_path / "ran"
    (folder / "modeling_own.py").write_text(f"open({str(ran)!r}, 'w')")
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "own"
    names = ("AutoConfig", "AutoModelForCausalLM")
    config["auto_map"] = dict.fromkeys(names, "modeling_own.Own")
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(StudentError):
        load(folder)
    assert not ran.exists()


def test_missing_weights_are_not_made_up(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", CHATML_TOOLS)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(StudentError, match=r"lacks weights.*layers\.2"):
        load(folder)


def test_without_a_chat_template_the_remedy_is_named(tmp_path: Path) -> None:
    folder = save_student(tmp_path / "s", None)
    with pytest.raises(StudentError, match=r"no chat template.*`template`"):
        load(folder)
    own = tmp_path / "own.jinja"
    own.write_text(MARKED)
    student = Student.load(ScoringOrder(model=folder, template=own))
    assert student.renderer.template == MARKED


def test_a_template_that_merges_turns_is_refused_before_any_work(
    tmp_path: Path,
) -> None:
    folder = save_student(tmp_path / "s", MERGING)
    with pytest.raises(StudentError, match=r"rewrites_turns.*\{% generation %\}"):
        load(folder)


@pytest.mark.parametrize("name", ["nothing", "file.txt", "empty"])
def test_what_is_no_model_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudentError, match=name):
        load(tmp_path / name)


def gemma() -> PreTrainedModel:
    return Gemma2ForCausalLM(Gemma2Config(**SIZES, final_logit_softcapping=3.0))


def cohere() -> PreTrainedModel:
    return CohereForCausalLM(CohereConfig(**SIZES, logit_scale=0.25))


def granite() -> PreTrainedModel:
    return GraniteForCausalLM(GraniteConfig(**SIZES, logits_scaling=8.0))


@pytest.mark.parametrize("make", [gemma, cohere, granite, model])
def test_logits_are_capped_and_scaled_as_the_model_does(
    make: Callable[[], PreTrainedModel],
) -> None:
    torch.manual_seed(3)
    made = make().eval()
    head = Head.of(made)
    ids = torch.arange(30).unsqueeze(0)
    with torch.inference_mode():
        ours, own = head.logits(head.hidden(ids)), made(input_ids=ids).logits
    torch.testing.assert_close(ours, own, rtol=0, atol=1e-5)


def test_untied_weights_are_taken_from_the_output_layer() -> None:
    untied = model(tied=False)
    assert Head.of(untied).output.weight is not untied.get_input_embeddings().weight


def test_logits_made_in_an_unknown_way_are_refused() -> None:
    class Odd(LlamaForCausalLM):  # type: ignore[misc]
        def forward(self, *args: object, **given: object) -> object:
            answer = super().forward(*args, **given)
            answer.logits = answer.logits.abs()
            return answer

    torch.manual_seed(0)
    odd = Odd(model().config).eval()
    with pytest.raises(StudentError, match="Odd makes its logits in a way"):
        Head.of(odd)


def test_a_tokenizer_reads_back_what_it_wrote() -> None:
    """The maker of these tests' tokenizer is held to what the mask relies on."""
    text = "Hello\n\n there <|im_end|>\n é"
    words = tokenizer(None)
    assert words.decode(words(text)["input_ids"]) == text
