"""The list of operators. A new one is a function and a line here, and REVISION + 1."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from types import MappingProxyType

from envplatform.swe.inducers.mutation.classes import (
    class_remove_base,
    class_remove_method,
    class_shuffle_methods,
)
from envplatform.swe.inducers.mutation.comparisons import (
    comparison_boundary,
    comparison_negate,
    comparison_swap,
)
from envplatform.swe.inducers.mutation.constants import constant_change
from envplatform.swe.inducers.mutation.control_flow import (
    if_else_invert,
    statement_shuffle,
)
from envplatform.swe.inducers.mutation.edits import Mutation
from envplatform.swe.inducers.mutation.flips import (
    arithmetic_flip,
    boolean_flip,
    condition_negate,
    literal_flip,
    off_by_one,
    sign_flip,
)
from envplatform.swe.inducers.mutation.operations import (
    chain_break,
    operand_swap,
    operator_change,
)
from envplatform.swe.inducers.mutation.removal import (
    assignment_remove,
    condition_remove,
    loop_remove,
    wrapper_remove,
)
from envplatform.swe.inducers.mutation.source import ParsedSource

Operator = Callable[[ParsedSource, Random], Iterator[Mutation]]
"""Every place in a file where it applies, in source order."""

_ALL: tuple[Operator, ...] = (
    # SWE-smith's thirteen
    class_remove_base,
    class_shuffle_methods,
    class_remove_method,
    if_else_invert,
    statement_shuffle,
    constant_change,
    operator_change,
    operand_swap,
    chain_break,
    loop_remove,
    condition_remove,
    assignment_remove,
    wrapper_remove,
    # comparisons
    comparison_boundary,
    comparison_negate,
    comparison_swap,
    # flips
    arithmetic_flip,
    boolean_flip,
    condition_negate,
    literal_flip,
    off_by_one,
    sign_flip,
)

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {operator.__name__: operator for operator in _ALL}
)
"""By name, as it stands in `BugCandidate.operator`."""
