"""Each operator on small code: the exact mutants, so that style and comments stay."""

from random import Random

import pytest

from envplatform.swe.inducers.mutation.edits import apply_edits
from envplatform.swe.inducers.mutation.operators import OPERATORS
from envplatform.swe.inducers.mutation.source import ParsedSource, parse_source

TWO_METHODS = """\
class A:
    def f(self):
        '''F.'''
        return %s

    async def h(self):
        return 3

    def g(self):
        return %s
"""


def mutants(operator: str, code: str, *, seed: int = 0) -> list[str]:
    """Every mutant of the body of a function `f`, without its head."""
    head = "def f(a, b, c):\n"
    body = "".join(f"    {line}\n" for line in code.split("\n"))
    return [text.removeprefix(head) for text in whole(operator, head + body, seed=seed)]


def whole(operator: str, code: str, *, seed: int = 0) -> list[str]:
    """Every mutant of a file."""
    source = parse_source(code.encode())
    assert isinstance(source, ParsedSource), source
    places = OPERATORS[operator](source, Random(seed))  # noqa: S311
    return [apply_edits(source.data, place.edits).decode() for place in places]


def body(code: str) -> str:
    """Return the code as the body of a function."""
    return "".join(f"    {line}\n" for line in code.split("\n"))


@pytest.mark.parametrize(
    ("operator", "code", "expected"),
    [
        ("comparison_boundary", "return a < b  # c < d", ["return a <= b  # c < d"]),
        ("comparison_boundary", "return a == b", []),
        ("comparison_boundary", "return (a)>=(b)", ["return (a)>(b)"]),
        ("comparison_negate", "return a == b", ["return a != b"]),
        ("comparison_negate", "return a not  in b", ["return a in b"]),
        ("comparison_negate", "return a is b", ["return a is not b"]),
        ("comparison_negate", "return a is not(b)", ["return a is(b)"]),
        (
            "comparison_negate",
            "return a < b <= c",
            ["return a >= b <= c", "return a < b > c"],
        ),
        ("comparison_swap", "return a < b", ["return a > b"]),
        (
            "comparison_negate",
            "return (a  # a == b\n        == b)",
            ["return (a  # a == b\n        != b)"],
        ),
        (
            "boolean_flip",
            "return a and b or c",
            ["return a and b and c", "return a or b or c"],
        ),
        ("boolean_flip", "return band and (b) and c", ["return band or (b) or c"]),
        ("literal_flip", "return f(x=True)", ["return f(x=False)"]),
        ("condition_negate", "return a if not b else c", ["return a if b else c"]),
        ("condition_negate", "if a:\n    return", ["if not a:\n    return"]),
        ("condition_negate", "if a and b: return", ["if not (a and b): return"]),
        ("condition_negate", "if a < b: return", []),
        ("condition_negate", "while a: pass", []),
        ("sign_flip", "return - a", ["return a"]),
        ("sign_flip", "return ~a", []),
        ("arithmetic_flip", "return a+b", ["return a-b"]),
        ("arithmetic_flip", "a //= b", ["a %= b"]),
        ("arithmetic_flip", "return '%s' % a", []),
        ("arithmetic_flip", "return a ** b", ["return a * b"]),
        ("operator_change", "return a << b", ["return a >> b"]),
        ("operand_swap", "return a - b", ["return b - a"]),
        ("operand_swap", "return a < b", ["return b < a"]),
        ("operand_swap", "return a == b", []),
        ("operand_swap", "return a + 1", []),
        ("operand_swap", "return a and b == c", ["return b == c and a"]),
        (
            "operand_swap",
            "return (a + b) * c",
            ["return c * (a + b)", "return (b + a) * c"],
        ),
        (
            "operand_swap",
            "return a - b - c",
            ["return c - (a - b)", "return b - a - c"],
        ),
        (
            "chain_break",
            "return a.strip().lower()",
            ["return a.strip()"],
        ),
        ("chain_break", "return a + b + c", ["return a + c"]),
        (
            "chain_break",
            "return (a or b) + b + c",
            ["return (a or b) + c", "return (a) + b + c"],
        ),
        ("constant_change", "return 'a '", ["return 'a'"]),
        ("constant_change", 'return r"x$"', ['return r"x"']),
        ("constant_change", "return '\\n'", []),
        ("constant_change", "return 0.5", ["return 1.0"]),
        ("constant_change", "return 0", ["return 1"]),
        ("constant_change", "raise ValueError('no')", []),
        ("constant_change", "log.info('no')", []),
        ("constant_change", "return f'a{1}b'", []),
        ("off_by_one", "return a[-1]", ["return a[-2]"]),
        ("off_by_one", "return a[: b - 1]", ["return a[: b]"]),
        ("off_by_one", "return a['x']", []),
        ("off_by_one", "return len(a) == 1", []),
        ("if_else_invert", "return a if b else c", ["return c if b else a"]),
        (
            "if_else_invert",
            "if a:\n    return 1  # one\nelse:\n    # two\n    return 2",
            ["if a:\n    return 2\nelse:\n    # two\n    return 1  # one"],
        ),
        (
            "if_else_invert",
            "if a: return 1\nelif b: return 2",
            ["if a: return 2\nelif b: return 1"],
        ),
        ("statement_shuffle", "x = a\ny = x", ["y = x\nx = a"]),
        ("statement_shuffle", "x = a\ny = b", []),
        (
            "statement_shuffle",
            "'''Doc.'''\na.append(b)  # first\nreturn a",
            ["'''Doc.'''\nreturn a\na.append(b)  # first"],
        ),
        ("loop_remove", "for x in a:\n    b(x)\nreturn c", ["return c"]),
        ("loop_remove", "while a:\n    b()", ["pass"]),
        ("condition_remove", "if a:\n    return b\nreturn c", ["return c"]),
        (
            "condition_remove",
            "if a:\n    return 1\nelif b:\n    return 2\nelse:\n    return 3",
            [
                "if b:\n    return 2\nelse:\n    return 3",
                "if a:\n    return 1\nelse:\n    return 3",
            ],
        ),
        ("assignment_remove", "x = a\nreturn x", ["return x"]),
        ("assignment_remove", "x = a; return x", ["pass; return x"]),
        ("assignment_remove", "x: int\nreturn a", []),
        ("assignment_remove", "while a:\n    a -= 1\n    b()", []),
        (
            "wrapper_remove",
            "with a:\n    b()\n\n    # why\n    c()",
            ["b()\n\n# why\nc()"],
        ),
        ("wrapper_remove", "with a as x:\n    b(x)\nreturn", ["return"]),
        (
            "wrapper_remove",
            "try:\n    b()\nexcept ValueError:\n    c()\nreturn",
            ["b()\nreturn"],
        ),
        (
            "wrapper_remove",
            "try:\n    b('''x\n    y''')\nfinally:\n    c()\nreturn",
            ["return"],
        ),
    ],
)
def test_the_mutants_of_an_operator(
    operator: str, code: str, expected: list[str]
) -> None:
    """In source order, changed where the operator is about and nowhere else."""
    found = [text.replace("\n    \n", "\n\n") for text in mutants(operator, code)]
    assert found == [body(text).replace("\n    \n", "\n\n") for text in expected]


