"""What the failing statement of a test checks: an expression, and what it should give.

Understands `assert`, `pytest.raises`, and unittest's commonest methods.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from envplatform.swe.issue.report import Failure, compared_values
from envplatform.swe.issue.testcode import Imported, TracedTest, loaded, module_value

_RAISES = frozenset(
    {"raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp"}
)
_WATCHERS = _RAISES | {"warns", "deprecated_call", "assertWarns", "subTest"}
_EQUAL = frozenset(
    {"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual",
     "assertTupleEqual", "assertSetEqual", "assertSequenceEqual"}
)  # fmt: skip


Kind = Literal["value", "truth", "condition", "raises", "error"]
"""A wrong value, a value of the wrong truth, a condition that should hold, a missing
exception, an unexpected one."""

_COMPARED: Mapping[str, type[ast.cmpop]] = {
    "assertNotEqual": ast.NotEq,
    "assertIn": ast.In,
    "assertNotIn": ast.NotIn,
    "assertIs": ast.Is,
    "assertIsNot": ast.IsNot,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check that failed."""

    expression: ast.expr
    kind: Kind
    expected: ast.expr | None = None
    """The value it should have."""
    raised: str | None = None
    """The exception that should have been raised."""
    actual: str = ""
    """The value it had, as pytest printed it; empty if unknown."""
    shown: str = ""
    """The expected value, as pytest printed it; empty if unknown."""


def read_check(
    test: TracedTest, failure: Failure, known: Mapping[str, Imported]
) -> Check | None:
    """Read the statement that failed; None if it is of another kind."""
    statement = test.way[-1]
    awaited = expected_exception(test)
    if failure.not_raised and isinstance(statement, ast.With):
        return _missing_error(statement, awaited)
    if failure.exception:
        expression = _tried(statement, failure.marked)
        return (
            Check(expression=expression, kind="error", raised=awaited)
            if expression is not None
            else None
        )
    return _assertion(statement, failure, known)


def _assertion(
    statement: ast.stmt, failure: Failure, known: Mapping[str, Imported]
) -> Check | None:
    match statement:
        case ast.Assert(test=ast.Compare(ops=[ast.Eq()]) as compared):
            return _equality(compared, failure, known)
        case ast.Assert(test=condition):
            return _truth(condition, failure.assertion or "")
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=args)):
            return _unittest(name, args, failure, known)
    return None


def _truth(condition: ast.expr, shown: str) -> Check:
    """A value that should be true or false; for comparisons, the comparison."""
    wanted = True
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        condition, wanted = condition.operand, False
        shown = shown.removeprefix("not ")
    if isinstance(condition, ast.Compare | ast.BoolOp):
        kept = condition if wanted else ast.UnaryOp(op=ast.Not(), operand=condition)
        return Check(expression=kept, kind="condition", actual="False")
    plain = shown in {"True", "False"}
    return Check(
        expression=condition,
        kind="value" if plain else "truth",
        expected=ast.Constant(wanted),
        actual=shown if is_printed_value(shown) else "",
    )


def expected_exception(test: TracedTest) -> str | None:
    """Name of the exception that a block around the failing statement waits for."""
    for statement in test.way:
        for item in statement.items if isinstance(statement, ast.With) else ():
            call = watcher(test.module, item.context_expr)
            if call is not None and _callee(call) in _RAISES and call.args:
                return _short(call.args[0])
    return None


def watcher(module: ast.Module, context: ast.expr) -> ast.Call | None:
    """Return the call of a `with` that only watches: pytest's or unittest's checks.

    A name that the file gives to such a call stands for it.
    """
    if isinstance(context, ast.Name):
        context = module_value(module, context.id) or context
    if isinstance(context, ast.Call) and _callee(context) in _WATCHERS:
        return context
    return None


