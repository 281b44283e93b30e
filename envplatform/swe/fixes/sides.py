"""Both sides of one fix, rebuilt from bytes."""

from dataclasses import dataclass

from envplatform.patches import Rung
from envplatform.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What the patch names, before and after the fix, and the way back to the bug."""

    buggy: Tree
    """Patched files before the fix; those that it creates are absent."""
    fixed: Tree
    """Patched files after the fix; those that it deletes are absent."""
    rung: Rung
    """How much help the published patch needed to apply."""
    bug_patch: str
    """`diff_trees(fixed, buggy)`, round-tripped in both directions."""
