"""A model as safetensors, from whatever a student can be loaded from."""

from pathlib import Path

from envplatform.learning.protocol import Dtype
from envplatform.learning.student import load_model, load_tokenizer


def save_as_safetensors(source: Path, folder: Path, dtype: Dtype) -> None:
    """Write the model at `source` to `folder` in `dtype`; a GGUF loads far slower.

    Raises:
        StudentError: `source` can't be loaded.
    """
    model = load_model(source, dtype)
    # Weights read from a GGUF are plain numbers by now; transformers still thinks of
    # them as quantised, and refuses to save those.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.is_quantized = False
    model.hf_quantizer = None
    model.save_pretrained(folder)
    load_tokenizer(source).save_pretrained(folder)
