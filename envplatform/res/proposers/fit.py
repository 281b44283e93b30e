"""Whether a plan can be applied to a parent, before anything is made or verified.

All that is wrong is told at once, so that a proposer can mend it in one go.
"""

from collections.abc import Iterator, Mapping

from envplatform.bundle import Environment, View
from envplatform.errors import BundleError
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.primitives import primitive, primitive_names
from envplatform.res.staged import staged, stepped
from envplatform.workspace.draft import is_plain

_MOST_TOLD = 8
_SHOWN = 120
"""Characters of a name that nobody knows, as it is repeated."""


def misfits(
    parent: Environment, plan: TransformPlan, seed: int
) -> tuple[Diagnostic, ...]:
    """Return what of a plan does not fit; steps after one that does not are tried without it."""
    found: list[Diagnostic] = []
    made = staged(parent)
    for number, step in enumerate(plan.steps, start=1):
        wrong = list(_misfits(made.environment, step))
        if not wrong:
            try:
                made, _ = stepped(made, step, seed)
            except BundleError as error:
                wrong = [str(error)]
        found += (_told(number, step, one) for one in wrong)
    if len(found) > _MOST_TOLD:
        more = f"and {len(found) - _MOST_TOLD} further misfits"
        found[_MOST_TOLD:] = [Diagnostic(check="plan", name="", message=more)]
    return tuple(found)


def _misfits(made: Environment, step: Step) -> Iterator[str]:
    views: Mapping[str, View] = {view.name: view for view in made.views}
    if step.name not in views:
        yield f"there is no name {step.name[:_SHOWN]!r}"
    elif not is_plain(views[step.name]):
        kind = views[step.name].kind
        yield f"nothing is read plainly there: it is a {kind} by this step's turn"
    if step.operator not in primitive_names():
        known = ", ".join(primitive_names())
        yield f"there is no operator {step.operator!r}; there are {known}"
        return
    allowed = primitive(step.operator).options()
    for option in sorted(set(step.options) - set(allowed)):
        takes = ", ".join(allowed) or "none"
        yield f"there is no option {option!r}; {step.operator} takes {takes}"
    on = step.options.get("on")
    if "on" in allowed and isinstance(on, str) and on not in views:
        yield f"on: there is no name {on[:_SHOWN]!r}"


def _told(number: int, step: Step, wrong: str) -> Diagnostic:
    name = step.name[:_SHOWN]
    return Diagnostic(
        check="plan", name=name, message=f"step {number} ({step.operator}): {wrong}"
    )
