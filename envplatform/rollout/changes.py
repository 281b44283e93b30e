"""What an agent left otherwise than it found it: files and short diffs, for the record."""

from collections.abc import Iterator
from itertools import islice

from envplatform.errors import PatchError
from envplatform.patches import diff_trees
from envplatform.trajectories import FileChange
from envplatform.tree import File, Tree

_MOST_FILES = 100
_MOST_BYTES = 200_000
"""Of a file that is compared."""
_MOST_CHARACTERS = 20_000
"""Of one diff."""


def changes_of(before: Tree, after: Tree) -> tuple[FileChange, ...]:
    """Return the first hundred changes, by path."""
    return tuple(islice(_changes(before, after), _MOST_FILES))


def _changes(before: Tree, after: Tree) -> Iterator[FileChange]:
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        patch = _patch(path, old, new)
        if old is None:
            yield FileChange(path=path, change="created", patch=patch)
        elif new is None:
            yield FileChange(path=path, change="deleted", patch=patch)
        else:
            yield FileChange(path=path, change="changed", patch=patch)


def _patch(path: str, old: File | None, new: File | None) -> str:
    """Return a diff in text that UTF-8 can hold; empty where there is none to show."""
    if any(one is not None and len(one.data) > _MOST_BYTES for one in (old, new)):
        return ""
    try:
        text = diff_trees(
            {path: old} if old else {},
            {path: new} if new else {},
        )
    except PatchError:  # binary, or a path that no patch names
        return ""
    shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return shown if len(shown) <= _MOST_CHARACTERS else ""
