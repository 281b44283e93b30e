"""`envplatform export-merged CHECKPOINT DIR`: base and adapter as one model.

The model is loaded in a process of its own; no torch in this one.
"""

from pathlib import Path
from typing import Annotated

import typer

from envplatform.cli.checkpoints import find_checkpoint, is_checkpoint_folder
from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, find_any_place, find_place
from envplatform.errors import StoreError
from envplatform.interop.exporting import whole_folder
from envplatform.learning.training.merging import merge_elsewhere
from envplatform.llm.embedded import embedded_gguf
from envplatform.store import Store


def export_merged(
    checkpoint: Annotated[
        str, typer.Argument(help="Folder or digest; a unique start will do.")
    ],
    to: Annotated[Path, typer.Argument(help="Folder to make; must not exist yet.")],
    base: Annotated[
        Path | None,
        typer.Option(help="The base model; left out: the embedded one."),
    ] = None,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Write a checkpoint and its base as one Hugging Face model, in safetensors."""
    with clear_errors(as_json=as_json):
        folder = is_checkpoint_folder(checkpoint)
        place = find_any_place(config) if folder else find_place(config)
        found = find_checkpoint(Store(place.home), checkpoint)
        if found is None:
            msg = f"no checkpoint {checkpoint!r}: neither a folder nor one of the store"
            raise StoreError(msg)
        with whole_folder(to) as unfinished:
            merge_elsewhere(found, base or embedded_gguf(), unfinished)
    report = {"checkpoint": found.digest, "to": str(to)}
    answer(
        report,
        as_json=as_json,
        show=lambda console: say(console, f"{found.digest[:12]} merged into {to}"),
    )
