"""What a diff touches, for those who only ask: paths, lines added, lines removed."""

from envplatform.patches.model import Origin
from envplatform.patches.parse import parse_patch


def patched_paths(patch: str) -> tuple[str, ...]:
    """Sorted paths that the diff changes, creates or deletes.

    Raises:
        PatchError: the text is no diff that `parse_patch` takes.
    """
    return tuple(sorted(file.path for file in parse_patch(patch).files))


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
