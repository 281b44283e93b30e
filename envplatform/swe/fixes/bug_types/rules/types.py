"""A conversion, `isinstance` check, annotation or mix-up of str and bytes."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit, nodes
from envplatform.swe.fixes.bug_types.rules.rule import (
    Rule,
    called,
    new_conditions,
    unwraps,
    words,
    wraps,
)

_CONVERSIONS = words(
    """
    str int float bool bytes complex text_type unicode to_text to_bytes to_native
    to_unicode to_native_str native_str utf8 ensure_str ensure_text ensure_binary
    force_text force_bytes asarray asanyarray array astype Decimal Fraction to_numpy
    Series DataFrame Timestamp to_datetime encode decode compat_str fspath b u
    to_list tolist to_frame binary_type cast
    """
)
_CHECKS = words(
    """
    isinstance issubclass callable type is_type isclass isfunction ismethod isdigit
    isnumeric is_list_like is_scalar is_string is_dict_like is_integer is_float
    is_bool is_numeric_dtype is_object_dtype is_datetime64_any_dtype
    is_categorical_dtype iscoroutinefunction isgenerator is_tensor
    """
)
_TEXT = words(
    """
    encode decode bytes_type binary_type text_type basestring unicode_type to_bytes
    to_text utf8 ensure_str ensure_bytes native_str to_unicode
    """
)


def _type_checked(edit: Edit) -> bool:
    """A new condition asks for a type."""
    return any(
        called(node) in _CHECKS for test in new_conditions(edit) for node in nodes(test)
    )


def _checked_type_changed(edit: Edit) -> bool:
    return edit.role == "argument" and called(edit.parent) in {
        "isinstance",
        "issubclass",
    }


def _check_changed(edit: Edit) -> bool:
    """Some part of an expression now asks for a type, or no longer."""
    if edit.role == "callee":
        return bool(edit.reached & _CHECKS)
    return edit.role in {"condition", "clause"} and any(
        called(node) in _CHECKS
        for side in (edit.before, edit.after)
        for node in (side, *nodes(side))
    )


def _converted(edit: Edit) -> bool:
    """A value that stays is converted, or no longer."""
    around = wraps(edit) or unwraps(edit)
    return around is not None and any(
        called(node) in _CONVERSIONS
        for node in (around, getattr(around, "value", None))
    )


def _conversion_changed(edit: Edit) -> bool:
    return edit.role == "callee" and bool((edit.gained | edit.lost) & _CONVERSIONS)


def _conversion_added(edit: Edit) -> bool:
    match edit.after:
        case ast.Assign(value=value) | ast.Return(value=value):
            return edit.kind == "added" and called(value) in _CONVERSIONS
    return False


def _conversion_named(edit: Edit) -> bool:
    """Text or bytes are told apart, somewhere."""
    return bool(edit.reached & _TEXT)


def _text_or_bytes(edit: Edit) -> bool:
    match edit.before, edit.after:
        case (ast.Constant(value=str()), ast.Constant(value=bytes())) | (
            ast.Constant(value=bytes()),
            ast.Constant(value=str()),
        ):
            return True
    return False


def _annotation_changed(edit: Edit) -> bool:
    """An annotation is new, gone or another; also of a name that gets no value."""
    if edit.role == "statement" and edit.kind == "changed":
        return isinstance(edit.after, ast.AnnAssign)
    match edit.after:
        case ast.AnnAssign(value=None):
            return True
    return edit.role == "annotation"


RULES = (
    Rule("text_or_bytes", "type", 3.6, _text_or_bytes),
    Rule("checked_type_changed", "type", 3.6, _checked_type_changed),
    Rule("type_checked", "type", 3.2, _type_checked),
    Rule("converted", "type", 3.2, _converted),
    Rule("check_changed", "type", 2.6, _check_changed),
    Rule("conversion_changed", "type", 2.2, _conversion_changed),
    Rule("conversion_added", "type", 1.4, _conversion_added),
    Rule("conversion_named", "type", 1.6, _conversion_named),
    Rule("annotation_changed", "type", 1.2, _annotation_changed),
)
