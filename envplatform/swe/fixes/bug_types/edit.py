"""`Edit`: one change of a syntax tree, as the rules see it."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

EditKind = Literal["added", "removed", "changed", "wrapped", "unwrapped", "moved"]
"""`wrapped`: code that was there stands under a new `if`, `try`, `with` or loop now."""

Role = Literal[
    "statement",
    "condition",  # test of if, while, assert, conditional expression, comprehension
    "clause",  # operand of and, or
    "comparison",  # operator of a comparison
    "operator",
    "callee",
    "argument",
    "keyword",
    "parameter",
    "default",
    "annotation",
    "decorator",
    "base",
    "element",  # of a list, tuple, set or dictionary
    "index",
    "target",
    "handler",  # what an except clause catches
    "raised",
    "returned",
    "value",  # any other expression
]

MAX_NODES = 300
"""Of one edit that rules look at; what lies deeper tells nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where an edit lies."""

    function: str = ""
    """Name of the innermost function; empty outside of all."""
    in_class: bool = False
    """Directly or in a method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change, from the buggy to the fixed side."""

    kind: EditKind
    role: Role
    before: ast.AST | None
    after: ast.AST | None
    parent: ast.AST | None = None
    """What `after` stands in: the call of an argument, the function of a default."""
    scope: Scope = Scope()
    share: float = 1.0
    """How much it counts: less inside of something larger that is new as well."""
    fresh: frozenset[str] = frozenset()
    """Variables and parameters that the whole fix brings in."""
    gained: frozenset[str] = field(init=False)
    """Identifiers that `after` has and `before` lacks; of a wrap, in its head only."""
    lost: frozenset[str] = field(init=False)
    reached: frozenset[str] = field(init=False)
    """Attributes and called names that only one side has: what is used of others."""

    def __post_init__(self) -> None:
        before, after = self._sides()
        names = _identifiers(before), _identifiers(after)
        parts = _reached(before), _reached(after)
        if self.role == "callee":
            parts = names
        object.__setattr__(self, "gained", names[1] - names[0])
        object.__setattr__(self, "lost", names[0] - names[1])
        object.__setattr__(self, "reached", parts[0] ^ parts[1])

    def _sides(self) -> tuple[tuple[ast.AST, ...], tuple[ast.AST, ...]]:
        """Before and after; of a compound statement, its head only.

        What stands in a body that is new comes as edits of its own.
        """
        if self.kind == "wrapped":
            return (), head(self.after)
        if self.kind == "unwrapped":
            return head(self.before), ()
        return _said(self, self.before), _said(self, self.after)


def nodes(node: ast.AST | None) -> Iterator[ast.AST]:
    """Walk `node`, breadth first, up to the bound; nothing for None."""
    return islice(ast.walk(node), MAX_NODES) if node is not None else iter(())


def _identifiers(parts: Iterable[ast.AST]) -> frozenset[str]:
    """Names, attributes, keywords, and defined names, not imported ones."""
    return frozenset(
        name for part in parts for node in nodes(part) for name in _names(node)
    )


def _reached(parts: Iterable[ast.AST]) -> frozenset[str]:
    """Attributes and called names."""
    return frozenset(
        name for part in parts for node in nodes(part) for name in _used(node)
    )


def _said(edit: Edit, node: ast.AST | None) -> tuple[ast.AST, ...]:
    if node is None:
        return ()
    if edit.role == "statement" and hasattr(node, "body"):
        return head(node)
    return (node,)


def head(node: ast.AST | None) -> tuple[ast.AST, ...]:
    """Test, iterator, context managers, caught exceptions, decorators and bases.

    What a compound statement says before its body; empty for any other.
    """
    found: list[ast.AST] = []
    for name in ("test", "iter", "subject", "type", "bases", "decorator_list", "items"):
        value = getattr(node, name, None)
        found += [value] if isinstance(value, ast.AST) else value or []
    handlers = node.handlers if isinstance(node, ast.Try) else []
    return (*found, *(each.type for each in handlers if each.type is not None))


def _names(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.Attribute(attr=name):
            return (name,)
        case ast.keyword(arg=str(name)):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return (name,)
    return ()


def _used(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name)):
            return (name,)
    return ()
