"""A child: its parent with one plan applied, and the way back with its oracle.

Pure: the same parent, plan and seed give the same child, byte for byte.
"""

from dataclasses import replace

from envplatform.bundle import (
    Environment,
    Lineage,
    Spending,
    environment_digest,
    handed_down,
)
from envplatform.errors import BundleError, PlanError
from envplatform.res.plan import TransformPlan
from envplatform.res.shown import live_names, user_with
from envplatform.res.staged import staged, stepped
from envplatform.res.trail import Trail, solution_with, trail_of


def child_of(
    parent: Environment,
    plan: TransformPlan,
    *,
    seed: int,
    producer: str,
    model: str | None = None,
    spent: Spending | None = None,
) -> Environment:
    """Return the child that a plan makes of its parent; not verified yet.

    `producer`: who proposed the plan.

    Raises:
        PlanError: a step does not fit; names it.
    """
    trail, made = trail_of(parent), staged(parent)
    for number, step in enumerate(plan.steps, start=1):
        try:
            after, recipe = stepped(made, step, seed)
        except BundleError as error:
            msg = f"step {number} ({step.operator} of {step.name}): {error}"
            raise PlanError(msg) from error
        trail = trail.after(step.name, recipe, made.environment)
        made = after
    changed = made.environment
    parent_digest = environment_digest(parent)
    trail = Trail(
        entries=trail.entries,
        root=trail.root,
        level=trail.level + 1,
        root_digest=trail.root_digest or parent_digest,
    )
    return replace(
        changed,
        environment_id=_identifier(parent, trail.level),
        solution=solution_with(changed, trail, live=live_names(changed, trail)),
        user=user_with(made, trail),
        lineage=Lineage(
            producer=producer,
            seed=seed,
            parent=parent_digest,
            origin={
                **handed_down(parent.lineage),
                "root": trail.root_digest,
                "level": str(trail.level),
            },
            plan=tuple(step.operator for step in plan.steps),
            bindings={
                f"{number:02d}": one for number, one in enumerate(_texts(plan), start=1)
            },
            model=model,
            spent=spent or Spending(),
        ),
        audit=(),
    )


def _texts(plan: TransformPlan) -> list[str]:
    return [TransformPlan(steps=(step,)).text() for step in plan.steps]


def _identifier(parent: Environment, level: int) -> str:
    stem, mark, number = parent.environment_id.rpartition(".level")
    is_child = bool(mark) and number.isdigit() and level > 1
    return f"{stem if is_child else parent.environment_id}.level{level}"
