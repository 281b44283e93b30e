"""Making a level again from its parent and what it says of itself.

Seed and plan are all that is needed: the child comes to the same digest, on any machine
and without any model.
"""

from envplatform.bundle import Environment, Lineage, environment_digest
from envplatform.errors import BundleError, PlanError
from envplatform.res.child import child_of
from envplatform.res.plan import plan_of
from envplatform.res.rows import LevelRow


def rebuilt(
    parent: Environment, level: Lineage, digest: str, *, where: str = "a level"
) -> Environment:
    """Return the child again; `level`: its lineage, `digest`: what it was kept as.

    Raises:
        BundleError: it is of another parent, its plan can't be applied, or another
            environment comes out of it; says so of `where`.
    """
    here = environment_digest(parent)
    if level.parent != here:
        msg = f"{where}: its parent is {level.parent}, what is here {here}"
        raise BundleError(msg)
    try:
        made = child_of(
            parent,
            plan_of(level.bindings),
            seed=level.seed,
            producer=level.producer,
            model=level.model,
            spent=level.spent,
        )
    except PlanError as error:
        msg = f"{where}: {error}"
        raise BundleError(msg) from error
    found = environment_digest(made)
    if found != digest:
        msg = f"{where}: its plan makes {found} of its parent, kept was {digest}"
        raise BundleError(msg)
    return made


def rebuilt_level(parent: Environment, row: LevelRow) -> Environment:
    """Return the environment of a row again.

    Raises:
        BundleError: as `rebuilt`; names level and seed.
    """
    said = Lineage(
        producer=row.producer,
        seed=row.random_seed,
        parent=row.parent,
        bindings={"01": row.plan},
        model=row.model or None,
    )
    where = f"level {row.level} of {row.seed_name!r}"
    return rebuilt(parent, said, row.environment.digest, where=where)
