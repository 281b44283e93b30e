"""A model as safetensors, from whatever a student can be loaded from."""

from pathlib import Path

from transformers import PreTrainedModel

from envplatform.learning.protocol import Dtype
from envplatform.learning.student import load_model, load_tokenizer


def save_as_safetensors(source: Path, folder: Path, dtype: Dtype) -> None:
    """Write the model at `source` to `folder` in `dtype`; a GGUF loads far slower.

    Raises:
        StudentError: `source` can't be loaded.
    """
    save_plain(load_model(source, dtype), source, folder)


def save_plain(model: PreTrainedModel, source: Path, folder: Path) -> None:
    """Write a loaded `model` with the tokenizer of `source` to `folder`.

    Raises:
        StudentError: the tokenizer can't be loaded.
    """
    model.save_pretrained(folder)
    load_tokenizer(source).save_pretrained(folder)
