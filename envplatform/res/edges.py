"""Dependencies of a child: which step brought each in, and what each costs in calls."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from envplatform.bundle import Dependency, Environment
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.primitives import primitive
from envplatform.res.rows import EdgeRow
from envplatform.res.trail import trail_of
from envplatform.workspace import Binding, Interface, transform
from envplatform.workspace.recovery import Recovery

_MADE = "made."
"""Begins the names of resources that operators made."""


def edges_of(
    parent: Environment,
    inherited: Sequence[EdgeRow],
    plan: TransformPlan,
    child: Environment,
    *,
    seed: int,
) -> tuple[EdgeRow, ...]:
    """Return all edges of `child`, in its order; `inherited` are those of `parent`.

    The plan is gone through once more, a step at a time.
    """
    known = {(edge.view, edge.needs, edge.kind): edge for edge in inherited}
    level, changed = trail_of(child).level, parent
    for step in plan.steps:
        consumes = _consumes(changed, step)
        binding = Binding(name=step.name, options=step.options)
        changed, _ = transform(changed, primitive(step.operator), binding, seed)
        for edge in changed.dependencies:
            known.setdefault(
                _key(edge),
                EdgeRow(
                    view=edge.view,
                    needs=edge.needs,
                    kind=edge.kind,
                    level=level,
                    operator=step.operator,
                    consumes=consumes,
                    calls=0.0,
                ),
            )
    return _with_calls([known[_key(edge)] for edge in child.dependencies], child)


def _with_calls(edges: Sequence[EdgeRow], child: Environment) -> tuple[EdgeRow, ...]:
    """Tell by one session what each costs."""
    calls = _calls(child)
    sharing = Counter(edge.needs for edge in edges)
    return tuple(
        replace(edge, calls=round(calls[edge.needs] / sharing[edge.needs], 4))
        for edge in edges
    )


def _calls(child: Environment) -> Counter[str]:
    """Count the requests about each name while all evidence is had."""
    interface, trail = Interface(child), trail_of(child)
    calls: Counter[str] = Counter()

    def ask(operation: str, arguments: Mapping[str, Any]) -> tuple[bytes | None, Any]:
        calls[str(arguments.get("name", ""))] += 1
        return interface.request(operation, arguments)

    recovery = Recovery(trail.entries, ask)
    for name in trail.wanted:
        recovery.get(name)
    return calls


def _consumes(before: Environment, step: Step) -> bool:
    """Whether a step works on what an earlier one made, or has its key from there."""
    sources = {view.name: view.source for view in before.views}
    taken = (step.name, str(step.options.get("on", "")))
    return any(sources.get(name, "").startswith(_MADE) for name in taken)


def _key(edge: Dependency) -> tuple[str, str, str]:
    return edge.view, edge.needs, edge.kind
