"""An edge of the input: empty, None, off by one, index, range."""

import ast
from collections.abc import Iterator

from envplatform.swe.fixes.bug_types.edit import Edit, nodes
from envplatform.swe.fixes.bug_types.rules.rule import (
    Rule,
    called,
    is_number,
    negated,
    new_conditions,
    self_attribute,
    wraps,
)

_EDGES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CLAMPS = frozenset({"min", "max", "clip", "minimum", "maximum", "clamp", "where"})
_TOLERATED = frozenset({"clip", "errstate", "nan_to_num"})
_EXTENTS = frozenset({"len", "size", "count", "empty", "shape", "ndim"})
_NOT_A_NUMBER = frozenset(
    {"isnan", "isna", "isnull", "isfinite", "isinf", "notna", "notnull", "nan", "inf"}
)


def _none_checked(edit: Edit) -> bool:
    return any(_is_none_check(test) for test in _asked_of_input(edit))


def _asked_of_input(edit: Edit) -> Iterator[ast.AST]:
    """Yield new conditions on what was there, and may be nothing or too much.

    Not on what the fix itself brings in, and not before a default is filled in.
    """
    if _fills_in(edit.after):
        return
    for test in new_conditions(edit):
        names = {node.id for node in nodes(test) if isinstance(node, ast.Name)}
        if names - edit.fresh:
            yield test


def _fills_in(node: ast.AST | None) -> bool:
    """Tell whether a node is `if x is None: x = ...`."""
    match node:
        case ast.If(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()]),
            body=[ast.Assign(targets=[ast.Name(id=target)])],
        ):
            return name == target
    return False


def _is_none_check(test: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Is | ast.IsNot)
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
        for node in nodes(test)
    )


def _extent_checked(edit: Edit) -> bool:
    """A new condition asks how much there is, or compares with nothing at all."""
    return any(_asks_extent(test) for test in _asked_of_input(edit))


def _asks_extent(test: ast.AST) -> bool:
    return any(
        called(node) in _EXTENTS
        or (isinstance(node, ast.Attribute) and node.attr in _EXTENTS)
        or (isinstance(node, ast.Compare) and any(map(_is_empty, node.comparators)))
        for node in nodes(test)
    )


def _is_empty(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value="" | b"" | 0 | 0.0):
            return not isinstance(node.value, bool)
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
    return False


def _check_dropped(edit: Edit) -> bool:
    """A branch for nothing, or by how much there is, is gone."""
    test = getattr(edit.before, "test", None)
    if edit.kind not in {"removed", "unwrapped"} or not isinstance(test, ast.expr):
        return False
    return _is_none_check(test) or _asks_extent(test)


def _truth_checked(edit: Edit) -> bool:
    """Code that was there runs only if some value is not empty; or leaves if it is."""
    tests = list(_asked_of_input(edit))
    if edit.kind == "wrapped":
        return any(isinstance(test, ast.Name) for test in tests)
    if edit.kind == "added" and isinstance(edit.after, ast.If):
        leaves = isinstance(
            edit.after.body[-1], ast.Return | ast.Continue | ast.Break | ast.Raise
        )
        return leaves and any(isinstance(negated(test), ast.Name) for test in tests)
    if isinstance(edit.after, ast.IfExp):
        return wraps(edit) is not None and any(
            isinstance(test, ast.Name) for test in tests
        )
    return False


def _operand_guarded(edit: Edit) -> bool:
    """`x and ...` where `x` or a part of it is what the rest goes on to use."""
    return (
        edit.kind == "added"
        and edit.role == "clause"
        and isinstance(edit.after, ast.Name | ast.Attribute)
        and not self_attribute(edit.after)
    )


def _edge_moved(edit: Edit) -> bool:
    if not isinstance(edit.before, ast.Compare) or edit.kind != "changed":
        return False
    if not isinstance(edit.after, ast.Compare):
        return False
    return edit.role == "comparison" and all(
        isinstance(op, _EDGES) for op in [*edit.before.ops, *edit.after.ops]
    )


def _limit_changed(edit: Edit) -> bool:
    """A number that something is compared with."""
    return (
        edit.kind == "changed"
        and isinstance(edit.parent, ast.Compare)
        and is_number(edit.before)
        and is_number(edit.after)
    )


def _off_by_one(edit: Edit) -> bool:
    for one, other in ((edit.before, edit.after), (edit.after, edit.before)):
        match one:
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
                small = isinstance(right, ast.Constant) and right.value in {1, -1}
                if small and other and ast.dump(left) == ast.dump(other):
                    return edit.kind == "changed"
    return False


def _index_changed(edit: Edit) -> bool:
    """Where a sequence is cut or read; a changed key of a dictionary is none."""
    if edit.role != "index" or edit.kind == "removed":
        return False
    node = edit.after
    return (
        isinstance(node, ast.Slice)
        or is_number(node)
        or isinstance(edit.parent, ast.Slice)
    )


def _range_changed(edit: Edit) -> bool:
    return edit.role == "argument" and called(edit.parent) in {"range", "islice"}


def _missing_tolerated(edit: Edit) -> bool:
    """`x[key]` becomes `x.get(key)`, `x.y` `getattr(x, "y", z)`, or a call gets a default for what is missing."""
    if edit.kind == "changed" and isinstance(
        edit.before, ast.Subscript | ast.Attribute
    ):
        return called(edit.after) in {"get", "getattr", "pop", "next"}
    if edit.kind == "added" and edit.role == "argument":
        return called(edit.parent) in {"get", "getattr", "pop", "next"}
    return False


def _default_given(edit: Edit) -> bool:
    """`x` becomes `x or something`, where a value is wanted and no truth."""
    match edit.after:
        case ast.BoolOp(
            op=ast.Or(), values=[ast.Name() | ast.Attribute() | ast.Call(), *_]
        ):
            return (
                edit.kind == "changed"
                and edit.role not in {"condition", "clause"}
                and not isinstance(edit.before, ast.BoolOp | ast.Compare)
            )
    return False


def _clamped(edit: Edit) -> bool:
    """A value is kept within limits, or a division by zero tolerated."""
    if edit.gained & _TOLERATED:
        return True
    if edit.kind == "added" and edit.role == "statement":
        return called(getattr(edit.after, "value", None)) in _CLAMPS
    return wraps(edit) is not None and called(edit.after) in _CLAMPS


def _not_a_number(edit: Edit) -> bool:
    return bool(edit.gained & _NOT_A_NUMBER) and edit.share == 1


RULES = (
    Rule("none_checked", "boundary", 3.4, _none_checked),
    Rule("extent_checked", "boundary", 3.0, _extent_checked),
    Rule("edge_moved", "boundary", 3.4, _edge_moved),
    Rule("limit_changed", "boundary", 3.0, _limit_changed),
    Rule("off_by_one", "boundary", 3.4, _off_by_one),
    Rule("index_changed", "boundary", 2.8, _index_changed),
    Rule("range_changed", "boundary", 3.0, _range_changed),
    Rule("truth_checked", "boundary", 2.6, _truth_checked),
    Rule("check_dropped", "boundary", 2.2, _check_dropped),
    Rule("missing_tolerated", "boundary", 3.0, _missing_tolerated),
    Rule("default_given", "boundary", 2.6, _default_given),
    Rule("clamped", "boundary", 3.0, _clamped),
    Rule("not_a_number", "boundary", 2.8, _not_a_number),
    Rule("operand_guarded", "boundary", 1.6, _operand_guarded),
)
