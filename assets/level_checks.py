"""Asset checks over lineages. They assert; accepting children is the library's.

A failing check stops all partitions, so it must mean that something is wrong with the
platform, not with one child.
"""

from collections.abc import Iterator, Sequence
from random import Random

import dagster as dg

from assets.levels import res_ablations, res_lineages
from envplatform.bundle import Environment, core_digest
from envplatform.errors import EnvPlatformError, StoreError
from envplatform.grading.kept import kept_environment
from envplatform.res.diagnostic import CHECKS
from envplatform.res.rebuild import rebuilt_level
from envplatform.res.rows import LevelRow
from envplatform.res.verifier import PASS
from envplatform.store import Store
from resources.store import StoreResource

SAMPLE = 24
"""Children that are read in full and made anew, drawn by seed; of the others the row is
read.
"""
_TOLD = 50


@dg.asset_check(asset=res_lineages, name="only_accepted_children", blocking=True)
def only_accepted_children(store: StoreResource) -> dg.AssetCheckResult:
    """Goal and grader are the root's, all checks passed, and plans make the same again."""
    return _only_accepted(store.open(), "res_lineages")


@dg.asset_check(asset=res_ablations, name="only_accepted_children", blocking=True)
def only_accepted_ablations(store: StoreResource) -> dg.AssetCheckResult:
    """Goal and grader are the root's, all checks passed, and plans make the same again."""
    return _only_accepted(store.open(), "res_ablations")


def _only_accepted(store: Store, asset: str) -> dg.AssetCheckResult:
    rows = store.all_rows(LevelRow, asset)
    known = {row.environment.digest: row for row in rows}
    children = [row for row in rows if row.level]
    sample = Random(0).sample(children, min(SAMPLE, len(children)))  # noqa: S311  no secret
    problems = [
        f"{row.environment.environment_id}: {problem}"
        for row in children
        for problem in _said(row, known.get(row.root), known.get(row.parent))
    ]
    problems += [
        f"{row.environment.environment_id}: {problem}"
        for row in sample
        for problem in _done(store, row, known)
    ]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "children": len(children),
            "made anew": len(sample),
            "problems": dg.MetadataValue.json(problems[:_TOLD]),
        },
    )


def _said(
    row: LevelRow, root: LevelRow | None, parent: LevelRow | None
) -> Iterator[str]:
    """What a row itself says that may not be."""
    if root is None or parent is None:
        yield "its root or its parent is in no row"
    elif row.environment.core_digest != root.environment.core_digest:
        yield "its core is not its root's"
    if row.checks != CHECKS or any(one.diagnostics for one in row.attempts[-1:]):
        yield f"not all checks passed: {', '.join(row.checks) or 'none ran'}"
    if row.oracle != PASS:
        yield f"its oracle scores {row.oracle}"


def _done(store: Store, row: LevelRow, known: dict[str, LevelRow]) -> Sequence[str]:
    """What is wrong with what the store holds, by its digest and by its plan."""
    try:
        child = kept_environment(store, row.environment)
        parent = _parent(store, row, known)
        if core_digest(child.core) != core_digest(parent.core):
            return ["its core is not its parent's"]
        rebuilt_level(parent, row)
    except EnvPlatformError as error:
        return [str(error)]
    return []


def _parent(store: Store, row: LevelRow, known: dict[str, LevelRow]) -> Environment:
    if row.parent not in known:
        msg = f"its parent {row.parent} is in no row"
        raise StoreError(msg)
    return kept_environment(store, known[row.parent].environment)
