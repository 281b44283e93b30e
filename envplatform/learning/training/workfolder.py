"""The folder of one training: its order, rows, half-done work and result. No torch.

    order.json  what is wanted       identity   digest of what it names, once begun
    work/       the trainer's own checkpoints, with pickles; nothing leaves it
    result/     what is published: there whole, or not at all
    error.json  why it could not go on

One process at a time holds the lock, so two runs of one order never mix.
"""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import TrainingError

_DONE = "envplatform-complete"
_PREFIX = "checkpoint-"


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """Where one order is worked on."""

    root: Path

    @property
    def order(self) -> Path:
        """The order."""
        return self.root / "order.json"

    @property
    def rows(self) -> Path:
        """Where whoever orders may put the rows."""
        return self.root / "rows.jsonl"

    @property
    def work(self) -> Path:
        """The trainer's output folder."""
        return self.root / "work"

    @property
    def result(self) -> Path:
        """The published checkpoint."""
        return self.root / "result"

    @property
    def error(self) -> Path:
        """The message of a failure."""
        return self.root / "error.json"

    @property
    def splits(self) -> Path:
        """How memory was divided so far."""
        return self.root / "memory.json"

    @contextmanager
    def claimed(self, identity: str) -> Iterator[None]:
        """Hold the folder for the training `identity`, a digest.

        Raises:
            TrainingError: another process holds it, or it belongs to another training.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / "lock").open("a") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                msg = f"another process is training in {self.root}; wait for it"
                raise TrainingError(msg) from error
            self._check(identity)
            self.work.mkdir(exist_ok=True)
            self.error.unlink(missing_ok=True)
            self.sweep()
            yield

    def last_checkpoint(self) -> Path | None:
        """The trainer's last checkpoint that is whole; None before the first."""
        found = [path for path in self._checkpoints() if (path / _DONE).is_file()]
        return max(found, key=step_of, default=None)

    def sweep(self) -> None:
        """Delete checkpoints that a killed process left half-written."""
        for path in self._checkpoints():
            if not (path / _DONE).is_file():
                shutil.rmtree(path)
        for path in self.root.glob(".*.unfinished"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def write_error(self, message: str) -> None:
        """Keep why the training could not go on."""
        self.error.write_text(json.dumps({"message": message}))

    def read_error(self) -> str | None:
        """Why the training could not go on; None if nothing was said."""
        try:
            said = json.loads(self.error.read_text())
        except (OSError, ValueError):
            return None
        return str(said.get("message")) if isinstance(said, dict) else None

    def _checkpoints(self) -> list[Path]:
        found = self.work.glob(f"{_PREFIX}*")
        return [
            path
            for path in found
            if path.is_dir() and path.name.removeprefix(_PREFIX).isdecimal()
        ]

    def _check(self, identity: str) -> None:
        path = self.root / "identity"
        if not path.is_file():
            path.write_text(identity)
        elif path.read_text() != identity:
            msg = (
                f"{self.root} belongs to another training: order, rows or base model "
                "were others; name another folder or delete this one"
            )
            raise TrainingError(msg)


def step_of(checkpoint: Path) -> int:
    """The step after which a trainer's checkpoint was written."""
    return int(checkpoint.name.removeprefix(_PREFIX))


def mark_complete(checkpoint: Path) -> None:
    """Say of a trainer's checkpoint that all of it is written."""
    (checkpoint / _DONE).touch()
