"""An attribute, cache, flag or global that is not kept in step."""

import ast
import re

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.rules.rule import (
    BUILDERS,
    Rule,
    assigned,
    called,
    is_declaration,
    is_new,
    self_attribute,
)

_CACHE = re.compile(
    r"(?i)(?:^|_)(?:l?ru_)?(?:cached?|caches|memo|memoi[sz]ed?|dirty|stale|invalidate|invalidated)(?:_|$)"
)

_STATE = re.compile(
    r"^(?:__getstate__|__setstate__|__reduce__|__copy__|__deepcopy__)$"
    r"|^_?(?:reset|restore|refresh|invalidate|sync)(?:_|$)"
)


def _attribute_kept(edit: Edit) -> bool:
    """An attribute of `self` is assigned where it was not, or no longer."""
    node = edit.after or edit.before
    return (
        edit.kind in {"added", "removed", "moved"}
        and edit.scope.function not in BUILDERS
        and any(map(_own, assigned(node)))
    )


def _flag_set(edit: Edit) -> bool:
    """The same for a flag."""
    value = getattr(edit.after, "value", None)
    return (
        _attribute_kept(edit)
        and isinstance(value, ast.Constant)
        and (value.value is None or isinstance(value.value, bool))
    )


def _own(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return any(map(_own, target.elts))
    return bool(self_attribute(target))


def _other_kept(edit: Edit) -> bool:
    """An attribute or entry of something else than `self` is assigned."""
    return (
        edit.kind in {"added", "removed"}
        and bool(edit.scope.function)
        and any(
            isinstance(target, ast.Attribute | ast.Subscript) and not _own(target)
            for target in assigned(edit.after or edit.before)
        )
    )


def _target_changed(edit: Edit) -> bool:
    """The same value goes to another attribute, or to a variable instead."""
    return edit.role == "target" and any(
        isinstance(side, ast.Attribute) for side in (edit.before, edit.after)
    )


def _copied_or_pickled(edit: Edit) -> bool:
    """How an object's state is copied, pickled, reset or taken over."""
    names = {edit.scope.function}
    for side in (edit.before, edit.after):
        if isinstance(side, ast.FunctionDef):
            names.add(side.name)
    return any(_STATE.search(name) for name in names | edit.reached)


def _global_declared(edit: Edit) -> bool:
    return isinstance(edit.after or edit.before, ast.Global | ast.Nonlocal)


def _cache_kept(edit: Edit) -> bool:
    """Something that is named as a cache is used, filled or emptied."""
    return any(_CACHE.search(name) for name in edit.gained | edit.lost)


def _deleted(edit: Edit) -> bool:
    match edit.after:
        case ast.Delete():
            return is_new(edit)
        case ast.Expr(value=value):
            own = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
            return (
                is_new(edit)
                and own
                and called(value) in {"clear", "pop", "discard", "remove", "setdefault"}
            )
    return False


RULES = (
    Rule("flag_set", "state", 2.0, _flag_set),
    Rule("attribute_declared", "state", 2.8, is_declaration),
    Rule("global_declared", "state", 3.0, _global_declared),
    Rule("attribute_kept", "state", 2.2, _attribute_kept),
    Rule("cache_kept", "state", 2.6, _cache_kept),
    Rule("target_changed", "state", 2.2, _target_changed),
    Rule("deleted", "state", 2.0, _deleted),
    Rule("copied_or_pickled", "state", 2.6, _copied_or_pickled),
    Rule("other_kept", "state", 1.4, _other_kept),
)
