"""Both sides of a file to small pairs of code, each at several sizes of context."""

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envplatform.swe.fixes.bug_types.edit import Edit, Scope
from envplatform.swe.fixes.bug_types.moves import statement_edit
from envplatform.swe.fixes.bug_types.source import read_source
from envplatform.swe.fixes.bug_types.statements import Comparison
from envplatform.swe.inducers.mined.metavariables import identifier_of, is_reserved
from envplatform.swe.inducers.mined.template import Level
from envplatform.swe.inducers.mined.trees import fields_of, key, size

MAX_CHANGES = 40
"""Of one file; a change of more places is no small edit."""
MAX_NODES = 40
"""Of one side."""
MAX_CONTEXTS = 4
"""Sizes of context of one place, the smallest first."""
_Pair = tuple[ast.AST, ast.AST]
_Headed = ast.If | ast.For | ast.While | ast.With


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One small edit. Several with one `place` are one edit, with more or less around."""

    place: int
    """Number of the edit in its file."""
    level: Level
    correct: tuple[ast.AST, ...]
    defective: tuple[ast.AST, ...]


class _Pairs(Comparison):
    """Yields statements that belong together, instead of the edits between them."""

    def _statements(
        self, before: ast.stmt, after: ast.stmt, scope: Scope
    ) -> Iterator[Edit]:
        yield statement_edit("changed", before, after, scope)
        for edit in super()._statements(before, after, scope):
            if edit.role == "statement":
                yield edit


def changes_of(correct: bytes, defective: bytes) -> list[Change]:
    """Return the small edits of a file; none if a side does not parse. Never raises."""
    if is_reserved(correct.decode("latin-1") + defective.decode("latin-1")):
        return []
    sides = read_source(defective), read_source(correct)
    if sides[0] is None or sides[1] is None:
        return []
    try:
        return list(_changes(list(_Pairs(sides[0], sides[1]).edits())))
    except RecursionError:  # nested deeper than trees can be walked
        return []


def _changes(edits: Sequence[Edit]) -> Iterator[Change]:
    paired = {id(edit.after) for edit in edits if edit.kind == "changed"}
    place = 0
    for edit in edits:
        found = list(_contexts(edit, paired))
        if not found:
            continue
        if place == MAX_CHANGES:
            return
        for correct, defective in found:
            level: Level = (
                "expression" if isinstance(correct[0], ast.expr) else "statements"
            )
            yield Change(place=place, level=level, correct=correct, defective=defective)
        place += 1


_Sides = tuple[tuple[ast.AST, ...], tuple[ast.AST, ...]]


def _contexts(edit: Edit, paired: set[int]) -> Iterator[_Sides]:
    """Yield both sides of an edit, small ones first."""
    match edit.kind, edit.before, edit.after:
        case "changed", ast.stmt() as before, ast.stmt() as after:
            found = _narrowed(_head(after), _head(before))
            for one, other in found[::-1][:MAX_CONTEXTS]:
                yield from _small((one,), (other,))
        case "added", None, ast.stmt() as after if (
            edit.share == 1 and id(after) not in paired
        ):
            yield from _small((after,), ())
            if isinstance(after, _Headed):
                yield from _small((_head(after),), ())
        case "wrapped", _, ast.stmt() as after if not getattr(after, "orelse", []):
            if isinstance(after, _Headed):
                yield from _small((_head(after),), (_body(1),))
    yield from _calls(edit)


def _calls(edit: Edit) -> Iterator[_Sides]:
    """Yield calls of which one keyword differs, with any arguments else."""
    if edit.kind != "changed" or not edit.before or not edit.after:
        return
    for one, other in _narrowed(_head(edit.after), _head(edit.before)):
        if (
            isinstance(one, ast.Call)
            and isinstance(other, ast.Call)
            and key([one.func, one.args]) == key([other.func, other.args])
        ):
            yield from _small((_open(one, other),), (_open(other, one),))


def _open(call: ast.Call, other: ast.Call) -> ast.Call:
    """Let a call take any positional arguments, and any keywords that `other` has too."""
    same = {key(keyword) for keyword in other.keywords}
    own = [keyword for keyword in call.keywords if key(keyword) not in same]
    rest = ast.keyword(arg=None, value=_name("kwargs"))
    return ast.Call(func=call.func, args=[_name("args")], keywords=[*own, rest])


def _small(
    correct: tuple[ast.AST, ...], defective: tuple[ast.AST, ...]
) -> Iterator[_Sides]:
    fits = all(size(side, MAX_NODES) <= MAX_NODES for side in (correct, defective))
    taken = all(
        isinstance(node, ast.expr | ast.stmt) for node in (*correct, *defective)
    )
    one_level = (
        len({isinstance(node, ast.expr) for node in (*correct, *defective)}) == 1
    )
    if fits and taken and one_level:
        yield correct, defective


def _narrowed(correct: ast.AST, defective: ast.AST) -> list[_Pair]:
    """Go down as long as one child alone differs; the whole pair first."""
    pairs = [(correct, defective)]
    while True:
        inner = _only_difference(*pairs[-1])
        if inner is None:
            return pairs if key(pairs[-1][0]) != key(pairs[-1][1]) else []
        pairs.append(inner)


def _only_difference(correct: ast.AST, defective: ast.AST) -> _Pair | None:
    if type(correct) is not type(defective):
        return None
    found: list[tuple[object, object]] = []
    for name, one in fields_of(correct):
        other = getattr(defective, name, None)
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            found += zip(one, other, strict=True)
        else:
            found.append((one, other))
    different = [(one, other) for one, other in found if key(one) != key(other)]
    match different:
        case [(ast.AST() as one, ast.AST() as other)] if isinstance(
            one, ast.expr | ast.keyword | ast.ExceptHandler | ast.withitem
        ):
            return one, other
    return None


def _head(node: ast.AST) -> ast.AST:
    """Return a compound statement with any statements for its blocks."""
    if not isinstance(node, _Headed):
        return node
    head = copy.copy(node)
    head.body = [_body(1)]
    if getattr(head, "orelse", []):
        setattr(head, "orelse", [_body(2)])  # noqa: B010  `with` has none
    return head


def _body(number: int) -> ast.stmt:
    return ast.Expr(value=_name(f"body{number}"))


def _name(metavariable: str) -> ast.expr:
    return ast.Name(id=identifier_of(metavariable), ctx=ast.Load())
