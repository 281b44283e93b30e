"""From a failing test to something a user could type: exact, or nothing."""

import pytest

from envplatform.swe.issue.examples import Example, example_of
from envplatform.swe.issue.facts import FailingTest
from envplatform.swe.issue.report import read_failure, split_report
from envplatform.swe.issue.snippets import broken, session

FILE = """\
import json
import unittest
import pytest
import spans
from spans import Span, inside as within
from tests.helpers import secret_helper

ENDS = [(1, True), (9, "no")]
SE = pytest.raises(ValueError)


def double(value):
    return 2 * value


@pytest.mark.parametrize("end, expected", ENDS)
def test_ends(end, expected):
    assert within(end, 1, 3) == expected


@pytest.mark.parametrize("kind", [Span, dict])
@pytest.mark.parametrize("low", [-1, "a b"])
def test_stacked(kind, low):
    assert expected_of(low) == kind(low)


def test_slice():
    span = Span(1, double(3))
    unrelated = json.dumps({})
    span.low = 2
    result = span.size()
    assert result == 4


def test_error():
    span = Span(1, 3)
    assert span.size() == 2


def test_raises():
    with pytest.raises(ValueError):
        Span(3, 1)


def test_other_error():
    with SE:
        Span(3, 1)


def test_truth(numbers):
    assert not within(numbers[0], 1, 3)


def test_condition():
    assert 3 in Span(1, 3)


def test_loop():
    for n in range(3):
        assert within(n, 0, 3)


def test_helper():
    assert secret_helper(within) == 1


def test_reversed():
    assert 4 == spans.size_of(1, 3)


def test_twice():
    assert within(1, 1, 1)
    assert within(1, 1, 1)


class TestCase(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(spans.size_of(1, 3), 3)

    def test_in(self):
        self.assertIn(3, Span(1, 3))

    def test_true(self):
        self.assertTrue(within(3, 1, 3))
"""


SLICE = """\
>>> from spans import Span
>>> def double(value):
...     return 2 * value
...
>>> span = Span(1, double(3))
>>> span.low = 2
>>> span.size()"""


def example(name: str, report: str) -> Example | None:
    """Make the example of one test of `FILE`."""
    test = FailingTest(test_id=f"tests/test_a.py::{name}", source=FILE, report=report)
    return example_of(test, frozenset({"spans"}))


def shown(name: str, report: str) -> tuple[str, str, str, str]:
    """Return session, expected, actual and subject of an example that must be there."""
    found = example(name, report)
    assert found is not None
    lines = session((*found.given, *found.steps, found.expression), "")
    return lines, found.expected, found.actual, found.subject


def test_parameters_are_written_out() -> None:
    """Values come from the decorator's row that the id names."""
    report = "    assert within(end, 1, 3) == expected\nE   AssertionError: assert 'x' == 'no'"
    assert shown("test_ends[9-no]", report) == (
        ">>> from spans import inside as within\n>>> within(9, 1, 3)",
        "'no'",
        "'x'",
        "spans.inside",
    )


@pytest.mark.parametrize(
    ("parameters", "call"),
    [("-1-Span", "Span(-1)"), ("a b-dict", "dict('a b')")],
)
def test_stacked_parameters_and_classes(parameters: str, call: str) -> None:
    """The decorator nearest to the function comes first in the id."""
    report = "    assert expected_of(low) == kind(low)\nE   assert 1 == 2"
    assert example(f"test_stacked[{parameters}]", report) is None  # expected_of
    raised = (
        "    assert expected_of(low) == kind(low)\n"
        "                               ^^^^^^^^^\nE   TypeError: no"
    )
    found = example(f"test_stacked[{parameters}]", raised)
    assert found is not None
    assert found.expression == call


def test_only_what_the_check_needs_is_kept() -> None:
    """Statements, local helpers, attributes set; the last step is written in."""
    report = "    assert result == 4\nE   assert 5 == 4"
    assert shown("test_slice", report) == (
        SLICE,
        "4",
        "5",
        "Span.size",
    )


def test_an_exception_instead_of_a_value() -> None:
    """Python underlines what raised it; the message is the actual result."""
    report = (
        "    assert span.size() == 2\n           ^^^^^^^^^^^\n"
        "E   spans.SpanError: too far: 3"
    )
    found = example("test_error", report)
    assert found is not None
    assert (found.kind, found.expression) == ("error", "Span(1, 3).size()")
    assert (found.expected, found.actual) == ("", "SpanError: too far: 3")


def test_of_chained_exceptions_the_last_counts() -> None:
    """The first one was handled."""
    report = "    x\nE   KeyError: 1\n    assert span.size() == 2\nE   assert 1 == 2"
    found = example("test_error", report)
    assert found is not None
    assert (found.kind, found.actual) == ("value", "1")


@pytest.mark.parametrize(
    "said",
    ["Failed: DID NOT RAISE <class 'ValueError'>", "Failed: DID NOT RAISE ValueError"],
)
def test_a_missing_exception(said: str) -> None:
    """The call is the block's, the exception the one it waits for."""
    found = example("test_raises", f"    with pytest.raises(ValueError):\nE   {said}")
    assert found is not None
    assert (found.kind, found.expected) == ("raises", "ValueError")
    assert found.expression == "Span(3, 1)"


