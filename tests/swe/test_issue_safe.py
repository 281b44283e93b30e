"""Output of code under test is hostile: nothing of it may act on who reads the issue."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.swe.issue.safe import (
    MAX_LINE_CHARACTERS,
    MAX_LINES,
    MAX_SPAN_CHARACTERS,
    clean,
    fenced,
    span,
)

NASTY = st.text(
    alphabet=st.sampled_from(
        [*"ab`~#<>!&*_[]()|/\\\n\r\t \x00\x07\x1b\x9b\x9d\x7f\u200b\u202e\u2028\ud800"]
    ),
    max_size=300,
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\x00b\x08c", "a?b?c"),
        ("a\u202eb\u200bc\u2066d", "a?b?c?d"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a\u2028b\ud800c", "a?b?c"),
        ("<object at 0x7f12ab34cd>", "<object at 0x...>"),
        ("(<toolz.test...fec866162d0>)", "(<toolz.test...>)"),
        ("/workspace/pkg/a.py:3", "pkg/a.py:3"),
        ("/opt/site/pytest/x.py", "pytest/x.py"),
        ("open('/tmp/pytest-of-root/f0/x.json')", "open('.../x.json')"),
        ("/root/.cache/thing and /home/ann/secret", ".../thing and .../secret"),
        ("/usr/lib/python3.11/json/decoder.py", ".../decoder.py"),
        ("a/b and /etc/hosts stay", "a/b and /etc/hosts stay"),
        ("tab\there", "tab here"),
    ],
)
def test_what_terminals_and_sandboxes_leave_is_taken_out(raw: str, shown: str) -> None:
    """Colours, titles, links, controls, invisible signs, paths of the sandbox."""
    assert clean(raw) == shown


@settings(deadline=None)
@given(NASTY)
def test_cleaned_text_holds_no_hidden_sign(raw: str) -> None:
    """Whatever comes in."""
    assert all(
        sign == "\n" or unicodedata.category(sign)[0] != "C" for sign in clean(raw)
    )


@settings(deadline=None)
@given(NASTY)
def test_a_fence_is_closed_by_us_alone(raw: str) -> None:
    """No line inside is a fence as long as ours, so nothing inside is Markdown."""
    first, *inside, last = fenced(raw).split("\n")
    assert re.fullmatch(r"`{3,}", first)
    assert last == first
    for line in inside:
        run = re.match(r"\s*(`*)", line)
        assert run is not None
        assert len(run.group(1)) < len(first)


@settings(deadline=None)
@given(NASTY)
def test_a_span_stays_one_span(raw: str) -> None:
    """No run of ticks inside is as long as ours, and it has no line end."""
    shown = span(raw)
    ticks = re.match(r"`+", shown)
    assert ticks is not None
    body = shown[ticks.end() : -ticks.end()]
    assert "\n" not in shown
    assert shown.endswith(ticks.group())
    assert all(len(run) != ticks.end() for run in re.findall(r"`+", body))


def test_huge_output_is_cut_and_says_so() -> None:
    """A million lines, and lines of a million characters."""
    shown = fenced("x" * 10**6 + "\n" + "y\n" * 10**5)
    lines = shown.split("\n")
    assert len(lines) == MAX_LINES + 3
    assert lines[-2].startswith("... (")
    assert max(map(len, lines)) <= MAX_LINE_CHARACTERS + 3
    assert len(span("z" * 10**6)) <= MAX_SPAN_CHARACTERS + 5
