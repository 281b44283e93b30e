"""The code part of a bug patch: files, hunks and changed lines."""

from collections.abc import Collection
from dataclasses import dataclass

from envplatform.patches import FilePatch, parse_patch


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLines:
    """Changed lines of one code file, each in order, without place or context."""

    path: str
    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]


def code_patches(patch: str, paths: Collection[str]) -> tuple[FilePatch, ...]:
    """Diffs of the files named, by path.

    Raises:
        PatchError: `patch` is no diff that is taken.
    """
    files = (file for file in parse_patch(patch).files if file.path in paths)
    return tuple(sorted(files, key=lambda file: file.path))


def changed_lines(file: FilePatch) -> FileLines:
    """Gather the lines that a diff removes and adds."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    return FileLines(
        path=file.path,
        removed=tuple(line.content for line in lines if line.origin == "-"),
        added=tuple(line.content for line in lines if line.origin == "+"),
    )
