"""What is raised, caught, or cleaned up on failure."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.rules.rule import Rule, is_new

_SUFFIXES = ("Error", "Exception", "Warning")


def _caught_changed(edit: Edit) -> bool:
    """An `except` clause catches something else, more or less."""
    return edit.role == "handler"


def _handler_changed(edit: Edit) -> bool:
    either = edit.after or edit.before
    return edit.role == "statement" and isinstance(either, ast.ExceptHandler)


def _try_around(edit: Edit) -> bool:
    """Code that was there is now tried."""
    return edit.kind == "wrapped" and isinstance(edit.after, ast.Try)


def _try_added(edit: Edit) -> bool:
    return edit.kind == "added" and isinstance(edit.after, ast.Try)


def _try_removed(edit: Edit) -> bool:
    return edit.kind in {"removed", "unwrapped"} and isinstance(edit.before, ast.Try)


def _raised_changed(edit: Edit) -> bool:
    """Another exception is raised, not only another message."""
    if edit.kind != "changed":
        return False
    if edit.role == "callee":
        return any(name.endswith(_SUFFIXES) for name in edit.gained)
    return edit.role == "raised" and isinstance(
        edit.after, ast.Name | ast.Attribute | ast.Call
    )


def _raise_added(edit: Edit) -> bool:
    return is_new(edit) and isinstance(edit.after, ast.Raise)


def _raise_removed(edit: Edit) -> bool:
    return edit.kind == "removed" and isinstance(edit.before, ast.Raise)


def _suppressed(edit: Edit) -> bool:
    return "suppress" in edit.gained


def _exception_class(edit: Edit) -> bool:
    """A class of exceptions is new, or gets another base."""
    match edit.after:
        case ast.ClassDef(name=name):
            return is_new(edit) and name.endswith(_SUFFIXES)
    return edit.role == "base" and any(
        name.endswith(_SUFFIXES) for name in edit.gained | edit.lost
    )


def _assertion_changed(edit: Edit) -> bool:
    return edit.kind in {"added", "removed"} and isinstance(
        edit.after or edit.before, ast.Assert
    )


RULES = (
    Rule("caught_changed", "exception", 4.2, _caught_changed),
    Rule("raised_changed", "exception", 3.8, _raised_changed),
    Rule("suppressed", "exception", 3.6, _suppressed),
    Rule("try_around", "exception", 3.6, _try_around),
    Rule("handler_changed", "exception", 3.6, _handler_changed),
    Rule("try_added", "exception", 3.0, _try_added),
    Rule("exception_class", "exception", 3.0, _exception_class),
    Rule("try_removed", "exception", 1.6, _try_removed),
    Rule("raise_added", "exception", 3.2, _raise_added),
    Rule("raise_removed", "exception", 1.6, _raise_removed),
    Rule("assertion_changed", "exception", 2.4, _assertion_changed),
)
