"""Does a node of a healthy file look like the correct side, and what stands for what?"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from envplatform.swe.inducers.mined.metavariables import (
    kind_of,
    metavariable,
    name_of,
)
from envplatform.swe.inducers.mined.trees import fields_of, key

Bound = ast.AST | str | tuple[ast.AST, ...]
"""A node; the name of an attribute; a run of arguments or statements."""


@dataclass(slots=True)
class Steps:
    """How many nodes may still be compared: the bound on time, and no clock."""

    left: int

    def take(self) -> bool:
        """Count one; False once there are none left."""
        self.left -= 1
        return self.left >= 0


@dataclass(slots=True)
class Match:
    """One attempt to match; `bound` means something only if it went well."""

    steps: Steps
    bound: dict[str, Bound] = field(default_factory=dict)

    def sequence(self, pattern: Sequence[ast.AST], nodes: Sequence[ast.AST]) -> bool:
        """Match statements or one expression, one by one."""
        return len(pattern) == len(nodes) and all(
            self.node(one, other) for one, other in zip(pattern, nodes, strict=True)
        )

    def node(self, pattern: ast.AST, node: ast.AST) -> bool:
        """Match one node and all below."""
        if not self.steps.take():
            return False
        name = metavariable(pattern)
        if name is not None:
            return _fits(name, node) and self._bind(name, node)
        if type(pattern) is not type(node):
            return False
        if isinstance(pattern, ast.Call) and isinstance(node, ast.Call):
            return (
                self.node(pattern.func, node.func)
                and self._list(pattern.args, node.args)
                and self._keywords(pattern.keywords, node.keywords)
            )
        return all(
            self._value(value, getattr(node, name, None))
            for name, value in fields_of(pattern)
        )

    def _value(self, pattern: object, value: object) -> bool:
        if isinstance(pattern, ast.AST):
            return isinstance(value, ast.AST) and self.node(pattern, value)
        if isinstance(pattern, list):
            return isinstance(value, list) and self._list(pattern, value)
        name = name_of(pattern)
        if name is not None:
            return isinstance(value, str) and self._bind(name, value)
        return key(pattern) == key(value)

    def _list(self, pattern: Sequence[object], items: Sequence[object]) -> bool:
        parts = aligned(pattern, items)
        if parts is None:
            return False
        for one, found in parts:
            name = run_of(one)
            if name is not None:
                nodes = tuple(item for item in found if isinstance(item, ast.AST))
                if not self._bind(name, nodes):
                    return False
            elif not self._value(one, found[0]):
                return False
        return True

    def _keywords(
        self, pattern: Sequence[ast.keyword], keywords: Sequence[ast.keyword]
    ) -> bool:
        """Match keywords in any order, but for `**`, which is the same in number."""
        rest = list(keywords)
        run: str | None = None
        for one in pattern:
            name = run_of(one)
            if name is not None:
                run = name
                continue
            same = [keyword for keyword in rest if keyword.arg == one.arg]
            if not same or not self.node(one.value, same[0].value):
                return False
            rest.remove(same[0])
        return self._bind(run, tuple(rest)) if run else not rest

    def _bind(self, name: str, value: Bound) -> bool:
        known = self.bound.setdefault(name, value)
        return known is value or key(known) == key(value)


def aligned(
    pattern: Sequence[object], items: Sequence[object]
) -> list[tuple[object, Sequence[object]]] | None:
    """Say which items each entry of a pattern's list stands for; None if it can't be.

    There is at most one run in the list. A run of statements is never empty.
    """
    place = next((i for i, one in enumerate(pattern) if run_of(one)), None)
    if place is None:
        if len(pattern) != len(items):
            return None
        return [(one, (item,)) for one, item in zip(pattern, items, strict=True)]
    after = len(pattern) - place - 1
    least = 1 if isinstance(pattern[place], ast.Expr) else 0
    end = len(items) - after
    if end - place < least:
        return None
    before = zip(pattern[:place], items[:place], strict=True)
    behind = zip(pattern[place + 1 :], items[end:], strict=True)
    return [
        *((one, (item,)) for one, item in before),
        (pattern[place], items[place:end]),
        *((one, (item,)) for one, item in behind),
    ]


def run_of(node: object) -> str | None:
    """Return the metavariable that stands for a run of nodes; None if `node` doesn't."""
    name = metavariable(node)
    return name if name and kind_of(name) in {"args", "kwargs", "body"} else None


def _fits(name: str, node: ast.AST) -> bool:
    match kind_of(name), node:
        case "expr", ast.expr():
            return not isinstance(node, ast.Starred | ast.Slice)
        case "num", ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool)
        case ("name", ast.Name()) | ("str", ast.Constant(value=str())):
            return True
    return False
