"""The files of a model: which are read, which are refused, their digests. No torch."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from envplatform.errors import StudentError
from envplatform.learning.file_digests import file_digest
from envplatform.learning.protocol import StudentFile

_READ = frozenset({".safetensors", ".json", ".jinja", ".txt", ".model", ".tiktoken"})
"""Weights, configuration, tokenizer, template. Never code, never a pickle."""
_PICKLES = frozenset({".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt"})


def student_files(
    model: Path, *, digest: Callable[[Path], str] = file_digest
) -> tuple[StudentFile, ...]:
    """Every file that loading `model` may read, by name; `digest` gives SHA-256 (hex).

    Raises:
        StudentError: no model, or one whose weights are no safetensors.
    """
    if model.suffix == ".gguf" and model.is_file():
        return (_file(model, digest),)
    if not model.is_dir():
        msg = f"{model} is neither a folder of a Hugging Face model nor a .gguf file"
        raise StudentError(msg)
    found = sorted(path for path in model.iterdir() if path.is_file())
    if not (model / "config.json").is_file():
        msg = f"{model} has no config.json; name the folder that save_pretrained wrote"
        raise StudentError(msg)
    if not any(path.suffix == ".safetensors" for path in found):
        raise StudentError(_no_weights(model, found))
    return tuple(_file(path, digest) for path in found if path.suffix in _READ)


def _no_weights(model: Path, found: Sequence[Path]) -> str:
    pickles = [path.name for path in found if path.suffix in _PICKLES]
    if pickles:
        return (
            f"{model} has its weights in {', '.join(pickles)}, and pickles run code when "
            "read: convert them to safetensors where you trust them"
        )
    return f"{model} has no .safetensors file"


def _file(path: Path, digest: Callable[[Path], str]) -> StudentFile:
    return StudentFile(
        name=path.name, sha256=digest(path), size_bytes=path.stat().st_size
    )


def student_digest(files: Sequence[StudentFile], template_sha256: str) -> str:
    """One digest of everything that scores depend on, whatever the folder is called."""
    lines = [f"{file.sha256}  {file.name}" for file in files]
    whole = "\n".join([*lines, f"{template_sha256}  chat template"])
    return hashlib.sha256(whole.encode()).hexdigest()
