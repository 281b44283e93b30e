"""Digests of large files, remembered as long as size and time of change stay the same.

Asking whether a student is still the same must not read its weights anew each time.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of a file, read in full."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    size: int
    changed_ns: int
    sha256: str


_MEMORY = TypeAdapter(dict[str, _Known])


class FileDigests:
    """Digests by path."""

    def __init__(self, known: Mapping[str, _Known]) -> None:
        self._known = known
        self.asked: dict[str, _Known] = {}
        """What was asked for, remembered or read."""

    def __call__(self, path: Path) -> str:
        """SHA-256 (hex) of a file, read only if it is not known as it stands."""
        name, stat = str(path.resolve()), path.stat()
        known = self._known.get(name)
        if known is None or (known.size, known.changed_ns) != (
            stat.st_size,
            stat.st_mtime_ns,
        ):
            known = _Known(
                size=stat.st_size,
                changed_ns=stat.st_mtime_ns,
                sha256=file_digest(path),
            )
        self.asked[name] = known
        return known.sha256


@contextmanager
def remembered_digests(memory: Path) -> Iterator[FileDigests]:
    """Digests that last in the file `memory`; a damaged one counts as empty.

    Of two processes that write at once one stays: the other's files are read again.
    """
    try:
        known = _MEMORY.validate_json(memory.read_bytes())
    except (FileNotFoundError, ValidationError):
        known = {}
    digests = FileDigests(known)
    yield digests
    if any(known.get(name) != one for name, one in digests.asked.items()):
        _write(memory, {**known, **digests.asked})


def _write(memory: Path, known: Mapping[str, _Known]) -> None:
    plain = _MEMORY.dump_python(dict(known), mode="json")
    with tempfile.NamedTemporaryFile(
        "w", dir=memory.parent, prefix=".", suffix=".unfinished", delete=False
    ) as beside:
        json.dump(plain, beside)
    Path(beside.name).replace(memory)
