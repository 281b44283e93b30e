"""What is served and how; where the server is. Loads no torch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from envplatform.learning.protocol import Dtype


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingOrder:
    """A model to be served."""

    name: str
    """That it is asked by."""
    base: Path
    """Folder of a Hugging Face model, or a GGUF file."""
    checkpoint: Path | None = None
    """A published checkpoint of that base; None: the base as it is."""
    template: Path | None = None
    """A Jinja file in place of the model's own chat template."""
    dtype: Dtype = "float32"
    device: str = "cpu"
    threads: Annotated[int, Field(ge=1)] = 1
    max_tokens: Annotated[int, Field(ge=1)] = 4_096
    """Of one answer, whatever a request asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Where the server is."""

    base_url: str
    """Such as `http://127.0.0.1:1234/v1`."""


SERVING_ORDER = TypeAdapter(ServingOrder)
SERVED = TypeAdapter(Served)
