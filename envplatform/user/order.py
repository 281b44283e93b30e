"""Which signals must have fired before another one can."""

from collections.abc import Mapping
from functools import reduce

from envplatform.user.plan import Plan
from envplatform.user.predicates import AllOf, AnyOf, Fired, Predicate


def must_precede(plan: Plan) -> Mapping[str, frozenset[str]]:
    """Return each signal's id to all those that have fired whenever it fires.

    By what predicates say alone; one that can never fire precedes itself.
    """
    direct = {one.id: _needed(one.when) for one in plan.signals}
    found = {}
    for signal, needs in direct.items():
        known, todo = set[str](), list(needs)
        while todo:
            one = todo.pop()
            if one not in known:
                known.add(one)
                todo += direct[one]
        found[signal] = frozenset(known)
    return found


def _needed(predicate: Predicate) -> frozenset[str]:
    match predicate:
        case Fired():
            return frozenset({predicate.signal})
        case AllOf():
            return frozenset().union(*map(_needed, predicate.of))
        case AnyOf() if predicate.of:
            return reduce(frozenset.__and__, map(_needed, predicate.of))
        case _:
            return frozenset()
