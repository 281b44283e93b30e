"""Libraries as text: what a person may write, and that nothing is lost in print."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.errors import ConfigError
from envplatform.swe.fixes.bug_type import BUG_TYPES
from envplatform.swe.inducers.mined import BugPattern, MinedInducer, library_of
from envplatform.swe.inducers.mined.library_file import (
    default_library,
    parse_library,
    print_library,
)
from envplatform.swe.inducers.mined.template import (
    TemplateError,
    print_side,
    read_template,
)
from tests.swe.inducers_mined.samples import file_of, pattern_of

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
ATOMS = st.sampled_from(
    ["$a", "$b", "$name1", "$num1", "$str1", "x", "None", "0", "'$z'", "'\\n\"'", "b''"]
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "and", "<", "not in"]), inner).map(
            lambda parts: "({} {} {})".format(*parts)
        ),
        inner.map("$f({}, $args, key=1, **$kwargs)".format),
        inner.map("({}).$attr1[1:]".format),
        inner.map("(not {})".format),
        inner.map("[$c for $name2 in {}]".format),
    ),
    max_leaves=5,
)
BLOCKS = EXPRESSIONS.map("if {}:\n    $body1\nelse:\n    pass".format)


@st.composite
def patterns(draw: st.DrawFn) -> BugPattern:
    """Any pattern whose sides are in the form that printing gives them."""
    expression = draw(st.booleans())
    level = "expression" if expression else "statements"
    correct = draw(EXPRESSIONS if expression else BLOCKS)
    wrapped = f"g({correct})" if expression else correct
    template = read_template(
        "expression" if expression else "statements",
        wrapped,
        "g()" if expression else draw(st.sampled_from(["", "$body1", "return 'x'"])),
    )
    return BugPattern(
        pattern_id=draw(
            st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}", fullmatch=True)
        ),
        level=template.level,
        correct=print_side(template.correct),
        defective=print_side(template.defective),
        bug_type=draw(st.sampled_from(sorted(BUG_TYPES))),
        support=draw(st.integers(0, 2**40)),
        repositories=draw(st.integers(0, 100)),
        fix_ids=tuple(draw(st.lists(TEXTS, max_size=3))),
        licences=tuple(draw(st.lists(TEXTS, max_size=2))),
        example_correct=draw(TEXTS),
        example_defective=draw(TEXTS),
        note=draw(TEXTS) if level else "",
        may_break_names=draw(st.booleans()),
    )


@settings(max_examples=25)
@given(st.lists(patterns(), max_size=3))
def test_what_was_printed_reads_as_the_same(found: list[BugPattern]) -> None:
    library = library_of(found)
    assert parse_library(print_library(library), source="here") == library


def test_a_dollar_inside_of_quotes_is_a_dollar() -> None:
    template = read_template("expression", "$a + '$b'", "$a")
    assert print_side(template.correct) == "$a + '$b'"


GOOD = '[[pattern]]\nid = "p"\nlevel = "expression"\ncorrect = "$a < $b"\n'
REFUSED = [
    ("[[pattern]", "not valid TOML"),
    (GOOD + 'defective = "$a"\n', "bug_type"),
    (GOOD + 'defective = "$a"\nbug_type = "logic"\ncolour = 1\n', "colour"),
    (GOOD + 'defective = "$a"\nbug_type = "typo"\n', "bug_type"),
    (GOOD + 'defective = "$a"\nbug_type = "logic"\nsupport = -1\n', "support"),
    (GOOD + 'defective = "$c"\nbug_type = "logic"\n', "$c is not on the correct side"),
    (
        (GOOD + 'defective = "$a"\nbug_type = "logic"\n') * 2,
        "2 patterns are called 'p'",
    ),
    (GOOD.replace('"p"', '"../p"') + 'defective = ""\nbug_type = "logic"\n', "id"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_a_file_that_is_no_library_is_refused_by_name(text: str, why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_library(text, source="mine.toml")
    assert "mine.toml" in str(refused.value)
    assert why in str(refused.value)


NO_PATTERNS = [
    ("expression", "", "$a", "correct: is not one expression"),
    ("expression", "$a", "1", "a metavariable alone"),
    ("expression", "$a < $b", "$a < $b", "the same as correct"),
    ("expression", "$a < 1", "$a <", "is no Python"),
    ("expression", "$a < $", "$a", "$ is no metavariable"),
    ("expression", "$nmae1 < 1", "1", "$nmae1 is no metavariable"),
    ("expression", "__dollar_a < 1", "1", "may not be used"),
    ("expression", "f'{x}' + $a", "$a", "JoinedStr has no place"),
    ("expression", "$a < $other1", "$a", "$other1 belongs on the defective side"),
    ("expression", "$attr1 < 1", "1", "for the name of an attribute"),
    ("expression", "$a.$name1", "$a", "only $attr"),
    ("expression", "$a + $args", "$a", "where no run of them can"),
    ("expression", "$a($args, $args)", "$a()", "two runs in one list"),
    ("expression", "lambda $name1: 1", "1", "where it can't be found"),
    ("expression", "(" * 300 + "1" + ")" * 300, "2", "is no Python"),
    ("expression", "1 + " * 600 + "1", "2", "longer than 2000"),
    ("expression", "1 + " * 60 + "1", "2", "more than 80 nodes"),
    ("expression", "f($a); g($b)", "$a", "not one expression"),
    ("statements", "import os", "", "Import has no place"),
    ("statements", "def f(): pass", "", "FunctionDef has no place"),
    ("statements", "class A: pass", "", "ClassDef has no place"),
    ("statements", "$body1", "", "a metavariable alone"),
    ("statements", "", "pass", "is empty"),
    ("statements", "if $a:\n    $body1\n    $body2", "", "two runs in one list"),
    ("statements", "pass\n" * 5, "", "more than 4 statements"),
    ("statements", "$num1 = 1", "", "can't be assigned to"),
]


@pytest.mark.parametrize(("level", "correct", "defective", "why"), NO_PATTERNS)
def test_what_is_no_pattern_is_refused_with_a_reason(
    level: str, correct: str, defective: str, why: str
) -> None:
    with pytest.raises(TemplateError) as refused:
        read_template(
            "statements" if level == "statements" else "expression", correct, defective
        )
    assert why in str(refused.value)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_a_pattern_or_refused(correct: str, defective: str) -> None:
    try:
        template = read_template("statements", correct, defective)
    except TemplateError:
        return
    print_side(template.correct)


def test_a_row_that_is_no_pattern_is_named_when_the_inducer_is_made() -> None:
    with pytest.raises(TemplateError, match="'p-1'"):
        MinedInducer(library=library_of([pattern_of("$a", "1")]))


def test_of_two_patterns_of_one_name_that_with_more_support_stays() -> None:
    few = pattern_of("$a < 1", "$a", support=1)
    many = pattern_of("$a < 2", "$a", support=2)
    assert library_of([few, many]) == library_of([many, few])
    assert library_of([few, many]).patterns == (many,)


def test_the_library_that_ships_has_thirty_patterns_of_many_types() -> None:
    library = default_library()
    assert len(library.patterns) >= 30
    assert len({pattern.bug_type for pattern in library.patterns}) >= 8
    assert all(pattern.support == 0 for pattern in library.patterns)
    code = "def go(a):\n    if a is None:\n        return 0\n    return a[1:]\n"
    operators = {
        candidate.operator
        for candidate in MinedInducer(library=library).candidates(file_of(code), 9, 0)
    }
    assert operators >= {"boundary-none-guard-lost", "boundary-slice-first-kept"}


def test_a_pattern_reads_as_one_line_where_it_can() -> None:
    assert pattern_of("$a < $b", "$a <= $b").text == "$a < $b  ->  $a <= $b"
    guard = pattern_of("if $a:\n    pass", "", level="statements")
    assert guard.text == "if $a:\n    pass\n  ->\n(nothing)"
