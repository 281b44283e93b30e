"""A condition, operator, branch, order of steps or missing case."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.rules.rule import (
    Function,
    Rule,
    is_new,
    negated,
    unwraps,
    wraps,
)

_EDGES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _condition_changed(edit: Edit) -> bool:
    return edit.role == "condition" and edit.kind == "changed"


def _clause_changed(edit: Edit) -> bool:
    """An operand of `and` or `or` is new, gone or another."""
    if edit.role == "clause":
        return True
    around = wraps(edit) or unwraps(edit)
    return edit.role == "condition" and isinstance(around, ast.BoolOp)


def _comparison_changed(edit: Edit) -> bool:
    return edit.role == "comparison" and not (
        isinstance(edit.after, ast.Compare) and isinstance(edit.after.ops[0], _EDGES)
    )


def _negation_changed(edit: Edit) -> bool:
    before, after = edit.before, edit.after
    if before is None or after is None or edit.kind != "changed":
        return False
    return any(
        operand is not None and ast.dump(operand) == ast.dump(other)
        for operand, other in ((negated(before), after), (negated(after), before))
    )


def _operator_changed(edit: Edit) -> bool:
    return edit.role == "operator"


def _branch_added(edit: Edit) -> bool:
    return is_new(edit) and isinstance(edit.after, ast.If | ast.Match | ast.match_case)


def _branch_removed(edit: Edit) -> bool:
    return edit.kind in {"removed", "unwrapped"} and isinstance(
        edit.before, ast.If | ast.Match
    )


def _loop_changed(edit: Edit) -> bool:
    either = edit.after or edit.before
    return edit.kind in {"added", "removed", "wrapped", "unwrapped"} and isinstance(
        either, ast.For | ast.While
    )


def _flow_changed(edit: Edit) -> bool:
    """`break`, `continue`, or a `return` that is new or gone."""
    either = edit.after or edit.before
    return edit.kind in {"added", "removed"} and isinstance(
        either, ast.Break | ast.Continue | ast.Return
    )


def _steps_moved(edit: Edit) -> bool:
    return edit.kind == "moved" and not isinstance(
        edit.after, ast.Import | ast.ImportFrom
    )


def _variable_swapped(edit: Edit) -> bool:
    return (
        edit.kind == "changed"
        and isinstance(edit.before, ast.Name)
        and isinstance(edit.after, ast.Name)
        and edit.role not in {"annotation", "decorator", "base", "handler", "callee"}
    )


def _computed_otherwise(edit: Edit) -> bool:
    return (
        edit.kind == "changed"
        and edit.role in {"value", "returned"}
        and not isinstance(
            edit.after, ast.Constant | ast.JoinedStr | ast.Import | ast.ImportFrom
        )
    )


def _value_passed(edit: Edit) -> bool:
    """Something else is passed, listed or iterated."""
    return edit.kind == "changed" and edit.role in {"argument", "element", "target"}


def _statement_changed(edit: Edit) -> bool:
    either = edit.after or edit.before
    return (
        edit.role == "statement"
        and edit.kind in {"added", "removed"}
        and isinstance(either, ast.Assign | ast.AugAssign | ast.Expr)
    )


def _function_added(edit: Edit) -> bool:
    return edit.kind == "added" and isinstance(edit.after, Function)


RULES = (
    Rule("negation_changed", "logic", 3.2, _negation_changed),
    Rule("operator_changed", "logic", 3.0, _operator_changed),
    Rule("clause_changed", "logic", 2.6, _clause_changed),
    Rule("comparison_changed", "logic", 2.6, _comparison_changed),
    Rule("condition_changed", "logic", 2.2, _condition_changed),
    Rule("steps_moved", "logic", 2.6, _steps_moved),
    Rule("variable_swapped", "logic", 2.2, _variable_swapped),
    Rule("branch_added", "logic", 1.8, _branch_added),
    Rule("branch_removed", "logic", 1.6, _branch_removed),
    Rule("loop_changed", "logic", 1.4, _loop_changed),
    Rule("flow_changed", "logic", 1.2, _flow_changed),
    Rule("computed_otherwise", "logic", 1.2, _computed_otherwise),
    Rule("value_passed", "logic", 1.0, _value_passed),
    Rule("statement_changed", "logic", 1.0, _statement_changed),
    Rule("function_added", "logic", 0.8, _function_added),
)