def _callee(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(value=ast.Name(id="pytest" | "self"), attr=name):
            return name
        case ast.Name(id=name):
            return name
    return ""


def _short(kind: ast.expr) -> str:
    match kind:
        case ast.Tuple(elts=[first, *_]):
            return _short(first)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return "Exception"


def _missing_error(statement: ast.With, awaited: str | None) -> Check | None:
    last = statement.body[-1]
    value = last.value if isinstance(last, ast.Expr | ast.Assign) else None
    if value is None or awaited is None:
        return None
    return Check(expression=value, kind="raises", raised=awaited)


def _tried(statement: ast.stmt, marked: str) -> ast.expr | None:
    """Return what was evaluated when the exception came, as far as Python says."""
    match statement:
        case ast.Assert(test=condition):
            return _side_of(condition, marked)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr=name),
                args=[first, *others],
            )
        ) if name.startswith("assert"):
            return others[0] if others and _is_literal(first) else first
        case ast.Expr(value=value) | ast.Assign(targets=[ast.Name()], value=value):
            return value
        case ast.With(body=[ast.Expr(value=value)]):
            return value
    return None


def _side_of(condition: ast.expr, marked: str) -> ast.expr:
    """The side of a comparison that holds the underlined code; else all of it."""
    sides: list[ast.expr] = []
    match condition:
        case ast.Compare(left=left, comparators=[right]):
            sides = [left, right]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            sides = [inner]
    for side in sides:
        if marked and marked in ast.unparse(side):
            return side
    return condition


def _is_ours(node: ast.AST, known: Mapping[str, Imported]) -> bool:
    return any(name in known and known[name].ours for name in loaded(node))


def _equality(
    compared: ast.Compare, failure: Failure, known: Mapping[str, Imported]
) -> Check:
    left, right = compared.left, compared.comparators[0]
    values = compared_values(failure.assertion or "", "==")
    shown = [value if is_printed_value(value) else "" for value in values or ("", "")]
    if _is_result(right, left, known):
        left, right = right, left
        shown.reverse()
    return Check(
        expression=left, kind="value", expected=right, actual=shown[0], shown=shown[1]
    )


def is_printed_value(text: str) -> bool:
    """Tell whether pytest printed a value whole: long ones have their middle cut out."""
    return bool(text) and "..." not in text


def _is_result(right: ast.expr, left: ast.expr, known: Mapping[str, Imported]) -> bool:
    """Tell whether the right side is what the package gave, against the custom."""
    if _is_literal(right) != _is_literal(left):
        return _is_literal(left)
    if _is_ours(right, known) != _is_ours(left, known):
        return _is_ours(right, known)
    calls = [any(isinstance(n, ast.Call) for n in ast.walk(s)) for s in (left, right)]
    return calls == [False, True]


def _is_literal(node: ast.AST) -> bool:
    return not any(isinstance(n, ast.Name | ast.Call) for n in ast.walk(node))


def _unittest(
    name: str,
    args: list[ast.expr],
    failure: Failure,
    known: Mapping[str, Imported],
) -> Check | None:
    if name in _EQUAL and len(args) > 1:
        message = (failure.errors or ("",))[0].removeprefix("AssertionError: ")
        values = compared_values(message, "!=")
        pair = ast.Compare(left=args[0], ops=[ast.Eq()], comparators=[args[1]])
        shown = Failure(lines=(), errors=_as_assert(values))
        return _equality(pair, shown, known)
    if name in _COMPARED and len(args) > 1:
        operator = _COMPARED[name]()
        pair = ast.Compare(left=args[0], ops=[operator], comparators=[args[1]])
        return Check(expression=pair, kind="condition", actual="False")
    if name == "assertTrue" and args:
        return _truth(args[0], "")
    if name == "assertFalse" and args:
        return _truth(ast.UnaryOp(op=ast.Not(), operand=args[0]), "")
    return None


def _as_assert(values: tuple[str, str] | None) -> tuple[str, ...]:
    return (f"assert {values[0]} == {values[1]}",) if values else ()
