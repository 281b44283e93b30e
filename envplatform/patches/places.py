"""Where a hunk's old lines stand in a file, when its line numbers can't be believed.

Once one number of a file is wrong, none of its numbers counts: each hunk must fit at
exactly one place of the whole file, and the places must come in the order of the hunks.
A hunk without old lines fits everywhere, so it is never placed.

Candidates come from the hunk's rarest line, so that ten thousand hunks cost little more
than one. In files made to be repetitive even that is slow; there the search gives up.
"""

from collections.abc import Mapping, Sequence

from envplatform.errors import AmbiguousPatchError, PatchError
from envplatform.patches.last_line import with_own_end
from envplatform.patches.model import Hunk
from envplatform.patches.splice import Edit

_MAX_COMPARED_LINES = 20_000_000
"""Per file; about a second."""


def place(hunks: Sequence[Hunk], lines: Sequence[bytes], path: str) -> list[Edit]:
    """Return where each hunk goes, in file order.

    Raises:
        AmbiguousPatchError: a hunk fits at several places.
        PatchError: a hunk fits nowhere, or only before the end of the last one.
    """
    finder = _Finder(hunks, lines)
    edits: list[Edit] = []
    for number, hunk in enumerate(hunks, start=1):
        where = f"{path}: hunk {number}"
        found = finder.places(hunk, where)
        if not found:
            msg = f"{where}: its lines stand nowhere in the file"
            raise PatchError(msg)
        if len(found) > 1:
            first, second = (edit.start + 1 for edit in found)
            msg = f"{where}: fits at lines {first} and {second}, and perhaps others"
            raise AmbiguousPatchError(msg)
        if edits and found[0].start < edits[-1].end:
            msg = (
                f"{where}: fits only at line {found[0].start + 1}, "
                "before the last hunk's end"
            )
            raise PatchError(msg)
        edits += found
    return edits


class _Finder:
    """Finds the hunks of one file."""

    def __init__(self, hunks: Sequence[Hunk], lines: Sequence[bytes]) -> None:
        self._lines = lines
        self._positions = _positions(hunks, lines)
        self._left = _MAX_COMPARED_LINES

    def places(self, hunk: Hunk, where: str) -> list[Edit]:
        """Return the first two places at most."""
        old = hunk.old
        if not old:
            msg = f"{where}: inserts without context, so it fits anywhere"
            raise AmbiguousPatchError(msg)
        found = self._exact(list(old), hunk, where)
        start = len(self._lines) - len(old)
        if start >= 0 and len(found) < 2:  # noqa: PLR2004
            edit = with_own_end(hunk, start, self._lines[-1])
            if edit and list(edit.old) == list(self._lines[start:]):
                found.append(edit)
        return found

    def _exact(self, old: list[bytes], hunk: Hunk, where: str) -> list[Edit]:
        offset = min(range(len(old)), key=lambda n: len(self._positions[old[n]]))
        found: list[Edit] = []
        for at in self._positions[old[offset]]:
            start = at - offset
            self._left -= len(old)
            if self._left < 0:
                msg = f"{where}: the file repeats itself too much to place it"
                raise PatchError(msg)
            if start >= 0 and self._lines[start : start + len(old)] == old:
                found.append(Edit(start, old, hunk.new))
                if len(found) > 1:
                    break
        return found


def _positions(
    hunks: Sequence[Hunk], lines: Sequence[bytes]
) -> Mapping[bytes, Sequence[int]]:
    """Old line of any hunk to its indices in the file, ascending."""
    positions: dict[bytes, list[int]] = {
        line.content: [] for hunk in hunks for line in hunk.lines if line.origin != "+"
    }
    for at, line in enumerate(lines):
        if line in positions:
            positions[line].append(at)
    return positions
