"""Put hunks into the lines of a file, at places that were settled before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envplatform.errors import PatchError

_SHOWN_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Edit:
    """`lines[start:start + len(old)]` equals `old` and becomes `new`."""

    start: int
    old: Sequence[bytes]
    new: Sequence[bytes]

    @property
    def end(self) -> int:
        """Index of the line after `old`."""
        return self.start + len(self.old)


def splice(path: str, lines: Sequence[bytes], edits: Iterable[Edit]) -> bytes:
    """Return the file after the edits, which stand in file order and do not overlap.

    Raises:
        PatchError: a line without line end would come to stand before another.
    """
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        for part in (lines[at : edit.start], edit.new):
            _append(path, pieces, part)
        at = edit.end
    _append(path, pieces, lines[at:])
    return b"".join(pieces)


def _append(path: str, pieces: list[bytes], part: Sequence[bytes]) -> None:
    """Within the file's lines and within a hunk only the last may lack its end."""
    if not part:
        return
    if pieces and not pieces[-1].endswith(b"\n"):
        msg = f"{path}: a line without line end in the middle: {shown(pieces[-1])}"
        raise PatchError(msg)
    pieces += part


def shown(line: bytes) -> str:
    """Return a line for a message: escaped, in quotes, cut off when long."""
    text = ascii(line.decode("utf-8", "backslashreplace"))
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