@pytest.mark.parametrize(
    ("operator", "code", "expected"),
    [
        ("class_remove_base", "class A(B):\n    x = 1\n", ["class A:\n    x = 1\n"]),
        ("class_remove_base", "class A(object):\n    x = 1\n", []),
        (
            "class_remove_base",
            "class A(B, metaclass=M):\n    x = 1\n",
            ["class A(metaclass=M):\n    x = 1\n"],
        ),
        (
            "class_remove_method",
            "class A:\n    @p\n    def f(self):\n        return 1\n\n    x = 1\n",
            ["class A:\n    x = 1\n"],
        ),
        (
            "class_remove_method",
            "class A:\n    def f(self):\n        return 1\n",
            ["class A:\n    pass\n"],
        ),
        (
            "class_shuffle_methods",
            TWO_METHODS % ("1", "2  # two"),
            [TWO_METHODS % ("2  # two", "1")],
        ),
        (
            "constant_change",
            "X = {'a ': 1.5}\n",
            ["X = {'a': 1.5}\n", "X = {'a ': 3.0}\n"],
        ),
        ("literal_flip", "class A:\n    x = True\n", ["class A:\n    x = False\n"]),
    ],
)
def test_the_mutants_of_classes_and_tables(
    operator: str, code: str, expected: list[str]
) -> None:
    """Code that runs at import is touched by few operators."""
    assert whole(operator, code) == expected


@pytest.mark.parametrize("operator", sorted(OPERATORS))
@pytest.mark.parametrize(
    "code",
    [
        '"""Module 1 > 0."""\n__version__ = "1 "\n__all__ = ["a "]\n',
        'if __name__ == "__main__":\n    print(1 + 1 < 3)\n',
        "import sys\nif sys.version_info >= (3, 8):\n    x = True\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    x = 1 + 2\n",
        "def f(a: 'x ' = None) -> 'y ':\n    ...\n",
        "def f(a):\n    return f'{a + 1 < 2 and True}'\n",
        "@d(1 < 2, True)\ndef f():\n    ...\n",
        "@overload\ndef f(a):\n    return 1 + 2\n",
        "",
        "# only a comment\n",
    ],
)
def test_dead_or_undecidable_code_is_left_alone(operator: str, code: str) -> None:
    """Docstrings, dunders, guards, annotations, f-string insides, decorators."""
    assert whole(operator, code) == []


def test_code_that_only_newer_or_rarer_syntax_has_is_walked() -> None:
    """Async, match, walrus, star-try, decorated nested functions, lambdas."""
    code = """\
async def f(a):
    async with a:
        async for x in a:
            await x(lambda y: y + 1)
    match a:
        case [1, *_] if (n := len(a)) > 2:
            return -n
        case {"k ": v}:
            return v
    try:
        @d
        def g():
            return a and not x
    except* ValueError:
        raise
"""
    used = {name for name in OPERATORS if whole(name, code)}
    assert {
        "arithmetic_flip",
        "boolean_flip",
        "comparison_boundary",
        "constant_change",
        "loop_remove",
        "sign_flip",
        "wrapper_remove",
    } <= used
