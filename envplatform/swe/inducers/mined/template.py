"""Both sides of a pattern as syntax trees, checked, and back to text.

A template never runs and never holds more than a few nodes; what a person or a row
says is checked here before anything is matched with it.
"""

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from envplatform.swe.inducers.mined.metavariables import (
    kind_of,
    metavariable,
    name_of,
    to_python,
    to_text,
)
from envplatform.swe.inducers.mined.trees import key, size, walk
from envplatform.swe.parsing import parse_or_none

Level = Literal["expression", "statements"]

MAX_TEXT = 2000
"""Characters of one side."""
MAX_NODES = 80
"""Nodes of one side."""
MAX_METAVARIABLES = 16
MAX_STATEMENTS = 4
"""Neighbours at the top of one side."""
_TAKEN = (
    ast.expr,
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.keyword,
    ast.comprehension,
    ast.arguments,
    ast.arg,
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.Return,
    ast.Raise,
    ast.Delete,
    ast.Assert,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.If,
    ast.For,
    ast.While,
    ast.With,
    ast.withitem,
    ast.Try,
    ast.ExceptHandler,
)
_LISTS = frozenset({"args", "kwargs", "body"})


class TemplateError(ValueError):
    """A side of a pattern is no pattern; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A pattern that can be matched."""

    level: Level
    correct: tuple[ast.AST, ...]
    """One expression, or statements that follow each other."""
    defective: tuple[ast.AST, ...]
    """The same; no statements: what matched is deleted."""


def read_template(level: Level, correct: str, defective: str) -> Template:
    """Parse both sides and check that they make a pattern.

    Raises:
        TemplateError: they don't.
    """
    template = Template(
        level=level,
        correct=_read_side(level, correct, "correct"),
        defective=_read_side(level, defective, "defective"),
    )
    check_template(template)
    return template


def check_template(template: Template) -> None:
    """Refuse what can't be matched, or can't be filled in.

    Raises:
        TemplateError: says why.
    """
    if not template.correct:
        _refuse("correct: is empty; there is nothing to find")
    for name, side in (
        ("correct", template.correct),
        ("defective", template.defective),
    ):
        _check_side(side, name)
    if any(metavariable(node) for node in template.correct):
        _refuse("correct: a metavariable alone would match everything")
    if key(template.correct) == key(template.defective):
        _refuse("defective: is the same as correct")
    bound = metavariables(template.correct)
    other = {name for name in bound if kind_of(name) == "other"}
    if other:
        _refuse(f"correct: ${min(other)} belongs on the defective side only")
    unbound = metavariables(template.defective).keys() - bound.keys()
    loose = sorted(name for name in unbound if kind_of(name) != "other")
    if loose:
        _refuse(f"defective: ${loose[0]} is not on the correct side")


def metavariables(side: Sequence[ast.AST]) -> Counter[str]:
    """Count the metavariables of one side."""
    return Counter(
        name
        for node in walk(side)
        for name in (metavariable(node), name_of(getattr(node, "attr", None)))
        if name and not isinstance(node, ast.Expr | ast.keyword)
    )


def print_side(side: Sequence[ast.AST]) -> str:
    """Return the text of one side; reading it gives the same side again."""
    placed = [ast.fix_missing_locations(node) for node in side]  # `unparse` asks for it
    return to_text("\n".join(ast.unparse(node) for node in placed))


def _read_side(level: Level, text: str, name: str) -> tuple[ast.AST, ...]:
    if len(text) > MAX_TEXT:
        _refuse(f"{name}: longer than {MAX_TEXT} characters")
    try:
        code = to_python(text)
    except ValueError as error:
        _refuse(f"{name}: {error}")
    module = parse_or_none(code.strip() if level == "expression" else code)
    if module is None:
        _refuse(f"{name}: is no Python")
    if level == "statements":
        return tuple(module.body)
    if len(module.body) != 1 or not isinstance(module.body[0], ast.Expr):
        _refuse(f"{name}: is not one expression")
    return (module.body[0].value,)


def _check_side(side: Sequence[ast.AST], name: str) -> None:
    if len(side) > MAX_STATEMENTS:
        _refuse(f"{name}: more than {MAX_STATEMENTS} statements")
    if size(side, MAX_NODES) > MAX_NODES:
        _refuse(f"{name}: more than {MAX_NODES} nodes")
    if len(metavariables(side)) > MAX_METAVARIABLES:
        _refuse(f"{name}: more than {MAX_METAVARIABLES} metavariables")
    allowed: set[int] = set()
    for node in walk(side):
        if not isinstance(node, _TAKEN) or isinstance(node, ast.JoinedStr):
            _refuse(f"{name}: {type(node).__name__} has no place in a pattern")
        _check_places(node, name, allowed)
    for node in side:
        if isinstance(node, ast.stmt) and metavariable(node):
            allowed.add(id(getattr(node, "value", None)))
    _check_lists(side, name, allowed)


def _check_places(node: ast.AST, name: str, allowed: set[int]) -> None:
    """Collect the places where a run may stand; no identifier else is a metavariable."""
    if isinstance(node, ast.Call):
        allowed.update(id(item) for item in node.args if _kind(item) == "args")
        allowed.update(
            id(item.value) for item in node.keywords if _kind(item) == "kwargs"
        )
        _once([*node.args, *node.keywords], name)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            allowed.update(id(item.value) for item in block if _kind(item) == "body")
            _once(block, name)
    if isinstance(node, ast.Attribute) and name_of(node.attr):
        if kind_of(name_of(node.attr) or "") != "attr":
            _refuse(f"{name}: only $attr can be the name of an attribute")
    elif any(
        name_of(value)
        for field in ("arg", "name", "attr")
        if (value := getattr(node, field, None))
    ):
        _refuse(f"{name}: a metavariable stands where it can't be found")


def _check_lists(side: Sequence[ast.AST], name: str, allowed: set[int]) -> None:
    for node in walk(side):
        if not isinstance(node, ast.Name):
            continue
        kind = _kind(node)
        if kind in _LISTS and id(node) not in allowed:
            _refuse(f"{name}: ${name_of(node.id)} stands where no run of them can")
        if kind == "attr":
            _refuse(f"{name}: ${name_of(node.id)} is for the name of an attribute")
        if kind in {"num", "str"} and not isinstance(node.ctx, ast.Load):
            _refuse(f"{name}: ${name_of(node.id)} can't be assigned to")


def _once(items: Sequence[ast.AST], name: str) -> None:
    runs = Counter(kind for item in items if (kind := _kind(item)) in _LISTS)
    if any(count > 1 for count in runs.values()):
        _refuse(f"{name}: two runs in one list; which takes what is open")


def _kind(node: ast.AST) -> str | None:
    found = metavariable(node)
    return kind_of(found) if found else None


def _refuse(why: str) -> NoReturn:
    raise TemplateError(why)
