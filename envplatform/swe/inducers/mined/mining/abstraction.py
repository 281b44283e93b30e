"""One pair of code to patterns: what is particular to a repository becomes `$`.

Three grades, of which each takes more away than the one before:

    leaves   names, attributes, numbers and texts; the structure stays
    common   whole expressions that both sides have are one metavariable
    open     and expressions that only the correct side has are any
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from envplatform.swe.inducers.mined.metavariables import (
    Kind,
    identifier_of,
    metavariable,
)
from envplatform.swe.inducers.mined.mining.changes import Change
from envplatform.swe.inducers.mined.mining.known import (
    is_known_attribute,
    is_known_constant,
    is_known_name,
)
from envplatform.swe.inducers.mined.template import (
    Template,
    TemplateError,
    check_template,
)
from envplatform.swe.inducers.mined.trees import Key, key, walk

Grade = Literal["leaves", "common", "open"]
_GRADES: tuple[Grade, ...] = ("leaves", "common", "open")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstraction:
    """One pattern that a change is an instance of."""

    template: Template
    leaves: tuple[tuple[str, ast.AST | str], ...]
    """What `$attr`, `$num` and `$str` stand for in this change, by name, sorted."""


class _NoPatternError(ValueError):
    """The defective side needs what the correct side does not have."""


def abstractions(change: Change) -> Iterator[Abstraction]:
    """Yield the patterns of a change, special ones first; there may be none."""
    for grade in _GRADES:
        naming = _Naming(change, grade)
        try:
            template = Template(
                level=change.level,
                correct=tuple(naming.correct(node) for node in change.correct),
                defective=tuple(naming.defective(node) for node in change.defective),
            )
            check_template(template)
        except (_NoPatternError, TemplateError):
            continue
        leaves = tuple(sorted(naming.leaves.items(), key=lambda pair: pair[0]))
        yield Abstraction(template=template, leaves=leaves)


@dataclass(slots=True)
class _Naming:
    """Gives metavariables their names, in the order of the correct side."""

    change: Change
    grade: Grade
    names: dict[Key, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    counts: dict[Kind, int] = field(default_factory=dict)
    leaves: dict[str, ast.AST | str] = field(default_factory=dict)
    _common: set[Key] = field(init=False)
    _roots: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self._roots = {id(node) for node in self.change.correct}
        sides = self.change.correct, self.change.defective
        left, right = ({_key(node) for node in walk(side)} for side in sides)
        self._common = (left & right) - {()}

    def correct(self, node: ast.AST) -> ast.AST:
        """Return a node of the correct side in general terms."""
        if metavariable(node):
            return node
        kind = self._kind(node)
        if kind:
            return self._named(node, kind)
        return self._copied(node, self.correct)

    def defective(self, node: ast.AST) -> ast.AST:
        """Return a node of the defective side in the terms of the correct one.

        Raises:
            _NoPatternError: there are no such terms.
        """
        if metavariable(node):
            return node
        known = self.names.get(_key(node))
        if known:
            return _metavariable(known, node)
        match node:
            case ast.Name(id=name) if not is_known_name(name):
                if not isinstance(node.ctx, ast.Load):
                    raise _NoPatternError
                return self._named(node, "other")
            case ast.Constant(value=value) if not is_known_constant(value):
                raise _NoPatternError
            case ast.Attribute(attr=name) if (
                name not in self.attributes and not is_known_attribute(name)
            ):
                raise _NoPatternError
        return self._copied(node, self.defective)

    def _copied(self, node: ast.AST, turn: Callable[[ast.AST], ast.AST]) -> ast.AST:
        if isinstance(node, ast.Lambda):  # its parameters are no names that we follow
            raise _NoPatternError
        parts: dict[str, object] = {}
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                parts[name] = turn(value)
            elif isinstance(value, list):
                parts[name] = [
                    turn(item) if isinstance(item, ast.AST) else item for item in value
                ]
            else:
                parts[name] = value
        copied = type(node)(**parts)
        if isinstance(copied, ast.Attribute):
            copied.attr = self._attribute(copied.attr)
        return copied

    def _kind(self, node: ast.AST) -> Kind | None:
        """Say which metavariable takes the place of a node; None if none does."""
        if id(node) in self._roots or not isinstance(node, ast.expr):
            return None
        leaf = _leaf(node)
        if self.grade == "leaves" or not isinstance(
            getattr(node, "ctx", ast.Load()), ast.Load
        ):
            return leaf
        common = key(node) in self._common
        if common and (leaf or not _is_known(node)):
            return "expr"
        if self.grade == "open" and not common and not self._holds_common(node):
            return "expr" if leaf or not _is_known(node) else None
        return leaf

    def _holds_common(self, node: ast.AST) -> bool:
        return any(
            key(inner) in self._common and not _is_known(inner)
            for inner in walk([node])
            if isinstance(inner, ast.expr)
        )

    def _named(self, node: ast.AST, kind: Kind) -> ast.AST:
        name = self.names.get(key(node))
        if name is None:
            name = self._next(kind)
            self.names[key(node)] = name
            if kind in {"num", "str"}:
                self.leaves[name] = node
        return _metavariable(name, node)

    def _attribute(self, attribute: str) -> str:
        if is_known_attribute(attribute):
            return attribute
        if attribute not in self.attributes:
            self.attributes[attribute] = self._next("attr")
            self.leaves[self.attributes[attribute]] = attribute
        return identifier_of(self.attributes[attribute])

    def _next(self, kind: Kind) -> str:
        number = self.counts.get(kind, 0) + 1
        self.counts[kind] = number
        if kind != "expr":
            return f"{kind}{number}"
        if number > len(_LETTERS):
            raise _NoPatternError
        return _LETTERS[number - 1]


def _key(node: ast.AST) -> Key:
    return key(node) if isinstance(node, ast.expr) else ()


def _metavariable(name: str, node: ast.AST) -> ast.AST:
    return ast.Name(id=identifier_of(name), ctx=getattr(node, "ctx", ast.Load()))


def _leaf(node: ast.expr) -> Kind | None:
    match node:
        case ast.Name(id=name):
            return None if is_known_name(name) else "name"
        case ast.Constant(value=value) if not is_known_constant(value):
            if isinstance(value, str):
                return "str"
            return "num" if isinstance(value, int | float) else "expr"
    return None


def _is_known(node: ast.AST) -> bool:
    """Tell whether a node is a leaf that means the same everywhere."""
    match node:
        case ast.Name(id=name):
            return is_known_name(name)
        case ast.Constant(value=value):
            return is_known_constant(value)
        case ast.UnaryOp(operand=ast.Constant(value=value)):
            return is_known_constant(value)
    return isinstance(node, ast.Starred | ast.Slice)
