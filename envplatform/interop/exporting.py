"""What is written for others: into a folder that appears whole, or not at all.

Here: the folder, and the record of what was written. Not here: any format.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from envplatform.errors import ExportError

_SHOWN = 3
_MODE = 0o755


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One row that could not be written, which costs no other."""

    name: str
    reason: str
    """One line."""


@dataclass(slots=True)
class Exported:
    """What became of the rows of one export; grows while it is under way."""

    written: int = 0
    left_out: list[LeftOut] = field(default_factory=list)

    def leave_out(self, name: str, reason: object) -> None:
        """Note a row that is not written."""
        self.left_out.append(LeftOut(name=name, reason=" ".join(str(reason).split())))

    def check(self, what: str) -> None:
        """Refuse an export of nothing.

        Raises:
            ExportError: not one was written; names some that were left out.
        """
        if self.written:
            return
        told = "; ".join(f"{one.name}: {one.reason}" for one in self.left_out[:_SHOWN])
        msg = f"no {what} could be written: {told or 'none is stored that fits'}"
        raise ExportError(msg)


@contextmanager
def whole_folder(to: Path) -> Iterator[Path]:
    """A folder beside `to` that takes its place on leaving; gone if that is by an error.

    Raises:
        ExportError: something is there already, or by then.
    """
    to = to.absolute()
    if to.is_symlink() or (to.exists() and not _is_empty(to)):
        msg = f"{to} exists and is no empty folder; name another, or remove it"
        raise ExportError(msg)
    to.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{to.name}.", dir=to.parent))
    try:
        beside.chmod(_MODE)
        yield beside
        try:
            beside.rename(to)
        except OSError as error:
            msg = (
                f"{to} has come to be meanwhile ({error.strerror}); name another folder"
            )
            raise ExportError(msg) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())
