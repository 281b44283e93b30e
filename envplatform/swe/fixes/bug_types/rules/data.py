"""A literal, constant, regular expression, message, table or format."""

import ast
import re

from envplatform.swe.fixes.bug_types.edit import Edit, nodes
from envplatform.swe.fixes.bug_types.rules.rule import (
    Rule,
    assigned,
    called,
    is_number,
    is_text,
)

_PATTERN = re.compile(r"\\[dwsbDWSB]|\(\?|\[\^|\.\*|\.\+|\$$|^\^")
_TABLE = 4
"""Texts from which a literal counts as a table."""
_LOGS = frozenset({"debug", "info", "warning", "warn", "error", "log", "print"})
_REGEX_CALLS = frozenset(
    {"compile", "match", "search", "sub", "findall", "finditer", "fullmatch", "split"}
)


def _text_changed(edit: Edit) -> bool:
    return (
        edit.kind == "changed"
        and is_text(edit.before)
        and is_text(edit.after)
        and called(edit.parent) not in _LOGS
    )


def _log_reworded(edit: Edit) -> bool:
    return is_text(edit.after) and called(edit.parent) in _LOGS


def _pattern_changed(edit: Edit) -> bool:
    """A string that looks like a regular expression, or is given to `re`."""
    if edit.kind == "added" and edit.role in {"keyword", "argument", "decorator"}:
        node = edit.after.value if isinstance(edit.after, ast.keyword) else edit.after
        inner = node.args if isinstance(node, ast.Call) else ()
        return "compile" in {called(each) for each in (node, *inner)}
    match edit.before, edit.after:
        case ast.Constant(value=str(before)), ast.Constant(value=str(after)):
            looks = _PATTERN.search(before[:2000]) or _PATTERN.search(after[:2000])
            return bool(looks) or (
                edit.role == "argument"
                and called(edit.parent) in _REGEX_CALLS - {"split"}
            )
    return False


def _number_changed(edit: Edit) -> bool:
    return (
        edit.kind == "changed"
        and is_number(edit.before)
        and is_number(edit.after)
        and not isinstance(edit.parent, ast.Compare)
        and edit.role != "index"
    )


def _entry_changed(edit: Edit) -> bool:
    """An entry of a table, list or set of values is new or gone."""
    node = edit.after or edit.before
    if edit.role != "element" or edit.kind not in {"added", "removed"}:
        return False
    return _is_literal(node) or isinstance(node, ast.Tuple)


def _table_changed(edit: Edit) -> bool:
    """A constant of a module or class is new, gone, or written anew."""
    node = edit.after or edit.before
    value = getattr(node, "value", None)
    return (
        not edit.scope.function
        and edit.role == "statement"
        and edit.kind in {"added", "removed"}
        and bool(assigned(node))
        and (_is_literal(value) or called(value) == "compile")
    )


def _literal_given(edit: Edit) -> bool:
    """A table is written into a function."""
    match edit.after:
        case ast.Assign(value=value) | ast.AugAssign(value=value):
            return (
                edit.kind == "added"
                and bool(edit.scope.function)
                and isinstance(value, ast.Dict | ast.List | ast.Set | ast.Tuple)
                and sum(is_text(node) for node in nodes(value)) >= _TABLE
            )
    return False


def _constant_replaced(edit: Edit) -> bool:
    """A literal at module or class level becomes another."""
    return (
        edit.kind == "changed"
        and not edit.scope.function
        and edit.role in {"value", "element"}
        and (_is_literal(edit.after) or _is_literal(edit.before))
    )


def _wording_changed(edit: Edit) -> bool:
    """A text is put together in another way."""
    if edit.kind != "changed" or not (is_text(edit.before) or is_text(edit.after)):
        return False
    return any(
        isinstance(node, ast.JoinedStr | ast.BinOp) or called(node) == "format"
        for node in (edit.before, edit.after)
    )


def _listed_otherwise(edit: Edit) -> bool:
    return edit.role == "element" and edit.kind in {"added", "removed"}


def _declared_otherwise(edit: Edit) -> bool:
    """What is declared outside of all functions is put together in another way."""
    return (
        edit.role in {"argument", "keyword", "element"}
        and edit.kind in {"added", "removed"}
        and not edit.scope.function
    )


def _word_looked_for(edit: Edit) -> bool:
    """A text that something is compared with, or looked up by."""
    return _text_changed(edit) and isinstance(edit.parent, ast.Compare | ast.Subscript)


def _is_literal(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant():
            return node.value is not None and not isinstance(node.value, bool)
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            return bool(elts) and all(_is_literal(element) for element in elts[:20])
        case ast.Dict(values=values):
            return bool(values) and all(_is_literal(value) for value in values[:20])
    return is_number(node)


RULES = (
    Rule("pattern_changed", "data", 3.4, _pattern_changed),
    Rule("entry_changed", "data", 2.8, _entry_changed),
    Rule("table_changed", "data", 2.6, _table_changed),
    Rule("literal_given", "data", 2.0, _literal_given),
    Rule("constant_replaced", "data", 2.6, _constant_replaced),
    Rule("text_changed", "data", 2.6, _text_changed),
    Rule("number_changed", "data", 2.6, _number_changed),
    Rule("wording_changed", "data", 2.2, _wording_changed),
    Rule("listed_otherwise", "data", 0.8, _listed_otherwise),
    Rule("declared_otherwise", "data", 2.4, _declared_otherwise),
    Rule("log_reworded", "data", 1.0, _log_reworded),
    Rule("word_looked_for", "data", 1.0, _word_looked_for),
)
