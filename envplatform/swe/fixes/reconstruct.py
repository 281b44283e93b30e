"""One instance and the files at hand, to both sides of the fix and the way back.

The bug patch is a fresh diff of two byte strings, never the published text turned
around, and it is applied again before it counts: to the fixed side it must give the
buggy one, and the fresh fix patch the fixed one, byte for byte.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from envplatform.errors import PatchError, PatchFault
from envplatform.patches import (
    Rung,
    apply_patch,
    apply_with_ladder,
    diff_trees,
    reversed_patch,
    touched_paths,
)
from envplatform.swe.fixes.histories.inline import carried_files
from envplatform.swe.fixes.history import History
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.sides import Sides
from envplatform.tree import Tree

REVISION = 1
"""Raised when equal instances and files give other sides or refusals."""

_CODES: Mapping[PatchFault, str] = {
    "misfit": "does_not_apply",
    "malformed": "patch_malformed",
    "ambiguous": "ambiguous",
    "binary": "patch_binary",
    "submodule": "patch_submodule",
    "symlink": "patch_symlink",
    "path": "patch_path",
    "too_large": "too_large",
}
"""What was wrong with a patch to the code of `refusal.REFUSALS`."""


def reconstruct(instance: FixInstance, history: History) -> Sides:
    """Rebuild both sides of a fix, with a bug patch that was proven in both directions.

    Raises:
        Refused: with the reason why there is no reverse patch of this instance.
        FixSourceError: the history failed; nothing was decided.
    """
    if instance.origin == "inline":
        return _carried(instance)
    side = history.read(instance, published_patch_paths(instance))
    forward = (side.which == "buggy") == (instance.patch_makes == "fix")
    try:
        patch = instance.patch if forward else reversed_patch(instance.patch)
        applied = apply_with_ladder(side.files, patch)
    except PatchError as error:
        if instance.origin == "release" and error.fault == "misfit":
            raise Refused(code="release_mismatch", detail=str(error)) from error
        raise _refused(error) from error
    if side.which == "buggy":
        return _proven(side.files, applied.tree, rung=applied.rung, fix=applied.patch)
    back = _diff(applied.tree, side.files)
    return _proven(applied.tree, side.files, rung=applied.rung, fix=back)


def published_patch_paths(instance: FixInstance) -> tuple[str, ...]:
    """Return the paths that a history must read for this instance, sorted.

    Raises:
        Refused: the patch is empty or no diff that is taken.
    """
    if instance.origin == "inline":
        return tuple(sorted(version.path for version in instance.versions))
    if not instance.patch.strip():
        raise Refused(code="no_patch", detail="the published patch is empty")
    try:
        touched = touched_paths(instance.patch)
    except PatchError as error:
        raise _refused(error) from error
    return tuple(sorted({*touched.old, *touched.new}))


def prefetch(instances: Iterable[FixInstance], history: History) -> None:
    """Bring all that `reconstruct` of these instances will read, in few requests.

    Instances whose patch is refused are left out here; `reconstruct` says why.

    Raises:
        FixSourceError: the history failed.
    """
    history.prefetch(_wanted(instances))


def _wanted(
    instances: Iterable[FixInstance],
) -> Iterator[tuple[FixInstance, Sequence[str]]]:
    for instance in instances:
        try:
            yield instance, published_patch_paths(instance)
        except Refused:
            continue


def _carried(instance: FixInstance) -> Sides:
    """Both sides as the row has them; its patch, if any, is not needed."""
    buggy = carried_files(instance, "buggy")
    fixed = carried_files(instance, "fixed")
    return _proven(buggy, fixed, rung="strict", fix=_diff(buggy, fixed))


def _proven(buggy: Tree, fixed: Tree, *, rung: Rung, fix: str) -> Sides:
    if buggy == fixed:
        raise Refused(code="no_change", detail="the patch changes no byte")
    bug = _diff(fixed, buggy)
    _check_way(fixed, bug, buggy, "bug")
    _check_way(buggy, fix, fixed, "fix")
    return Sides(buggy=buggy, fixed=fixed, rung=rung, bug_patch=bug)


def _diff(old: Tree, new: Tree) -> str:
    try:
        return diff_trees(old, new)
    except PatchError as error:
        raise _refused(error) from error


def _check_way(start: Tree, patch: str, end: Tree, name: str) -> None:
    try:
        arrived = apply_patch(start, patch)
    except PatchError as error:
        detail = f"the fresh {name} patch does not apply: {error}"
        raise Refused(code="round_trip", detail=detail) from error
    if arrived != end:
        paths = sorted(
            path for path in {*arrived, *end} if arrived.get(path) != end.get(path)
        )
        detail = f"the fresh {name} patch leaves {', '.join(paths)} different"
        raise Refused(code="round_trip", detail=detail)


def _refused(error: PatchError) -> Refused:
    return Refused(code=_CODES[error.fault], detail=str(error))
