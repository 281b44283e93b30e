"""All rules, one module a family. A rule is a name, a weight and a yes-no question.

Weights, set on a development set of real fixes (`tests/swe/fixes/bug_types`):

    4    hardly ever means anything else: an except clause catches more
    3    usually decides: a comparison with None that is new
    2    speaks for the type, and yields to the above: a changed condition
    1    what is left when nothing speaks up: some statement is new
"""

from envplatform.swe.fixes.bug_types.rules import (
    boundary,
    concurrency,
    constructor,
    data,
    exception,
    imports,
    interface,
    logic,
    mutability,
    resource,
    state,
    types,
)
from envplatform.swe.fixes.bug_types.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *exception.RULES,
    *concurrency.RULES,
    *mutability.RULES,
    *boundary.RULES,
    *types.RULES,
    *resource.RULES,
    *state.RULES,
    *imports.RULES,
    *constructor.RULES,
    *interface.RULES,
    *data.RULES,
    *logic.RULES,
)
"""In the order that breaks ties: what is told by clearer signs comes first."""
