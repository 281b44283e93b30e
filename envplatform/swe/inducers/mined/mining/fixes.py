"""A row of fixes, and both sides of each of its files."""

from collections.abc import Iterator
from dataclasses import dataclass

from envplatform.errors import PatchError
from envplatform.patches import Patch, apply_patch, parse_patch, render_patch
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.reverse_patch import ReversePatch, TrainingRow
from envplatform.swe.inducers.base import is_test_path
from envplatform.tree import File, TreeError


@dataclass(frozen=True, slots=True, kw_only=True)
class BothSides:
    """One file that a fix changes."""

    path: str
    correct: bytes
    defective: bytes


def bug_type_of(row: TrainingRow | ReversePatch) -> BugType:
    """Return the type that the rules gave a fix."""
    return row.bug_type if isinstance(row, TrainingRow) else row.analysis.bug_type


def both_sides(row: TrainingRow | ReversePatch) -> Iterator[BothSides]:
    """Yield the files that both sides have, by path; none if the patch does not fit.

    Tests are left out: nobody wants them broken.
    """
    tree = {
        file.path: File(file.fixed.encode("utf-8", "surrogateescape"))
        for file in row.code
        if file.fixed is not None
        and file.path.endswith(".py")
        and not is_test_path(file.path)
    }
    try:
        files = tuple(
            file
            for file in parse_patch(row.bug_patch).files
            if file.path in tree and file.kind == "modify"
        )
        changed = apply_patch(tree, render_patch(Patch(files=files))) if files else {}
    except (PatchError, TreeError, UnicodeError):
        return
    for path in sorted(changed.keys() & tree.keys()):
        if changed[path].data != tree[path].data:
            yield BothSides(
                path=path, correct=tree[path].data, defective=changed[path].data
            )
