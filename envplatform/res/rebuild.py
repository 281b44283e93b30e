"""Making a lineage again from its root and what its levels say of themselves.

Seeds and plans are all that is needed: children come to the same digests, on any
machine and without any model.
"""

from collections.abc import Iterator, Sequence

from envplatform.bundle import Environment, Lineage, environment_digest
from envplatform.errors import BundleError, PlanError
from envplatform.res.child import child_of
from envplatform.res.plan import plan_of


def rebuilt(root: Environment, levels: Sequence[Lineage]) -> Iterator[Environment]:
    """Yield the children again; `levels`: their lineages, the root's child first.

    Raises:
        BundleError: a level has another parent than the one before it, or its plan can't
            be applied; names the level.
    """
    parent = root
    for number, level in enumerate(levels, start=1):
        digest = environment_digest(parent)
        if level.parent != digest:
            msg = f"level {number}: its parent is {level.parent}, what is here {digest}"
            raise BundleError(msg)
        try:
            parent = child_of(
                parent,
                plan_of(level.bindings),
                seed=level.seed,
                producer=level.producer,
                model=level.model,
                spent=level.spent,
            )
        except PlanError as error:
            msg = f"level {number}: {error}"
            raise BundleError(msg) from error
        yield parent
