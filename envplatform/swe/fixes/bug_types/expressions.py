"""What changed inside two expressions, or heads of statements, that belong together."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from envplatform.swe.fixes.bug_types.edit import Edit, Role, Scope

MAX_PRODUCT = 40_000
"""Longest lists that are aligned, lengths multiplied; longer ones by position."""

_ROLES: dict[tuple[type[ast.AST], str], Role] = {
    (ast.If, "test"): "condition",
    (ast.While, "test"): "condition",
    (ast.Assert, "test"): "condition",
    (ast.IfExp, "test"): "condition",
    (ast.comprehension, "ifs"): "condition",
    (ast.match_case, "guard"): "condition",
    (ast.BoolOp, "values"): "clause",
    (ast.Call, "func"): "callee",
    (ast.Call, "args"): "argument",
    (ast.ClassDef, "bases"): "base",
    (ast.ClassDef, "keywords"): "base",
    (ast.FunctionDef, "decorator_list"): "decorator",
    (ast.AsyncFunctionDef, "decorator_list"): "decorator",
    (ast.ClassDef, "decorator_list"): "decorator",
    (ast.FunctionDef, "returns"): "annotation",
    (ast.AsyncFunctionDef, "returns"): "annotation",
    (ast.AnnAssign, "annotation"): "annotation",
    (ast.arg, "annotation"): "annotation",
    (ast.List, "elts"): "element",
    (ast.Tuple, "elts"): "element",
    (ast.Set, "elts"): "element",
    (ast.Subscript, "slice"): "index",
    (ast.Assign, "targets"): "target",
    (ast.AugAssign, "target"): "target",
    (ast.For, "target"): "target",
    (ast.ExceptHandler, "type"): "handler",
    (ast.Raise, "exc"): "raised",
    (ast.Return, "value"): "returned",
}
_OPERATORS = (ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_BODIES = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_INHERITED: frozenset[Role] = frozenset(
    {"condition", "handler", "raised", "annotation", "decorator", "default", "index"}
)
"""Roles that hold for everything below, unless something nearer says otherwise."""
_INSIDE: frozenset[Role] = frozenset({"element", "argument", "index"})
"""What they hold for all the same: entries of a tuple of exceptions, of `Union[]`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where two nodes that are compared stand."""

    role: Role
    parent: ast.AST | None
    scope: Scope


def compare(before: ast.AST, after: ast.AST, place: Place) -> Iterator[Edit]:
    """Yield the smallest edits between two nodes; bodies of statements are left out."""
    if type(before) is not type(after):
        yield _changed(before, after, place)
        return
    match before, after:
        case ast.Call(), ast.Call():
            yield from _compare_calls(before, after, place)
        case ast.arguments(), ast.arguments():
            yield from _compare_parameters(before, after, place)
        case ast.Dict(), ast.Dict():
            yield from _align(
                _pairs(before), _pairs(after), _at("element", after, place)
            )
        case ast.JoinedStr(), ast.JoinedStr():
            if _wording(before) != _wording(after):
                yield _changed(before, after, place)
            else:
                yield from _compare_fields(before, after, place)
        case _:
            yield from _compare_fields(before, after, place)


def _compare_fields(before: ast.AST, after: ast.AST, place: Place) -> Iterator[Edit]:
    for name in before._fields:
        old, new = getattr(before, name, None), getattr(after, name, None)
        if name in {"ctx", "type_comment", "kind", "lineno"}:
            continue
        if name in _BODIES and isinstance(before, ast.stmt | ast.ExceptHandler):
            continue
        inner = _at(_role(before, name, place), after, place)
        if isinstance(old, list) and isinstance(new, list):
            yield from _compare_lists(old, new, inner, (before, after, place))
        elif isinstance(old, ast.AST) or isinstance(new, ast.AST):
            yield from _compare_optional(old, new, inner, (before, after, place))
        elif old != new or type(old) is not type(new):
            yield _changed(before, after, place)


def _compare_optional(
    old: object, new: object, inner: Place, whole: tuple[ast.AST, ast.AST, Place]
) -> Iterator[Edit]:
    """Compare a field that may be empty on one side; an operator counts as its node."""
    if isinstance(old, _OPERATORS) and isinstance(new, _OPERATORS):
        if type(old) is not type(new):
            before, after, place = whole
            yield _changed(before, after, _at("operator", place.parent, place))
    elif isinstance(old, ast.AST) and isinstance(new, ast.AST):
        yield from compare(old, new, inner)
    elif isinstance(new, ast.AST):
        yield _added(new, inner)
    elif isinstance(old, ast.AST):
        yield _removed(old, inner)


def _compare_lists(
    old: list[object],
    new: list[object],
    inner: Place,
    whole: tuple[ast.AST, ast.AST, Place],
) -> Iterator[Edit]:
    before, after, place = whole
    trees = [item for item in [*old, *new] if isinstance(item, ast.AST)]
    if len(trees) < len(old) + len(new):  # names of global, patterns: plain values
        if old != new:
            yield _changed(before, after, place)
    elif trees and isinstance(trees[0], ast.cmpop):
        if [type(item) for item in old] != [type(item) for item in new]:
            yield _changed(before, after, _at("comparison", place.parent, place))
    else:
        yield from _align(
            [item for item in old if isinstance(item, ast.AST)],
            [item for item in new if isinstance(item, ast.AST)],
            inner,
        )


def _compare_calls(before: ast.Call, after: ast.Call, place: Place) -> Iterator[Edit]:
    yield from compare(before.func, after.func, _at("callee", after, place))
    yield from _align(before.args, after.args, _at("argument", after, place))
    where = _at("keyword", after, place)
    old = {keyword.arg or "**": keyword for keyword in before.keywords}
    new = {keyword.arg or "**": keyword for keyword in after.keywords}
    yield from (_removed(old[name], where) for name in old if name not in new)
    for name, keyword in new.items():
        if name in old:
            yield from compare(old[name].value, keyword.value, where)
        else:
            yield _added(keyword, where)


def _compare_parameters(
    before: ast.arguments, after: ast.arguments, place: Place
) -> Iterator[Edit]:
    where = _at("parameter", place.parent, place)
    old, new = _parameters(before), _parameters(after)
    yield from (_removed(old[name][0], where) for name in old if name not in new)
    for name, (parameter, default) in new.items():
        if name not in old:
            yield _added(parameter, where)
            continue
        yield from compare(old[name][0], parameter, where)
        inner = _at("default", place.parent, place)
        yield from _compare_optional(
            old[name][1], default, inner, (before, after, place)
        )


def _parameters(
    arguments: ast.arguments,
) -> dict[str, tuple[ast.arg, ast.expr | None]]:
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(plain) - len(arguments.defaults))
    found: dict[str, tuple[ast.arg, ast.expr | None]] = {
        parameter.arg: (parameter, default)
        for parameter, default in zip(
            plain, [*missing, *arguments.defaults], strict=True
        )
    }
    for parameter, default in zip(
        arguments.kwonlyargs, arguments.kw_defaults, strict=True
    ):
        found[parameter.arg] = (parameter, default)
    for stars, starred in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if starred:
            found[stars] = (starred, None)
    return found


def _pairs(dictionary: ast.Dict) -> list[ast.AST]:
    """Make one node of key and value, so that entries can be aligned."""
    return [
        ast.Tuple(elts=[key or ast.Constant(value=None), value], ctx=ast.Load())
        for key, value in zip(dictionary.keys, dictionary.values, strict=True)
    ]


def _align(
    old: Sequence[ast.AST], new: Sequence[ast.AST], place: Place
) -> Iterator[Edit]:
    """Compare lists: equal items belong together, and what replaces what by place."""
    if len(old) == len(new) == 1:
        yield from compare(old[0], new[0], place)
        return
    for before, after in blocks(
        [ast.dump(node) for node in old], [ast.dump(node) for node in new]
    ):
        both = min(len(before), len(after))
        for left, right in zip(before[:both], after[:both], strict=True):
            yield from compare(old[left], new[right], place)
        yield from (_removed(old[index], place) for index in before[both:])
        yield from (_added(new[index], place) for index in after[both:])


def blocks(
    old: Sequence[object], new: Sequence[object]
) -> Iterable[tuple[range, range]]:
    """Where two lists of hashable keys differ: which indices became which."""
    start, ends = 0, (len(old), len(new))
    while start < min(ends) and old[start] == new[start]:
        start += 1
    while start < min(ends) and old[ends[0] - 1] == new[ends[1] - 1]:
        ends = (ends[0] - 1, ends[1] - 1)
    left, right = range(start, ends[0]), range(start, ends[1])
    if not left or not right or len(left) * len(right) > MAX_PRODUCT:
        return [(left, right)] if left or right else []
    matcher = SequenceMatcher(
        None, old[start : ends[0]], new[start : ends[1]], autojunk=False
    )
    return [
        (range(start + a, start + b), range(start + c, start + d))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _wording(text: ast.JoinedStr) -> list[object]:
    """Literal parts of an f-string, and None for each value that is put in."""
    return [
        getattr(part, "value", None) if isinstance(part, ast.Constant) else None
        for part in text.values
    ]


def _role(node: ast.AST, name: str, place: Place) -> Role:
    role = _ROLES.get((type(node), name))
    if role in _INSIDE and place.role in {"handler", "annotation"}:
        return place.role
    if role:
        return role
    return place.role if place.role in _INHERITED else "value"


def _at(role: Role, parent: ast.AST | None, place: Place) -> Place:
    return Place(role, parent, place.scope)


def _changed(before: ast.AST, after: ast.AST, place: Place) -> Edit:
    return Edit(
        kind="changed",
        role=place.role,
        before=before,
        after=after,
        parent=place.parent,
        scope=place.scope,
    )


def _added(node: ast.AST, place: Place) -> Edit:
    return Edit(
        kind="added",
        role=place.role,
        before=None,
        after=node,
        parent=place.parent,
        scope=place.scope,
    )


def _removed(node: ast.AST, place: Place) -> Edit:
    return Edit(
        kind="removed",
        role=place.role,
        before=node,
        after=None,
        parent=place.parent,
        scope=place.scope,
    )
