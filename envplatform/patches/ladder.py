"""Apply a published diff with as little help as it needs, and say how much that was.

The rungs, each tried only if those before it failed:

- `strict`: as it stands.
- `recounted`: counts and new starts are taken from the bodies, a missing last line end
  is put back, and the last line of a file may or may not have its LF.
- `line_endings`: the file's own LF or CRLF, where the diff has the other throughout.
- `relocated`: hunks move to the one place of the file where their old lines stand.

A text that reads strictly is read so; each file then takes the first rung that suits
it, on top of those before, and the diff's rung is the highest of any file. No fuzz:
every old line of a hunk is found, or nothing is applied.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from envplatform.errors import PatchError
from envplatform.patches.apply import apply_files, apply_hunks, fits, misfit, start_of
from envplatform.patches.diff import diff_trees
from envplatform.patches.last_line import with_own_end
from envplatform.patches.lenient import read_anyhow
from envplatform.patches.line_endings import with_own_endings
from envplatform.patches.model import FilePatch, Hunk, Rung
from envplatform.patches.parse import split_lines
from envplatform.patches.places import place
from envplatform.patches.splice import Edit, splice
from envplatform.tree import File, Tree

_RUNGS: tuple[Rung, ...] = get_args(Rung)


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A tree after a diff, and how the diff came to fit."""

    tree: dict[str, File]
    rung: Rung
    """The most help that any part of the diff needed."""
    patch: str
    """Fresh canonical diff from the old tree to the new one; empty if they are equal."""


def apply_with_ladder(tree: Tree, patch: str) -> Applied:
    """Apply a diff wholly or not at all; `tree` itself is never changed.

    Raises:
        AmbiguousPatchError: a hunk that needs a new place fits at several.
        PatchError: no rung helps; the `fault` says why.
    """
    files, forgiven = read_anyhow(patch)
    climber = _Climber("recounted" if forgiven else "strict")
    after = apply_files(tree, files.files, climber.edit)
    return Applied(tree=after, rung=climber.rung, patch=diff_trees(tree, after))


class _Climber:
    """Edits files one after the other and keeps the highest rung that one needed."""

    def __init__(self, lowest: Rung) -> None:
        self._lowest = self.rung = lowest

    def edit(self, file: FilePatch, data: bytes) -> bytes:
        """Return the file's bytes after its hunks.

        Raises:
            AmbiguousPatchError: a hunk fits at several places.
            PatchError: a hunk fits nowhere.
        """
        if self._lowest == "strict":
            try:
                return apply_hunks(file, data)
            except PatchError:
                pass  # its message only says what the last rung will say as well
        after, rung = _climb(file, data)
        self.rung = max(self.rung, rung, key=_RUNGS.index)
        return after


def _climb(file: FilePatch, data: bytes) -> tuple[bytes, Rung]:
    lines = split_lines(data)
    theirs, own = file.hunks, with_own_endings(file.hunks, data)
    steps: list[tuple[Sequence[Hunk], Rung]] = [(theirs, "recounted")]
    if own:
        steps.append((own, "line_endings"))
    reasons: list[PatchError] = []
    for hunks, rung in steps:
        try:
            return splice(file.path, lines, _settle(hunks, lines, file.path)), rung
        except PatchError as error:
            reasons.append(error)
    for hunks, _ in steps:
        try:
            return splice(file.path, lines, place(hunks, lines, file.path)), "relocated"
        except PatchError as error:
            reasons.append(error)
            if error.fault == "ambiguous":
                raise
    msg = f"{reasons[0]}; {reasons[-1]}"
    raise PatchError(msg)


def _settle(hunks: Sequence[Hunk], lines: Sequence[bytes], path: str) -> list[Edit]:
    """Take the hunks where their old starts say."""
    edits: list[Edit] = []
    at = 0
    for number, hunk in enumerate(hunks, start=1):
        where = f"{path}: hunk {number}"
        edit = Edit(start_of(hunk), hunk.old, hunk.new)
        if edit.start < at:
            msg = (
                f"{where}: starts at line {hunk.old_start}, before the last hunk's end"
            )
            raise PatchError(msg)
        if not fits(edit, lines):
            ended = _at_the_end(hunk, edit, lines)
            if ended is None:
                raise misfit(edit, lines, where)
            edit = ended
        edits.append(edit)
        at = edit.end
    return edits


def _at_the_end(hunk: Hunk, edit: Edit, lines: Sequence[bytes]) -> Edit | None:
    if not edit.old or not lines or edit.end != len(lines):
        return None
    ended = with_own_end(hunk, edit.start, lines[-1])
    return ended if ended and fits(ended, lines) else None
