"""What an issue writer may see: capped, and without what differs between runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.p2f.report import clean_report, failure_report, reason_of


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("<A object at 0x7f3a2b1c4d5e>", "<A object at 0x...>"),
        ("/tmp/pytest-of-x/pytest-0/a.json", "/tmp/..."),  # noqa: S108  text
        ("/workspace/calc.py:3", "calc.py:3"),
        ("/opt/site/_pytest/x.py", "_pytest/x.py"),
        ("'/opt/python/lib/python3.11/operator.py'", "'operator.py'"),
        ("'/usr/lib/python3.11/operator.py'", "'operator.py'"),
        ("a\x1b[31mred\x00", "a?[31mred?"),
        ("tail   \n\n", "tail"),
        ("x" * 500, "x" * 400),
        ("é \u00fc", "é \u00fc"),
    ],
)
def test_cleaning(dirty: str, clean: str) -> None:
    """One row a kind of dirt."""
    assert clean_report(dirty) == clean


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    """And leaves nothing that can't be shown or stored."""
    once = clean_report(text)
    assert clean_report(once) == once
    assert once.encode().decode() == once
    assert all(char in "\n\t" or char.isprintable() or ord(char) > 127 for char in once)


def test_tests_that_do_not_fit_are_counted() -> None:
    """The report is capped, and says so."""
    tests = [f"t{n}" for n in range(10)]
    report = failure_report(tests, dict.fromkeys(tests, "x" * 100), max_chars=330)
    assert report.count("x" * 100) == 3
    assert report.endswith("... and 7 more failing tests\n")


def test_one_huge_failure_is_cut() -> None:
    """The first is always shown, as far as it goes."""
    report = failure_report(["t"], {"t": "y\n" * 10_000}, max_chars=100)
    assert report.startswith("t\ny\n")
    assert len(report) <= 100


def test_no_tests_no_report() -> None:
    """Empty."""
    assert failure_report([], {}, max_chars=100) == ""


def test_the_reason_is_pytest_s_error_line() -> None:
    """Not the source line above, nor the explanation below."""
    report = "    assert add(1) == 2\nE   assert 1 == 2\nE    +  where 1 = add(1)"
    assert reason_of(report) == "assert 1 == 2"
    assert reason_of("Traceback\nValueError: x") == "ValueError: x"
    assert reason_of("") == ""
