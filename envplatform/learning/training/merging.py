"""An adapter merged into its base, as one model in safetensors.

Merging runs in a process of its own: `python -m envplatform.learning.training.merging
CHECKPOINT BASE FOLDER`. Loads torch there, and nowhere else.
"""

import subprocess
import sys
from pathlib import Path

from envplatform.errors import EnvPlatformError, TrainingError
from envplatform.learning.student_files import student_digest, student_files
from envplatform.learning.training.checkpoint import (
    ADAPTER,
    Checkpoint,
    read_checkpoint,
)

_SAID = 2000
_REFUSED = 2


def merge_elsewhere(checkpoint: Checkpoint, base: Path, folder: Path) -> None:
    """Write base and adapter, merged, to `folder`, which is there and empty.

    Raises:
        TrainingError: it is the adapter of another base, or merging gives no numbers.
        StudentError: the base can't be used.
    """
    check_base(checkpoint, base)
    done = subprocess.run(
        [sys.executable, "-P", "-m", __name__, checkpoint.folder, base, folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        msg = f"{checkpoint.folder} can't be merged: {done.stderr.strip()[-_SAID:]}"
        raise TrainingError(msg)


def check_base(checkpoint: Checkpoint, base: Path) -> None:
    """Hold a base model to what a checkpoint was trained over.

    Raises:
        TrainingError: it is another.
        StudentError: it is no model.
    """
    found = student_digest(student_files(base), "")
    known = checkpoint.record.base
    if found != known.digest:
        msg = (
            f"base: {base} ({found[:12]}) is not {known.name} ({known.digest[:12]}), "
            "over which the adapter was trained"
        )
        raise TrainingError(msg)


def merge(checkpoint: Checkpoint, base: Path, folder: Path) -> None:
    """Merge in this process.

    Raises:
        TrainingError: merged weights would be no numbers.
        StudentError: the base can't be loaded.
    """
    from envplatform.learning.conversion import save_plain  # noqa: PLC0415  torch
    from envplatform.learning.student import load_model  # noqa: PLC0415
    from envplatform.learning.training.base import adapted  # noqa: PLC0415

    record = checkpoint.record
    model = load_model(base, record.dtype)  # type: ignore[arg-type]  # an order's
    both = adapted(model, checkpoint.folder / ADAPTER, trainable=False)
    try:
        merged = both.merge_and_unload(safe_merge=True)
    except ValueError as error:
        msg = f"merged weights would be no numbers: {error}"
        raise TrainingError(msg) from error
    save_plain(merged, base, folder)


def main() -> None:
    """Merge what the arguments name."""
    checkpoint, base, folder = map(Path, sys.argv[1:])
    try:
        merge(read_checkpoint(checkpoint), base, folder)
    except EnvPlatformError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_REFUSED)


if __name__ == "__main__":
    main()
