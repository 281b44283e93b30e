"""Apply a sampled diff with as little help as it needs, and say how much that was.

On top of the rungs of `patches.ladder`, of which each finds every old line or none, there
is one that trusts only what a diff changes: models remember context less well than the
lines they change. What comes out is a fresh diff in any case, and is proved by execution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from envplatform.errors import PatchError
from envplatform.patches import Hunk, Line, Rung, apply_with_ladder
from envplatform.patches.lenient import read_leniently
from envplatform.swe.inducers.learned.fault import Fault
from envplatform.swe.inducers.learned.reading import ReadDiff, header_of
from envplatform.tree import File

SampleRung = Literal[
    "raw",  # applies as it was written
    "extracted",  # out of a fence or prose, or its header was put right
    "unnumbered",  # line numbers that the model had copied were taken away
    "recounted",  # wrong counts in hunk headers, a lost last line end
    "line_endings",
    "relocated",  # each hunk fits at exactly one place
    "renamed",  # the header named another file, and the one that was shown has the lines
    "context_dropped",  # each changed line stands at exactly one place
]
RUNGS: tuple[SampleRung, ...] = get_args(SampleRung)
_OF_LADDER: dict[Rung, SampleRung] = {
    "strict": "raw",
    "recounted": "recounted",
    "line_endings": "line_endings",
    "relocated": "relocated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A file after a sampled diff."""

    data: bytes
    rung: SampleRung
    """The most help that any part of it needed."""


def repair(diff: ReadDiff, path: str, data: bytes) -> Repaired | Fault:
    """Apply a diff to the file that it is of."""
    lowest: SampleRung = "extracted" if diff.extracted else "raw"
    if diff.unnumbered:
        lowest = "unnumbered"
    if diff.renamed:
        lowest = "renamed"
    try:
        after, rung = _applied(diff.text, path, data)
    except PatchError as error:
        if error.fault not in {"misfit", "ambiguous"}:
            return Fault("unparsable", error.fault)
        try:
            after, _ = _applied(_without_context(diff.text, path), path, data)
        except PatchError:
            fits_often = error.fault == "ambiguous"
            return Fault("ambiguous" if fits_often else "does_not_apply")
        rung = "context_dropped"
    return Repaired(data=after, rung=max(lowest, rung, key=RUNGS.index))


def _applied(text: str, path: str, data: bytes) -> tuple[bytes, SampleRung]:
    """Return the file after a diff.

    Raises:
        PatchError: the diff can't be read, or fits nowhere or at several places.
    """
    applied = apply_with_ladder({path: File(data)}, text)
    return applied.tree[path].data, _OF_LADDER[applied.rung]


def _without_context(text: str, path: str) -> str:
    """Leave of each hunk its changed lines, and one line before those only added.

    Raises:
        PatchError: the diff can't be read, or adds lines that nothing stands before.
    """
    (file,) = read_leniently(text).files
    if not file.hunks:
        msg = f"{path}: nothing is changed"
        raise PatchError(msg, fault="malformed")
    runs = [run for hunk in file.hunks for run in _runs(hunk)]
    parts = [header_of(path).encode()]
    for run in runs:
        if all(line.origin == "+" for line in run):
            msg = f"{path}: lines are added nowhere"
            raise PatchError(msg, fault="misfit")
        parts.append(b"@@ -1 +1 @@\n")
        parts += [_written(line) for line in run]
    return b"".join(parts).decode("utf-8", "surrogateescape")


def _runs(hunk: Hunk) -> Iterator[Sequence[Line]]:
    """Changed lines that stand together, with the line before where all are added."""
    before: Line | None = None
    run: list[Line] = []
    for line in [*hunk.lines, Line(" ", b"\n")]:
        if line.origin != " ":
            run.append(line)
            continue
        if run:
            lacks = all(one.origin == "+" for one in run)
            yield [before, *run] if lacks and before is not None else run
            run = []
        before = line


def _written(line: Line) -> bytes:
    text = line.origin.encode() + line.content
    return text if text.endswith(b"\n") else text + b"\n"
