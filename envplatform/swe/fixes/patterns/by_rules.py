"""Words for a change out of the edits of the syntax trees, by templates. Never fails."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

from envplatform.errors import PatchError
from envplatform.patches import added_lines, removed_lines
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.edit import Edit, Role
from envplatform.swe.fixes.bug_types.source import read_source
from envplatform.swe.fixes.bug_types.statements import Comparison
from envplatform.swe.fixes.patterns.text import PatternText
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.mined.mining.fixes import BothSides, both_sides

REVISION = 1
"""Grows whenever equal rows give other words."""

_MAX_CODE = 160
"""Characters of one piece of code that is quoted."""
_MAX_EDITS = 3
_LOOKED_AT = 60
_BLANKS = re.compile(r"\s+")

_CATEGORIES: Mapping[BugType, str] = MappingProxyType(
    {
        "interface": "change of a call, signature or returned value",
        "logic": "change of a condition or of the order of steps",
        "boundary": "change of how an edge of the input is treated",
        "constructor": "change of how an object is built",
        "import": "change of an import",
        "state": "change of what is stored and when",
        "mutability": "change of what is copied and what is shared",
        "resource": "change of how files or streams are handled",
        "data": "change of a literal, table or format",
        "exception": "change of what is raised or caught",
        "concurrency": "change of how concurrent work is coordinated",
        "type": "change of a conversion or type check",
        "other": "change of a statement",
    }
)
_EFFECTS: Mapping[BugType, str] = MappingProxyType(
    {
        "interface": "Callers get another value, or pass other arguments.",
        "logic": "Some inputs take another path and give another result.",
        "boundary": "Inputs at an edge, such as empty or last ones, give another result.",
        "constructor": "New objects start with other values.",
        "import": "The name comes from another place, or is not there.",
        "state": "Later calls see another stored value.",
        "mutability": "Whether a caller's own object changes is different.",
        "resource": "What is read or written, or how long it stays open, is different.",
        "data": "The output has another value or form.",
        "exception": "Another exception, or none, reaches the caller.",
        "concurrency": "Work that runs at once comes out in another order.",
        "type": "Values of some types are converted or accepted otherwise.",
        "other": "Some calls give another result.",
    }
)
_ROLES: Mapping[Role, str] = MappingProxyType(
    {
        "statement": "the statement",
        "condition": "the condition",
        "clause": "the clause of the condition",
        "comparison": "the comparison",
        "operator": "the operation",
        "callee": "what is called",
        "argument": "the argument",
        "keyword": "the keyword argument",
        "parameter": "the parameter",
        "default": "the default value",
        "annotation": "the annotation",
        "decorator": "the decorator",
        "base": "the base class",
        "element": "the element",
        "index": "the index",
        "target": "the assigned name",
        "handler": "the handler",
        "raised": "what is raised",
        "returned": "what is returned",
        "value": "the expression",
    }
)


@dataclass(frozen=True, slots=True)
class _Found:
    """One edit, from the correct to the defective side, and its file."""

    path: str
    edit: Edit


def told_by_rules(row: TrainingRow) -> PatternText:
    """Tell what leads from the correct files of a fix to its defect."""
    sides = list(both_sides(row))
    edits = _edits(sides)
    first = edits[0] if edits else None
    removed, added = _diff_lines(row.bug_patch)
    changed = len(added) + len(removed)
    return PatternText(
        task_category=_CATEGORIES[row.bug_type],
        target_location=_location(row, first),
        current_behaviour=_now(first.edit) if first else _lines_now(removed),
        exact_modification=" ".join(_step(one.edit) for one in edits)
        or _lines(removed, added),
        implementation_constraints=(
            f"Change about {changed} lines and nothing else; keep names, layout and "
            "comments, and add no comment."
        ),
        expected_effect=_EFFECTS[row.bug_type],
    )


def _edits(sides: Sequence[BothSides]) -> list[_Found]:
    """Return the weightiest edits, in the order of the files."""
    found: list[_Found] = []
    for side in sides:
        correct, defective = read_source(side.correct), read_source(side.defective)
        if correct is None or defective is None:
            continue
        try:
            edits = list(islice(Comparison(correct, defective).edits(), _LOOKED_AT))
        except RecursionError:  # nested deeper than trees can be walked
            continue
        found += [_Found(side.path, edit) for edit in edits]
    kept = sorted(range(len(found)), key=lambda at: (-found[at].edit.share, at))
    return [found[at] for at in sorted(kept[:_MAX_EDITS])]


def _location(row: TrainingRow, found: _Found | None) -> str:
    if found is None:
        return ", ".join(_span(file.path) for file in row.code) or "the module"
    scope = found.edit.scope
    line = getattr(found.edit.before, "lineno", None)
    parts = [_span(found.path)]
    if scope.function:
        kind = "method" if scope.in_class else "function"
        parts.append(f"{kind} {_span(scope.function)}")
    return ", ".join([*parts, f"line {line}"] if line else parts)


def _now(edit: Edit) -> str:
    code = _code(edit.before) or _code(edit.parent)
    role = _ROLES[edit.role]
    return f"{role[0].upper()}{role[1:]} is {code}." if code else "It is not there yet."


def _step(edit: Edit) -> str:
    role, before, after = _ROLES[edit.role], _code(edit.before), _code(edit.after)
    if edit.kind == "moved":
        return f"Move {role} {before or after} to another place among its neighbours."
    if edit.kind == "wrapped":
        return f"Put {before or 'the code'} under {after}."
    if edit.kind == "unwrapped":
        return f"Take {after or 'the code'} out of {before}, so that it always runs."
    if not before:
        return f"Add {role} {after}."
    if not after:
        return f"Remove {role} {before}."
    return f"Replace {role} {before} by {after}."


def _diff_lines(patch: str) -> tuple[Sequence[str], Sequence[str]]:
    """Lines removed and added; none of what is no diff."""
    try:
        return removed_lines(patch), added_lines(patch)
    except PatchError:
        return (), ()


def _lines_now(removed: Sequence[str]) -> str:
    code = _span(" ".join(removed))
    return f"The code reads {code}." if code else "It is not there yet."


def _lines(removed: Sequence[str], added: Sequence[str]) -> str:
    before, after = _span(" ".join(removed)), _span(" ".join(added))
    if before and after:
        return f"Replace {before} by {after}."
    if before:
        return f"Remove {before}."
    return f"Add {after}." if after else "Rewrite the statement."


def _code(node: ast.AST | None) -> str:
    """Quote a node; empty if there is nothing to quote."""
    if node is None:
        return ""
    if isinstance(node, ast.operator | ast.unaryop | ast.cmpop | ast.boolop):
        return f"`{type(node).__name__}`"
    try:
        return _span(ast.unparse(node))
    except (RecursionError, ValueError):  # too deep, or a node that text can't hold
        return ""


def _span(code: str) -> str:
    """Quote code in one line of backticks; nothing that can't be shown stays."""
    text = _BLANKS.sub(" ", code).strip().replace("`", "'")
    text = "".join(sign if sign.isprintable() else "?" for sign in text)
    if len(text) > _MAX_CODE:
        text = f"{text[:_MAX_CODE]} ..."
    return f"`{text}`" if text else ""
