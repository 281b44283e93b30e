"""The part of a test that its failing expression needs: a slice backwards."""

import ast
import builtins
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from envplatform.swe.issue.checks import watcher
from envplatform.swe.issue.testcode import (
    Function,
    Imported,
    TracedTest,
    loaded,
    stored,
)

MAX_STATEMENTS = 8
MAX_STATEMENT = 240
MAX_INLINE = 60
MAX_DEFINITION_LINES = 8

_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Substitution:
    """Values that stand for a test's parameters."""

    values: Mapping[str, ast.expr]
    rebound: frozenset[str] = frozenset()
    """Names that the test itself sets anew."""
    longest: int = MAX_INLINE
    """Characters up to which a value is written where it is used."""

    def inline(self, name: str) -> ast.expr | None:
        """Return the value if it can be written where it is used, and is short."""
        value = self.values.get(name)
        if value is None or name in self.rebound:
            return None
        return value if len(ast.unparse(value)) <= self.longest else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything to type before the expression."""

    given: tuple[str, ...]
    """Imports and definitions, one entry each."""
    statements: tuple[ast.stmt, ...]
    """Of the test's body, parameters filled in."""
    fixtures: tuple[str, ...]
    """Arguments of the test that are used and whose values are not known; sorted."""


@dataclass(slots=True)
class _Slice:
    needed: set[str] = field(default_factory=set)
    kept: list[ast.stmt] = field(default_factory=list)

    def take(self, statement: ast.stmt) -> None:
        self.kept.insert(0, statement)
        self.needed |= loaded(statement)


def substituted(node: ast.expr, values: Substitution) -> ast.expr:
    """Return a copy with short parameter values written out."""
    changed = _Filler(values).visit(copy.deepcopy(node))
    return changed if isinstance(changed, ast.expr) else node


class _Filler(ast.NodeTransformer):
    def __init__(self, values: Substitution) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._values.inline(node.id)
        return node if value is None or not isinstance(node.ctx, ast.Load) else value


def find_setup(
    test: TracedTest,
    needed: Sequence[ast.expr],
    known: Mapping[str, Imported],
    values: Substitution,
) -> Setup | None:
    """Find what `needed` needs; None if something can't be had outside of the test."""
    before = _before(test)
    if before is None:
        return None
    local = frozenset(stored(test.function))
    part = _sliced(before, needed, local)
    if part is not None and len(part.kept) > MAX_STATEMENTS:
        part = _sliced(before, needed, frozenset())  # then without earlier checks
    if part is None:
        return None
    open_names = _open_names([*part.kept, *needed])
    fixtures = _fixtures(test, open_names, values)
    given = _given(test, open_names - set(fixtures), known, values)
    body = [_filled(statement, values) for statement in part.kept]
    if given is None or len(body) > MAX_STATEMENTS or not all(map(_is_short, body)):
        return None
    return Setup(given=tuple(given), statements=tuple(body), fixtures=fixtures)


def _fixtures(
    test: TracedTest, names: set[str], values: Substitution
) -> tuple[str, ...]:
    arguments = {argument.arg for argument in test.function.args.args} - {"self"}
    return tuple(sorted(arguments & names - values.values.keys()))


def _sliced(
    before: Sequence[ast.stmt], needed: Sequence[ast.expr], local: frozenset[str]
) -> _Slice | None:
    """Keep what `needed` depends on; None if a block of statements is among it.

    Earlier checks that call on objects in `local` are kept as plain calls: they may
    have left their mark, in a cache for one.
    """
    part = _Slice(needed=set().union(*map(loaded, needed)))
    for statement in reversed(before):
        if isinstance(statement, ast.Assert):
            call = _checked_call(statement.test, part.needed & local)
            if call is not None:
                part.take(ast.Expr(call))
        elif _touches(statement, part.needed):
            if not isinstance(statement, (*_SIMPLE, Function, ast.ClassDef)):
                return None
            part.take(statement)
    return part


def _checked_call(test: ast.expr, names: set[str]) -> ast.expr | None:
    """Return the side of a check that calls or indexes something of `names`."""
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    for side in sides:
        for node in ast.walk(side):
            match node:
                case (
                    ast.Call(func=ast.Attribute(value=ast.Name(id=name)))
                    | ast.Call(func=ast.Name(id=name))
                    | ast.Subscript(value=ast.Name(id=name))
                ) if name in names:
                    return side
    return None


