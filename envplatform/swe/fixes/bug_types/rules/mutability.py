"""A shared or copied mutable value, an argument changed in place."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit, nodes
from envplatform.swe.fixes.bug_types.rules.rule import (
    Rule,
    called,
    unwraps,
    words,
    wraps,
)

_COPIES = frozenset({"copy", "deepcopy"})
_REBUILDS = frozenset({"list", "dict", "set", "tuple", "frozenset", "OrderedDict"})
_IN_PLACE = words(
    """
    append extend insert remove pop popitem clear sort reverse update add discard
    setdefault
    """
)


def _copied(edit: Edit) -> bool:
    """Something is copied now, or no longer."""
    return bool((edit.gained | edit.lost) & _COPIES) and edit.share == 1


def _rebuilt(edit: Edit) -> bool:
    """A value that stays is put into a container of its own."""
    around = wraps(edit) or unwraps(edit)
    if called(around) in _REBUILDS:
        return edit.role != "condition"
    match around:
        case ast.Subscript(slice=ast.Slice(lower=None, upper=None, step=None)):
            return True
    return False


def _default_shared(edit: Edit) -> bool:
    """A default that all calls shared gives way to None or something immutable."""
    return edit.role == "default" and isinstance(
        edit.before, ast.List | ast.Dict | ast.Set | ast.Call
    )


def _no_longer_in_place(edit: Edit) -> bool:
    """A call that changes its object gives way to an assignment."""
    return (
        edit.kind == "removed"
        and _changes_in_place(edit.before)
        and (edit.share == 1 and edit.role == "statement")
    )


def _assigned_instead(edit: Edit) -> bool:
    """`x.append(y)` becomes `x = x + [y]`."""
    match edit.before, edit.after:
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))),
            ast.Assign(targets=[target]),
        ):
            same = ast.unparse(owner) == ast.unparse(target)
            return same and _changes_in_place(edit.before)
        case ast.AugAssign(target=owner), ast.Assign(targets=[target]):
            return ast.unparse(owner) == ast.unparse(target)
    return False


def _sorted_apart(edit: Edit) -> bool:
    return "sorted" in edit.gained and "sort" in edit.lost


def _frozen(edit: Edit) -> bool:
    return bool(edit.gained & {"MappingProxyType", "frozen", "inplace", "setflags"})


def _changes_in_place(node: ast.AST | None) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name in _IN_PLACE
    return False


def _list_iterated(edit: Edit) -> bool:
    """The loop goes over a copy, as its body changes what it goes over."""
    around = wraps(edit)
    return (
        isinstance(edit.parent, ast.For)
        and called(around) in _REBUILDS
        and any(_changes_in_place(node) for node in nodes(edit.parent))
    )


RULES = (
    Rule("copied", "mutability", 3.6, _copied),
    Rule("default_shared", "mutability", 3.6, _default_shared),
    Rule("assigned_instead", "mutability", 4.2, _assigned_instead),
    Rule("list_iterated", "mutability", 3.0, _list_iterated),
    Rule("rebuilt", "mutability", 2.8, _rebuilt),
    Rule("sorted_apart", "mutability", 3.0, _sorted_apart),
    Rule("frozen", "mutability", 2.0, _frozen),
    Rule("no_longer_in_place", "mutability", 1.8, _no_longer_in_place),
)