def test_another_exception_than_the_one_waited_for() -> None:
    """Also where the block has a name in the file."""
    found = example("test_other_error", "    Span(3, 1)\nE   KeyError: 3")
    assert found is not None
    assert (found.kind, found.expected) == ("error", "ValueError")
    assert found.actual == "KeyError: 3"


def test_a_fixture_is_named_and_not_made_up() -> None:
    """Its value is the test suite's secret."""
    found = example(
        "test_truth", "    assert not within(numbers[0], 1, 3)\nE   assert not True"
    )
    assert found is not None
    assert found.fixtures == ("numbers",)
    assert (found.kind, found.expected, found.actual) == ("value", "False", "True")


def test_other_comparisons_are_conditions() -> None:
    """Membership has no value that is wrong."""
    found = example(
        "test_condition", "    assert 3 in Span(1, 3)\nE   assert 3 in Span(1, 3)"
    )
    assert found is not None
    assert (found.kind, found.expression) == ("condition", "3 in Span(1, 3)")


def test_the_constant_side_is_what_is_expected() -> None:
    """Whichever side it stands on."""
    report = "    assert 4 == spans.size_of(1, 3)\nE   assert 4 == 2"
    assert shown("test_reversed", report)[1:] == ("4", "2", "spans.size_of")


@pytest.mark.parametrize(
    ("name", "code", "error", "expected"),
    [
        (
            "test_equal",
            "self.assertEqual(spans.size_of(1, 3), 3)",
            "AssertionError: 2 != 3",
            ("value", "spans.size_of(1, 3)", "3", "2"),
        ),
        (
            "test_in",
            "self.assertIn(3, Span(1, 3))",
            "AssertionError: 3 not found in x",
            ("condition", "3 in Span(1, 3)", "", "False"),
        ),
        (
            "test_true",
            "self.assertTrue(within(3, 1, 3))",
            "AssertionError: None is not true",
            ("truth", "within(3, 1, 3)", "True", ""),
        ),
    ],
)
def test_unittest_methods_are_understood(
    name: str, code: str, error: str, expected: tuple[str, ...]
) -> None:
    """The commonest ones."""
    found = example(f"TestCase::{name}", f"    {code}\nE   {error}")
    assert found is not None
    assert (found.kind, found.expression, found.expected, found.actual) == expected


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("test_loop", "    assert within(n, 0, 3)\nE   assert False"),
        ("test_helper", "    assert secret_helper(within) == 1\nE   assert 2 == 1"),
        ("test_twice", "    assert within(1, 1, 1)\nE   assert False"),
        ("test_absent", "    assert 1 == 2\nE   assert 1 == 2"),
        ("test_error", ""),
        ("test_error", "E   assert 1 == 2"),
        ("test_error", "    assert something_else()\nE   assert False"),
    ],
)
def test_what_can_t_stand_alone_gives_no_example(name: str, report: str) -> None:
    """Loops, helpers of the suite, lines that stand there twice, no report."""
    assert example(name, report) is None


@pytest.mark.parametrize("source", ["def f(:\n", "", "\0", "x = " + "(" * 500])
def test_a_test_file_that_can_t_be_read_gives_no_example(source: str) -> None:
    """Never an exception: the issue does with less."""
    test = FailingTest(test_id="t.py::f", source=source, report="    f()\nE   X: 1")
    assert example_of(test, frozenset()) is None


def test_a_report_is_split_by_whole_lines_that_are_ids() -> None:
    """Output that looks like another id opens no part of its own."""
    report = "t.py::a\n    x\nE   y\n\nt.py::b\nt.py::c\n t.py::a\nt.py::a\n"
    assert split_report(report, ["t.py::a", "t.py::b"]) == {
        "t.py::a": "    x\nE   y",
        "t.py::b": "t.py::c\n t.py::a\nt.py::a",
    }


def test_a_value_that_pytest_cut_is_unknown() -> None:
    """Its difference is shown instead, without the calls pytest lists."""
    report = (
        "    assert span.size() == 2\nE   assert [1, 2...9, 10] == 2\nE\n"
        "E     - 2\nE     + [1,\nE    +  where [1] = f()"
    )
    found = example("test_error", report)
    assert found is not None
    assert (found.actual, found.details) == ("", "- 2\n+ [1,")


def test_colours_in_a_report_do_not_hide_it() -> None:
    """The report is cleaned before it is read."""
    failure = read_failure(
        "    \x1b[1massert x\x1b[0m\n\x1b[31mE   assert False\x1b[0m"
    )
    assert failure.lines == ("assert x",)
    assert failure.errors == ("assert False",)


def test_long_calls_are_broken_after_commas_in_brackets() -> None:
    """Prompts between the pieces keep quotations of the test short."""
    code = "f([" + ", ".join(f"({n}, 'a,b')" for n in range(12)) + "])"
    lines = broken(code).split("\n")
    assert len(lines) > 2
    assert all(line.rstrip().endswith((",", "])")) for line in lines)
    assert compile("\n".join(lines), "x", "eval").co_consts == (
        compile(code, "x", "eval").co_consts
    )
    assert broken("f(1)") == "f(1)"
    assert broken("f('''") == "f('''"
