"""Apply a published diff with as little help as it needs, and say how much that was."""

from dataclasses import dataclass

from envplatform.patches.apply import apply_patch
from envplatform.patches.diff import diff_trees
from envplatform.patches.model import Rung
from envplatform.tree import File, Tree


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
    after = apply_patch(tree, patch)
    return Applied(tree=after, rung="strict", patch=diff_trees(tree, after))
