"""`Rule`, and the questions about syntax trees that more than one family asks."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.edit import Edit, nodes

BUILDERS = frozenset(
    {"__init__", "__new__", "__post_init__", "__attrs_post_init__", "__init_subclass__"}
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign of one bug type."""

    name: str
    bug_type: BugType
    weight: float
    speaks: Callable[[Edit], bool]


def words(text: str) -> frozenset[str]:
    """Names in a list that is written as prose."""
    return frozenset(text.split())


def called(node: ast.AST | None) -> str:
    """Last part of the name that a call calls; empty if it is no call of a name."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
        case ast.Await(value=value):
            return called(value)
    return ""


def wraps(edit: Edit) -> ast.AST | None:
    """Return what the fix puts around an expression that stays; None if nothing."""
    if edit.kind != "changed" or edit.before is None or edit.after is None:
        return None
    return edit.after if holds(edit.after, edit.before) else None


def unwraps(edit: Edit) -> ast.AST | None:
    """Return what the fix takes away around an expression that stays."""
    if edit.kind != "changed" or edit.before is None or edit.after is None:
        return None
    return edit.before if holds(edit.before, edit.after) else None


def holds(outer: ast.AST, inner: ast.AST) -> bool:
    """Tell whether an equal of `inner` stands properly inside of `outer`."""
    kind = type(inner)
    if isinstance(inner, ast.stmt):
        return False
    same = [node for node in nodes(outer) if type(node) is kind and node is not outer]
    if not same:
        return False
    wanted = ast.dump(inner)
    return any(ast.dump(node) == wanted for node in same)


def new_conditions(edit: Edit) -> Iterator[ast.AST]:
    """Yield the conditions, or operands of one, that the fix brings in."""
    match edit.after:
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
            if edit.kind in {"added", "wrapped"}:
                yield test
        case ast.IfExp(test=test):
            if (
                edit.kind == "added"
                or wraps(edit) is not None
                or not isinstance(edit.before, ast.IfExp)
            ):
                yield test
        case None:
            return
        case after if edit.role in {"condition", "clause", "comparison"}:
            yield from _new_operands(edit, after)
        case ast.BoolOp(values=values) if not isinstance(edit.before, ast.BoolOp):
            yield from values


def _new_operands(edit: Edit, after: ast.AST) -> Iterator[ast.AST]:
    """Of a condition that changed: only the operands that it had not."""
    if not isinstance(after, ast.BoolOp) or edit.before is None:
        yield after
        return
    before = edit.before
    old = before.values if isinstance(before, ast.BoolOp) else [before]
    known = {ast.dump(value) for value in old}
    yield from (value for value in after.values if ast.dump(value) not in known)


def negated(node: ast.AST) -> ast.AST | None:
    """Return what stands behind `not`; None if there is none."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
    return None


def is_new(edit: Edit) -> bool:
    """Tell whether the fix brings in a node, or something around old code."""
    return edit.kind in {"added", "wrapped"}


def is_text(node: ast.AST | None) -> bool:
    """Tell whether a node is a literal str or an f-string."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
    return False


def is_number(node: ast.AST | None) -> bool:
    """Tell whether a node is a literal number, signed or not; True is none."""
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return is_number(operand)
    return False


def self_attribute(node: ast.AST | None) -> str:
    """Name of the attribute of `self` or `cls` that is meant, as in `self.x[0]`."""
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            return name
        case ast.Subscript(value=value):
            return self_attribute(value)
    return ""


def assigned(node: ast.AST | None) -> list[ast.expr]:
    """Targets of an assignment; empty for any other node."""
    match node:
        case ast.Assign(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
    return []


def is_declaration(edit: Edit) -> bool:
    """Tell whether a builder begins to keep an attribute, from a plain first value."""
    node = edit.after
    return (
        edit.kind == "added"
        and edit.scope.function in BUILDERS
        and isinstance(node, ast.Assign | ast.AnnAssign)
        and any(bool(self_attribute(target)) for target in assigned(node))
        and (
            isinstance(node.value, ast.Constant)
            or (isinstance(node.value, ast.List | ast.Tuple) and not node.value.elts)
            or (isinstance(node.value, ast.Dict) and not node.value.keys)
        )
    )
