"""What is written where a pattern matches, byte for byte."""

import pytest

from envplatform.patches import apply_patch
from envplatform.swe.inducers.mined.template import Level
from envplatform.tree import File
from tests.swe.inducers_mined.samples import PATH, file_of, inducer_of, pattern_of


def changed(
    code: str | bytes, correct: str, defective: str, level: Level = "expression"
) -> list[str]:
    """Return the code of all candidates that one pattern gives."""
    file = file_of(code)
    pattern = pattern_of(correct, defective, level=level)
    return [
        apply_patch({PATH: File(file.data)}, candidate.bug_patch)[PATH].data.decode()
        for candidate in inducer_of(pattern).candidates(file, 20, 0)
    ]


EXPRESSIONS = [
    # only the operator's token
    ("a  <  ( b )", "$a < $b", "$a <= $b", "a  <=  ( b )"),
    ("(a  # one\n  and b)", "$a and $b", "$a or $b", "(a  # one\n  or b)"),
    ("b not   in a", "$a not in $b", "$a in $b", "b in a"),
    # an argument with its comma, the rest as it stood
    ("f(a,  b, key = a)", "$a($args, key=$b, **$kwargs)", "$a($args, **$kwargs)",
     "f(a,  b)"),
    ("f(key=a, b = 1)", "$a(key=$b, **$kwargs)", "$a(**$kwargs)", "f(b = 1)"),
    ("f(a, )", "$a($b)", "$a()", "f()"),
    ("f((a), (b))", "$a($b, $c)", "$a($b)", "f((a))"),
    ("f((a), (b))", "$a($b, $c)", "$a($c)", "f((b))"),
    ("f(x for x in a)", "$a($b)", "$a()", "f()"),
    # one keyword's value, in whatever order they stand
    ("f(b=2 , key = True)", "$a(key=True, **$kwargs)", "$a(key=False, **$kwargs)",
     "f(b=2 , key = False)"),
    # brackets where the meaning asks for them
    ("a and not (b or a)", "not $a", "$a", "a and (b or a)"),
    ("a * str(b + 1)", "str($a)", "$a", "a * (b + 1)"),
    ("f(str(b + 1))", "str($a)", "$a", "f(b + 1)"),
    ("(a or b).copy()", "$a.copy()", "$a", "a or b"),
    ("not(a)", "not $a", "$a", "a"),
    ("a if(not b)else a", "not $a", "$a", "a if(b)else a"),
    ("-(a + b) ** 2", "$a ** $b", "$b ** $a", "-(2) ** (a + b)"),
    ("(a +\n  b) - 1", "$a - 1", "$a", "(a +\n  b)"),
    ("f(*a, b)", "$a($args, $b)", "$a($b, $args)", "f(b, *a)"),
    # what a repeated metavariable stands for has to be the same
    ("a == a", "$a == $a", "$a", "a"),
    ("a == b", "$a == $a", "$a", None),
    ("a[1:]", "$a[$b]", "$a", None),  # a slice is no value
    ("f(1)", "f(True)", "f(False)", None),  # 1 is not True
    ("a.size", "$a.$attr1", "$a", "a"),
    ("f'{a}' + b", "$a + $b", "$b + $a", "b + f'{a}'"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "correct", "defective", "expected"), EXPRESSIONS)
def test_an_expression_changes_and_nothing_around_it_does(
    code: str, correct: str, defective: str, expected: str | None
) -> None:
    head, tail = "def go(a, b, f):\n    # kept\n    return ", "  # kept too\n"
    found = changed(f"{head}{code}{tail}", correct, defective)
    assert found == ([] if expected is None else [f"{head}{expected}{tail}"])


def test_a_word_stays_a_word_of_its_own() -> None:
    """`return` and what follows it were kept apart by a sign alone."""
    assert changed("def go(a):\n    return-a\n", "-$a", "$a") == [
        "def go(a):\n    return a\n"
    ]


GUARD = "if $a is None:\n    return $b"
STATEMENTS = [
    # deleted with its lines, comments of others stay
    ("    # why\n    if a is None:\n        return 1  # so\n    return a\n", GUARD, "",
     "    # why\n    return a\n"),
    ("    if a:\n        if a is None:\n            return 1\n    return a\n", GUARD, "",
     "    if a:\n        pass\n    return a\n"),
    # only the condition
    ("    if a  is  not None:\n\n        # x\n        f(a)\n",
     "if $a is not None:\n    $body1", "if $a:\n    $body1",
     "    if a:\n\n        # x\n        f(a)\n"),
    # a block comes out of its wrapper, comments in between come with it
    ("    if a:\n        f(a)\n\n        # x\n        f(b)\n    return b\n",
     "if $a:\n    $body1", "$body1",
     "    f(a)\n\n    # x\n    f(b)\n    return b\n"),
    # a block goes away, another stays
    ("    if a:\n        f(a)\n    else:\n        f(b)\n",
     "if $a:\n    $body1\nelse:\n    $body2", "if $a:\n    $body1",
     "    if a:\n        f(a)\n"),
    ("    if a:\n        f(a)\n    elif b:\n        f(b)\n",
     "if $a:\n    $body1\nelse:\n    $body2", "$body1", "    f(a)\n"),
    ("    try:\n        f(a)  # x\n    except (KeyError, OSError):\n        f(b)\n",
     "try:\n    $body1\nexcept ($a, $b):\n    $body2",
     "try:\n    $body1\nexcept $a:\n    $body2",
     "    try:\n        f(a)  # x\n    except KeyError:\n        f(b)\n"),
    # two neighbours
    ("    a = 1; b = 2; f(a)\n", "$a = 1\n$b = 2", "", None),
    ("    a = 1\n    b = 2\n    return a\n", "$a = 1\n$b = 2", "$b = 2\n$a = 1",
     "    b = 2\n    a = 1\n    return a\n"),
    # a text of several lines would move
    ('    if a:\n        f("""\n        x""")\n', "if $a:\n    $body1", "$body1", None),
    # an elif is no statement of its own
    ("    if b:\n        f(b)\n    elif a is None:\n        return 1\n", GUARD, "", None),
    # a run of arguments, empty ones too
    ("    return f()\n", "return $name1($args)", "$name1($args)", "    f()\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "correct", "defective", "expected"), STATEMENTS)
def test_statements_change_and_nothing_around_them_does(
    code: str, correct: str, defective: str, expected: str | None
) -> None:
    head, tail = "def go(a, b, f):\n    b = 0\n", "\n\ndef other():\n    pass\n"
    found = changed(f"{head}{code}{tail}", correct, defective, "statements")
    wanted = [] if expected is None else [f"{head}{expected}{tail}"]
    assert found == wanted


def test_line_ends_and_tabs_stay() -> None:
    code = b"def go(a, f):\r\n\tif a:\r\n\t\tf(a)\r\n\t\tf(2)\r\n\treturn a\r\n"
    expected = (
        "def go(a, f):\r\n\tif not a:\r\n\t\tf(a)\r\n\t\tf(2)\r\n"
        "\telse:\r\n\t\ta = 1\r\n\treturn a\r\n"
    )
    defective = "if not $a:\n    $body1\nelse:\n    $a = 1"
    assert changed(code, "if $a:\n    $body1", defective, "statements") == [expected]
