"""An object built wrongly: `__init__`, defaults, class attributes."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.rules.rule import (
    BUILDERS,
    Function,
    Rule,
    assigned,
    called,
    is_declaration,
    self_attribute,
)


def _in_builder(edit: Edit) -> bool:
    return edit.scope.function in BUILDERS and edit.share == 1


def _attribute_built(edit: Edit) -> bool:
    """The builder assigns another attribute, or another value to it."""
    if not _in_builder(edit) or is_declaration(edit):
        return False
    targets = assigned(edit.after or edit.before) or assigned(edit.parent)
    return any(bool(self_attribute(target)) for target in targets)


def _default_changed(edit: Edit) -> bool:
    """A parameter has another default."""
    return edit.role == "default"


def _base_built(edit: Edit) -> bool:
    """What the builder of a base class is called with, or whether."""
    node = edit.parent if edit.role in {"argument", "keyword"} else edit.after
    match node:
        case ast.Expr(value=value):
            node = value
    return called(node) in BUILDERS


def _builder_added(edit: Edit) -> bool:
    node = edit.after or edit.before
    return (
        edit.kind in {"added", "removed"}
        and isinstance(node, Function)
        and node.name in BUILDERS
    )


def _made_elsewhere(edit: Edit) -> bool:
    """Another class is instantiated."""
    return (
        edit.role == "callee"
        and isinstance(edit.before, ast.Name)
        and isinstance(edit.after, ast.Name)
        and edit.before.id[:1].isupper()
        and edit.after.id[:1].isupper()
    )


RULES = (
    Rule("builder_added", "constructor", 2.4, _builder_added),
    Rule("base_built", "constructor", 2.6, _base_built),
    Rule("attribute_built", "constructor", 2.4, _attribute_built),
    Rule("default_changed", "constructor", 2.8, _default_changed),
    Rule("made_elsewhere", "constructor", 2.2, _made_elsewhere),
    Rule("in_builder", "constructor", 1.6, _in_builder),
)
