"""What a diff touches, for those who only ask: paths, lines added, lines removed."""

from typing import NamedTuple

from envplatform.patches.lenient import read_anyhow
from envplatform.patches.model import Origin
from envplatform.patches.parse import parse_patch


def patched_paths(patch: str) -> tuple[str, ...]:
    """Sorted paths that the diff changes, creates, deletes or moves a file away from.

    Raises:
        PatchError: the text is no diff that `parse_patch` takes.
    """
    files = parse_patch(patch).files
    paths = {file.path for file in files}
    paths |= {file.source for file in files if file.source and file.kind == "rename"}
    return tuple(sorted(paths))


def added_lines(patch: str) -> tuple[str, ...]:
    """Lines the diff adds, in order, without their LF."""
    return _lines(patch, "+")


def removed_lines(patch: str) -> tuple[str, ...]:
    """Lines the diff removes, in order, without their LF."""
    return _lines(patch, "-")


def _lines(patch: str, origin: Origin) -> tuple[str, ...]:
    return tuple(
        line.content.removesuffix(b"\n").decode("utf-8", "surrogateescape")
        for file in parse_patch(patch).files
        for hunk in file.hunks
        for line in hunk.lines
        if line.origin == origin
    )


class TouchedPaths(NamedTuple):
    """The files that must be read to apply a diff, or to turn it around."""

    old: tuple[str, ...]
    """Paths that exist before it, sorted; sources of renames and copies among them."""
    new: tuple[str, ...]
    """Paths that exist after it, sorted."""


def touched_paths(patch: str) -> TouchedPaths:
    """Return which files a diff names, before and after; wrong counts are overlooked.

    Raises:
        PatchError: the text can't be read as a diff, not even by its bodies.
    """
    files = read_anyhow(patch)[0].files
    old = (file.source or file.path for file in files if file.kind != "create")
    new = (file.path for file in files if file.kind != "delete")
    return TouchedPaths(tuple(sorted(set(old))), tuple(sorted(set(new))))
