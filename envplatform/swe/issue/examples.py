"""A failing test as an example that a user could type: set-up, expression, result.

Statements of the test that the failing one needs are kept, the rest goes. Fixtures are
named. What hangs on loops or helper files, or is inherited from one, gives no example:
the issue then speaks of less.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envplatform.swe.issue.checks import Check, Kind, read_check
from envplatform.swe.issue.facts import FailingTest
from envplatform.swe.issue.parameters import parameter_values
from envplatform.swe.issue.report import Failure, read_failure
from envplatform.swe.issue.setup import Setup, Substitution, find_setup, substituted
from envplatform.swe.issue.testcode import (
    Imported,
    find_class,
    find_function,
    imports,
    loaded,
    parse_test,
    stored,
    trace,
)

MAX_EXPRESSION = 240
MAX_FOLDED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One way to see the bug."""

    given: tuple[str, ...]
    """Imports and definitions, one statement each."""
    steps: tuple[str, ...]
    """Statements that come next."""
    expression: str
    """What to type last."""
    kind: Kind
    expected: str
    """Code of the value, or name of the exception; empty if only no error is expected."""
    actual: str
    """The value, or the exception with its message; empty if unknown."""
    subject: str
    """Dotted name of the public thing that is used, `inflection.pluralize`, or empty."""
    fixtures: tuple[str, ...] = ()
    """Names that only the tests' own fixtures give a value."""
    details: str = ""
    """Where the value is unknown: what pytest printed of the difference."""

    @property
    def stands_alone(self) -> bool:
        """Whether the expression alone says what is done."""
        imports_only = all(line.startswith(("import ", "from ")) for line in self.given)
        return imports_only and not self.steps and not self.fixtures


def example_of(test: FailingTest, modules: frozenset[str]) -> Example | None:
    """Make the example of one failing test; None if it can't stand alone."""
    failure = read_failure(test.report)
    traced = trace(test, failure.lines)
    if traced is None:
        return None
    known = imports(traced.module, modules)
    check = read_check(traced, failure, known)
    if check is None:
        return None
    values = Substitution(
        parameter_values(traced, test.parameters), frozenset(stored(traced.function))
    )
    needed = [check.expression, *([check.expected] if check.expected else [])]
    setup = find_setup(traced, needed, known, values)
    return None if setup is None else _build(check, setup, known, values, failure)


def subjects_of(test: FailingTest, modules: frozenset[str]) -> tuple[str, ...]:
    """Public names that a test uses, sorted; for lack of an example.

    Of a test that its class inherits, the names that the class itself sets.
    """
    module = parse_test(test.source)
    function = find_function(test)
    code = function[1] if function else find_class(test)
    if module is None or code is None:
        return ()
    known = imports(module, modules)
    used = [known[name] for name in loaded(code) if name in known]
    return tuple(sorted({one.dotted for one in used if one.ours}))


def _build(
    check: Check,
    setup: Setup,
    known: Mapping[str, Imported],
    values: Substitution,
    failure: Failure,
) -> Example | None:
    expected = _expected(check, values)
    expression, steps = folded(
        substituted(check.expression, values), setup.statements, expected
    )
    shown = ast.unparse(expression)
    if len(shown) > MAX_EXPRESSION:
        return None
    actual = _actual(check, failure)
    return Example(
        given=setup.given,
        steps=tuple(ast.unparse(step) for step in steps),
        expression=shown,
        kind=check.kind,
        expected=expected,
        actual=actual,
        subject=subject_of(expression, steps, known, setup.fixtures),
        fixtures=setup.fixtures,
        details="" if actual else failure.difference,
    )


def _expected(check: Check, values: Substitution) -> str:
    """Code as the test has it if it says the value, else the value as printed."""
    if check.expected is None:
        return check.raised or ""
    expected = substituted(check.expected, values)
    return check.shown if check.shown and loaded(expected) else ast.unparse(expected)


def _actual(check: Check, failure: Failure) -> str:
    if check.kind == "error" and failure.exception:
        name, message = failure.exception
        return f"{name}: {message}" if message else name
    return check.actual


def folded(
    expression: ast.expr, steps: Sequence[ast.stmt], expected: str
) -> tuple[ast.expr, list[ast.stmt]]:
    """Write the last steps into the expression, as long as it stays readable."""
    left = list(steps)
    while left:
        match left[-1]:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                uses = [
                    node
                    for node in ast.walk(expression)
                    if isinstance(node, ast.Name) and node.id == name
                ]
            case _:
                break
        longer = substituted(
            expression, Substitution({name: value}, longest=MAX_FOLDED)
        )
        fits = len(ast.unparse(value)) <= MAX_FOLDED >= len(ast.unparse(longer))
        if len(uses) != 1 or not fits or re.search(rf"\b{name}\b", expected):
            break
        expression = longer
        left.pop()
    return expression, left


def subject_of(
    expression: ast.AST,
    steps: Sequence[ast.stmt],
    known: Mapping[str, Imported],
    fixtures: Sequence[str],
) -> str:
    """Name the outermost public call; else the first public name that is used."""
    names = _Names(known, {name: name for name in fixtures})
    for step in steps:
        match step:
            case ast.Assign(targets=[ast.Name(id=variable)], value=value):
                names.classes[variable] = names.class_of(value)
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and (name := names.of(node.func)):
            return name
    for node in (expression, *reversed(steps)):
        for inner in ast.walk(node):
            if name := names.of(inner):
                return name
    return ""


@dataclass(slots=True)
class _Names:
    """What variables and expressions of an example are called in public."""

    known: Mapping[str, Imported]
    classes: dict[str, str] = field(default_factory=dict)
    """Class of each variable, as far as its name tells; else empty."""

    def of(self, node: ast.AST) -> str:
        """Dotted name of something of ours; empty for anything else."""
        if isinstance(node, ast.Name):
            imported = self.known.get(node.id)
            return imported.dotted if imported and imported.ours else ""
        if isinstance(node, ast.Attribute):
            base = self.of(node.value) or self.class_of(node.value)
            return f"{base}.{node.attr}" if base else ""
        return ""

    def class_of(self, node: ast.AST) -> str:
        """Class of a value: of `Version(...)`, of `Version.parse(...)` and so on."""
        if isinstance(node, ast.Name):
            return self.classes.get(node.id, "")
        if isinstance(node, ast.Call):
            parts = self.of(node.func).split(".")
            named = [part for part in parts if part[:1].isupper()]
            return named[-1] if named else ""
        return ""
