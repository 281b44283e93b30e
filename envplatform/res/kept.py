"""Lineages in the store: each accepted level is kept at once, and gone on from.

A level's key is the digest of all that decides it: parent, proposer, seed, caps, code.
So a crash loses the level under way and no other, a second run makes none again, and
two runs at once take turns. Sandbox errors and refused children are never kept.
"""

from collections.abc import AsyncIterator
from dataclasses import replace

from envplatform.bundle import Environment, environment_digest
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, StoreError
from envplatform.grading.kept import keep_environment, kept_environment
from envplatform.res.growing import Growing, Grown
from envplatform.res.levels import attempt_rows, child_again, level_row, root_row
from envplatform.res.lineage import Child, Lineage, grow
from envplatform.res.rebuild import rebuilt_level
from envplatform.res.rows import ExplorerRow, LevelRow, RefusedChild
from envplatform.store import ResultCache, Store
from envplatform.store.files import locked

STAGE = "res"


def kept_root(store: Store, row: EnvironmentRow, *, asset: str) -> Environment:
    """Read the root of a lineage, verified.

    Raises:
        BundleError: it is lost, or not what its digest says; says what to do.
    """
    try:
        return kept_environment(store, row)
    except (StoreError, BundleError) as error:
        where = f"{asset} of {row.candidate_id!r}"
        raise BundleError(_mend(where, row, error)) from error


async def grow_kept(store: Store, growing: Growing) -> Grown:
    """Grow a lineage from wherever it stands in the store.

    Waits while another run is at the same one.

    Raises:
        ModelError: a proposer's model can't be asked.
        SandboxError: a sandbox failed; the levels made so far are kept.
        BundleError: a kept level is damaged; names it and what to do.
    """
    with locked(store.cache_folder("lineages") / growing.key("", 0)):
        first = await _first(store, growing)
        if growing.ablation == "independent":
            return await _independent(store, growing, first)
        return await _recursive(store, growing, first)


async def _first(store: Store, growing: Growing) -> LevelRow:
    """Return the root's row."""
    key = growing.key("", 0)
    known = _results(store).get_row(key, LevelRow)
    if known is not None:
        return replace(known, environment=growing.row)
    row = root_row(
        growing.row,
        growing.root,
        ablation=growing.ablation,
        floor=growing.verifier.floor,
        explorer=await _tried(growing, growing.root),
    )
    _results(store).put_row(key, row)
    return row


async def _recursive(store: Store, growing: Growing, first: LevelRow) -> Grown:
    """Grow each level from the one above."""
    rows, lineage, resumed = [first], _root_alone(growing), 0
    while lineage.has_ended(growing.budget) is None:
        known = await _known(store, growing, lineage.tip, len(rows))
        if known is None:
            break
        row, child = known
        rows.append(row)
        lineage = replace(lineage, children=(*lineage.children, child))
        resumed += 1
    refused: list[RefusedChild] = []
    async for grown, row_or_refusal in _further(store, growing, lineage, rows[-1]):
        lineage = grown
        if isinstance(row_or_refusal, RefusedChild):
            refused.append(row_or_refusal)
        else:
            rows.append(row_or_refusal)
    return Grown(
        levels=tuple(rows),
        refused=tuple(refused),
        ending=lineage.has_ended(growing.budget) or "depth",
        resumed=resumed,
    )


async def _independent(store: Store, growing: Growing, first: LevelRow) -> Grown:
    """Make each level from the root, with a random seed of its own."""
    rows, refused, resumed = [first], list[RefusedChild](), 0
    for level in range(1, growing.budget.depth + 1):
        once = replace(
            growing,
            seed=growing.seed + level,
            budget=replace(growing.budget, depth=1),
        )
        known = await _known(store, once, once.root, level)
        if known is not None:
            rows.append(known[0])
            resumed += 1
            continue
        alone = _root_alone(once)
        async for _, made in _further(store, once, alone, first, number=level):
            if isinstance(made, RefusedChild):
                refused.append(made)
            else:
                rows.append(made)
    return Grown(
        levels=tuple(rows), refused=tuple(refused), ending="depth", resumed=resumed
    )


async def _further(
    store: Store,
    growing: Growing,
    lineage: Lineage,
    above: LevelRow,
    *,
    number: int | None = None,
) -> AsyncIterator[tuple[Lineage, LevelRow | RefusedChild]]:
    """Yield level after level, each kept before it is told; `number`: of the only one."""
    tried: list[ExplorerRow] = []

    async def solves(environment: Environment) -> bool:
        found = await _tried(growing, environment)
        tried[:] = [found] if found else []
        return found is None or found.passed

    parent = lineage.tip
    async for grown in grow(
        lineage,
        growing.proposer,
        growing.verifier,
        seed=growing.seed,
        budget=growing.budget,
        solves=solves if growing.tries else None,
    ):
        child = grown.children[-1]
        level = number or child.level
        if child.environment is None:
            yield grown, _refused(above, child, level)
            return
        explorer = tried[0] if tried else None
        above = level_row(above, parent, child, level=level, explorer=explorer)
        await keep_environment(store, child.environment)
        _results(store).put_row(growing.key(above.parent, level), above)
        parent = child.environment
        yield grown, above


async def _known(
    store: Store, growing: Growing, parent: Environment, level: int
) -> tuple[LevelRow, Child] | None:
    """Return a level that was kept; its environment is made anew where that is lost."""
    key = growing.key(environment_digest(parent), level)
    row = _results(store).get_row(key, LevelRow)
    if row is None:
        return None
    try:
        environment = kept_environment(store, row.environment)
    except StoreError:
        environment = rebuilt_level(parent, row)
        await keep_environment(store, environment)
    except BundleError as error:
        where = f"level {level} of {row.seed_name!r}"
        raise BundleError(_mend(where, row.environment, error)) from error
    return row, child_again(row, environment)


async def _tried(growing: Growing, environment: Environment) -> ExplorerRow | None:
    if growing.tries is None:
        return None
    return await growing.tries(environment, root=growing.root)


def _refused(above: LevelRow, child: Child, level: int) -> RefusedChild:
    return RefusedChild(
        seed_name=above.seed_name,
        ablation=above.ablation,
        level=level,
        parent=above.environment.digest,
        attempts=attempt_rows(child.attempts),
    )


def _root_alone(growing: Growing) -> Lineage:
    return Lineage(root=growing.root, root_bytes=growing.verifier.root_bytes)


def _results(store: Store) -> ResultCache:
    return store.results(STAGE)


def _mend(where: str, row: EnvironmentRow, error: Exception) -> str:
    return (
        f"{where}: environment {row.digest} is not in the store as it was kept: {error}; "
        f"delete its folder if it is there (`envplatform doctor` names it) and "
        f"materialise it again"
    )
