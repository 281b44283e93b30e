"""Which statements changed between two versions of a file, and which belong together.

Statements whose lines are equal are never walked, so the cost is that of the change.
Definitions belong together by name, whatever their order; other statements if they
are of one kind and share words; code that stands under a new `if`, `try`, `with` or
loop is `wrapped`. What is left is added, removed or, if equal, moved.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from envplatform.swe.fixes.bug_types.edit import Edit, EditKind, Scope
from envplatform.swe.fixes.bug_types.expressions import Place, blocks, compare
from envplatform.swe.fixes.bug_types.likeness import (
    best_pairs,
    key_of,
    likeness,
    words_of,
)
from envplatform.swe.fixes.bug_types.moves import (
    replace_share,
    statement_edit,
    with_moves,
)
from envplatform.swe.fixes.bug_types.source import Source
from envplatform.swe.fixes.bug_types.statement_nodes import (
    Definition,
    Function,
    below,
    exports,
    same_definitions,
    undocumented,
)

MAX_BLOCK_PRODUCT = 900
"""Largest blocks that are paired by likeness, lengths multiplied."""
MAX_EDITS = 400
"""Of one file; what comes after could hardly turn a verdict."""
_ALIKE = 0.4
"""Share of common words from which two statements of a kind belong together."""
_RELATED = 0.15
"""The same for statements of two kinds, of which one takes the place of the other."""
_WRAPPED = 0.6
"""The same for a statement and one that stands inside of a new one."""
_INNER_SHARE = 0.5
_NEW_FUNCTION_SHARE = 0.3

_WRAPPERS = (ast.If, ast.Try, ast.With, ast.AsyncWith, ast.For, ast.While)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of one file, and the statements of either by their lines."""

    buggy: Source
    fixed: Source

    def edits(self) -> Iterator[Edit]:
        """Yield what changed, in the order of the file, as it is found."""
        old, new = self.buggy.module.body, self.fixed.module.body
        found = self._bodies(undocumented(old), undocumented(new), Scope())
        return iter(with_moves(list(islice(found, MAX_EDITS))))

    def _bodies(
        self, old: Sequence[ast.stmt], new: Sequence[ast.stmt], scope: Scope
    ) -> Iterator[Edit]:
        loose_old: list[ast.stmt] = []
        loose_new: list[ast.stmt] = []
        keys = (
            [key_of(node, self.buggy) for node in old],
            [key_of(node, self.fixed) for node in new],
        )
        for left, right in blocks(*keys):
            before = [old[index] for index in left]
            after = [new[index] for index in right]
            pairs = self._paired(before, after)
            for one, other in pairs:
                yield from self._statements(one, other, scope)
            paired = {id(node) for pair in pairs for node in pair}
            loose_old += [node for node in before if id(node) not in paired]
            loose_new += [node for node in after if id(node) not in paired]
        yield from self._loose(loose_old, loose_new, scope)

    def _paired(
        self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]
    ) -> list[tuple[ast.stmt, ast.stmt]]:
        """Statements of one kind that are alike, best first, each once."""
        if len(old) * len(new) > MAX_BLOCK_PRODUCT:
            return [
                (one, other)
                for one, other in zip(old, new, strict=False)
                if type(one) is type(other) and not isinstance(one, Definition)
            ]
        words = (
            [words_of(node, self.buggy) for node in old],
            [words_of(node, self.fixed) for node in new],
        )
        scored = sorted(
            (
                (-likeness(words[0][i], words[1][j]), abs(i - j), i, j)
                for i, one in enumerate(old)
                for j, other in enumerate(new)
                if type(one) is type(other) and not isinstance(one, Definition)
            ),
        )
        alone = len(old) == len(new) == 1
        best = best_pairs(scored, at_least=0.0 if alone else _ALIKE)
        return [(old[i], new[j]) for i, j in best]

    def _statements(
        self, before: ast.stmt, after: ast.stmt, scope: Scope
    ) -> Iterator[Edit]:
        """Compare two statements that belong together."""
        if exports(before) and exports(after):
            yield statement_edit("changed", before, after, scope)
            return
        place = Place("value", after, scope)
        inner = _inner(after, scope)
        if isinstance(before, Function):
            place = replace(place, scope=inner)
        yield from compare(before, after, place)
        for name in ("body", "orelse", "finalbody"):
            old, new = getattr(before, name, []), getattr(after, name, [])
            yield from self._bodies(undocumented(old), undocumented(new), inner)
        if isinstance(before, ast.Try) and isinstance(after, ast.Try):
            yield from self._handlers(before, after, scope)
        if isinstance(before, ast.Match) and isinstance(after, ast.Match):
            old_cases = [stmt for case in before.cases for stmt in case.body]
            new_cases = [stmt for case in after.cases for stmt in case.body]
            yield from self._bodies(old_cases, new_cases, scope)

    def _handlers(
        self, before: ast.Try, after: ast.Try, scope: Scope
    ) -> Iterator[Edit]:
        both = min(len(before.handlers), len(after.handlers))
        for one, other in zip(
            before.handlers[:both], after.handlers[:both], strict=True
        ):
            yield from compare(one, other, Place("handler", after, scope))
            yield from self._bodies(one.body, other.body, scope)
        for handler in before.handlers[both:]:
            yield statement_edit("removed", handler, None, scope)
        for handler in after.handlers[both:]:
            yield statement_edit("added", None, handler, scope)

    def _loose(
        self, old: Sequence[ast.stmt], new: Sequence[ast.stmt], scope: Scope
    ) -> Iterator[Edit]:
        """Make edits of statements that found no partner in their block."""
        named = same_definitions(old, new)
        for one, other in named:
            yield from self._statements(one, other, scope)
        known = {id(node) for pair in named for node in pair}
        left = [node for node in old if id(node) not in known]
        right = [node for node in new if id(node) not in known]
        for kind, outer, inner in (
            ("wrapped", right, left),
            ("unwrapped", left, right),
        ):
            for wrapper in [node for node in outer if isinstance(node, _WRAPPERS)]:
                found = self._wrapped(wrapper, inner, kind == "wrapped")
                if not found:
                    continue
                outer.remove(wrapper)
                yield from self._wrap(kind == "wrapped", wrapper, found, scope)
                for node, _ in found:
                    inner.remove(node)
        yield from self._one_sided(left, right, scope)

    def _one_sided(
        self, old: Sequence[ast.stmt], new: Sequence[ast.stmt], scope: Scope
    ) -> Iterator[Edit]:
        if len(old) == len(new) == 1:
            words = words_of(old[0], self.buggy), words_of(new[0], self.fixed)
            if likeness(*words) >= _RELATED:
                yield statement_edit("changed", old[0], new[0], scope)
        kept = {key_of(node, self.fixed): node for node in new}
        gone = {key_of(node, self.buggy) for node in old}
        for key, node in ((key_of(node, self.buggy), node) for node in old):
            if key in kept:
                yield statement_edit("moved", node, kept[key], scope)
            else:
                yield from _whole("removed", node, scope)
        for node in new:
            if key_of(node, self.fixed) not in gone:
                yield from _whole("added", node, scope)

    def _wrapped(
        self,
        wrapper: ast.stmt,
        loose: Sequence[ast.stmt],
        forward: bool,  # noqa: FBT001  passed on by place
    ) -> list[tuple[ast.stmt, ast.stmt]]:
        """Statements of `loose` that stand inside of `wrapper`, with their likeness."""
        sides = (self.buggy, self.fixed) if forward else (self.fixed, self.buggy)
        inside = below(wrapper)
        if len(inside) * len(loose) > MAX_BLOCK_PRODUCT:
            return []
        words = [words_of(node, sides[1]) for node in inside]
        scored = sorted(
            (-likeness(own, words[j]), abs(i - j), i, j)
            for i, own in enumerate(words_of(node, sides[0]) for node in loose)
            for j, other in enumerate(inside)
            if type(loose[i]) is type(other)
        )
        best = best_pairs(scored, at_least=_WRAPPED)
        return [(loose[i], inside[j]) for i, j in best]

    def _wrap(
        self,
        forward: bool,  # noqa: FBT001  passed on by place
        wrapper: ast.stmt,
        found: Sequence[tuple[ast.stmt, ast.stmt]],
        scope: Scope,
    ) -> Iterator[Edit]:
        if forward:
            yield statement_edit("wrapped", found[0][0], wrapper, scope)
        else:
            yield statement_edit("unwrapped", wrapper, found[0][0], scope)
        for outside, inside in found:
            pair = (outside, inside) if forward else (inside, outside)
            yield from self._statements(*pair, scope)
        known = {id(inside) for _, inside in found}
        for node in below(wrapper):
            if id(node) not in known and not isinstance(node, _WRAPPERS):
                yield replace_share(
                    statement_edit("added", None, node, scope)
                    if forward
                    else statement_edit("removed", node, None, scope),
                    _INNER_SHARE,
                )


def _whole(kind: EditKind, node: ast.stmt, scope: Scope) -> Iterator[Edit]:
    """Yield a statement that one side lacks, then what it holds, at a lesser share."""
    yield _one_side(kind, node, scope)
    share = _NEW_FUNCTION_SHARE if isinstance(node, Definition) else _INNER_SHARE
    inside = _inner(node, scope)
    for inner in below(node):
        yield replace_share(_one_side(kind, inner, inside), share)


def _one_side(kind: EditKind, node: ast.stmt, scope: Scope) -> Edit:
    before, after = (None, node) if kind == "added" else (node, None)
    return statement_edit(kind, before, after, scope)


def _inner(node: ast.stmt, scope: Scope) -> Scope:
    if isinstance(node, Function):
        return replace(scope, function=node.name)
    if isinstance(node, ast.ClassDef):
        return Scope(in_class=True)
    return scope