def _open_names(code: Sequence[ast.AST]) -> set[str]:
    """Names that are read before anything sets them."""
    bound: set[str] = set()
    found: set[str] = set()
    for node in code:
        found |= (
            loaded(node) - bound - (stored(node) if _is_definition(node) else set())
        )
        bound |= stored(node)
    return found


def _is_definition(node: ast.AST) -> bool:
    return isinstance(node, Function | ast.ClassDef)


def _before(test: TracedTest) -> list[ast.stmt] | None:
    """Statements that ran before the failing one; None if a loop or branch is around."""
    before: list[ast.stmt] = []
    body: Sequence[ast.stmt] = test.function.body
    for statement in test.way:
        if statement not in body:
            return None
        before += body[: body.index(statement)]
        if statement is not test.way[-1] and not _only_watches(test, statement):
            return None
        body = getattr(statement, "body", [])
    if isinstance(test.way[-1], ast.With):
        before += test.way[-1].body[:-1]
    return before


def _only_watches(test: TracedTest, statement: ast.stmt) -> bool:
    return isinstance(statement, ast.With) and all(
        item.optional_vars is None and watcher(test.module, item.context_expr)
        for item in statement.items
    )


def _touches(statement: ast.stmt, needed: set[str]) -> bool:
    """Tell whether a statement sets a needed name or may change its object."""
    if isinstance(statement, ast.Assert | ast.Return | ast.Pass):
        return False
    if stored(statement) & needed:
        return True
    for node in ast.walk(statement):
        match node:
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
                | ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del())
                | ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del())
            ) if name in needed:
                return name not in {"pytest", "self"}
    return False


def _filled(statement: ast.stmt, values: Substitution) -> ast.stmt:
    changed = _Filler(values).visit(copy.deepcopy(statement))
    return changed if isinstance(changed, ast.stmt) else statement


_SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Delete,
    ast.Import,
    ast.ImportFrom,
)


def _is_short(statement: ast.stmt) -> bool:
    """Tell whether a statement is little enough for an example."""
    text = ast.unparse(statement)
    if isinstance(statement, Function | ast.ClassDef):
        return text.count("\n") < MAX_DEFINITION_LINES
    return isinstance(statement, _SIMPLE) and len(text) <= MAX_STATEMENT


def _given(
    test: TracedTest,
    names: set[str],
    known: Mapping[str, Imported],
    values: Substitution,
) -> list[str] | None:
    """Imports and definitions for names from outside; None if one can't be had."""
    used: set[str] = set()
    others: list[str] = []
    for name in sorted(names - _BUILTINS):
        if name in values.values:
            used |= loaded(values.values[name]) - _BUILTINS
            if values.inline(name) is None:
                others.append(f"{name} = {ast.unparse(values.values[name])}")
        elif name in known:
            used.add(name)
        else:
            definition = next(_definitions(test.module, name), None)
            if definition is None or len(definition) > 2 * MAX_STATEMENT:
                return None
            others.append(definition)
    if not used <= known.keys():
        return None
    return [*import_lines([known[name] for name in used]), *others]


def import_lines(imported: Sequence[Imported]) -> list[str]:
    """Import statements, one for all names of a module; sorted."""
    plain = {one.line for one in imported if one.line.startswith("import ")}
    wanted: dict[str, set[str]] = {}
    for one in imported:
        head, sign, name = one.line.partition(" import ")
        if sign and one.line not in plain:
            wanted.setdefault(head, set()).add(name)
    joined = [
        f"{head} import {', '.join(sorted(names))}" for head, names in wanted.items()
    ]
    return [*sorted(plain), *sorted(joined)]


def _definitions(module: ast.Module, name: str) -> Iterator[str]:
    """The file's own constants and functions, if they need nothing but builtins."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)]):
                pass
            case ast.FunctionDef(name=bound, decorator_list=[]):
                pass
            case _:
                continue
        if bound == name and not loaded(statement) - stored(statement) - _BUILTINS:
            yield ast.unparse(statement)
