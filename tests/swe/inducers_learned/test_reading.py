"""From answers to applied diffs: every rung of help, and what is beyond help."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.llm.chat import FinishReason
from envplatform.swe.inducers.learned.fault import Fault
from envplatform.swe.inducers.learned.reading import MAX_CHARACTERS, read_diff
from envplatform.swe.inducers.learned.repair import RUNGS, Repaired, repair
from tests.swe.inducers_learned.made_samplers import CODE, EXCLUSIVE, ONE, PATH

WANTED = CODE.replace(b"value <= high", b"value < high")
BODY = EXCLUSIVE.split("\n", 2)[2]
HUNK = BODY.split("\n", 1)[1]


def applied(
    text: str, *, finish: FinishReason = "stop", code: bytes = CODE
) -> Repaired | Fault:
    diff = read_diff(text, finish, PATH)
    return diff if isinstance(diff, Fault) else repair(diff, PATH, code)


def numbered(text: str) -> str:
    """Copy line numbers into a diff, as models do that were shown them."""
    lines = [
        f"{line[0]}{at}|{line[1:]}" if line[:1] in {" ", "-", "+"} else line
        for at, line in enumerate(text.rstrip("\n").split("\n"))
    ]
    return "\n".join(lines) + "\n"


HELPED = {
    "raw": EXCLUSIVE,
    "extracted": f"Here you are:\n```diff\n{EXCLUSIVE}```\nDone.",
    "unnumbered": "\n".join(EXCLUSIVE.split("\n")[:3]) + "\n" + numbered(HUNK),
    "recounted": EXCLUSIVE.replace("@@ -6,7 +6,7 @@", "@@ -6,9 +6,4 @@"),
    "relocated": EXCLUSIVE.replace("@@ -6,7 +6,7 @@", "@@ -60,7 +60,7 @@"),
    "renamed": EXCLUSIVE.replace(PATH, "other.py"),
    "context_dropped": EXCLUSIVE.replace("# both ends count", "# it was another"),
}


@pytest.mark.parametrize("rung", HELPED)
def test_each_kind_of_slip_has_its_rung(rung: str) -> None:
    found = applied(HELPED[rung])
    assert found == Repaired(data=WANTED, rung=rung)  # type: ignore[arg-type]


def test_a_diff_for_lines_that_end_otherwise_takes_the_file_s_own() -> None:
    code = CODE.replace(b"\n", b"\r\n")
    found = applied(EXCLUSIVE, code=code)
    assert found == Repaired(data=WANTED.replace(b"\n", b"\r\n"), rung="line_endings")


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        f"--- {PATH}\n+++ {PATH}\n{BODY}",
        f"--- a/core.py\n+++ b/core.py\n{BODY}",
        f"diff --git a/{PATH} b/{PATH}\nindex 12..34 100644\n{EXCLUSIVE}",
        f"<think>\nWhich line?\n</think>\n\n{EXCLUSIVE}",
        f"I change one sign.\n{EXCLUSIVE}\nThis alters the end.",
        f"```\n{BODY}```",
        EXCLUSIVE.replace("\n", "\r\n"),
    ],
)
def test_a_diff_is_found_in_what_stands_around_it(text: str) -> None:
    found = applied(text)
    assert isinstance(found, Repaired), found
    assert found.data == WANTED
    assert RUNGS.index(found.rung) <= RUNGS.index("recounted")


def test_a_hunk_without_numbers_goes_where_its_lines_stand() -> None:
    found = applied(EXCLUSIVE.replace("@@ -6,7 +6,7 @@", "@@ ... @@"))
    assert found == Repaired(data=WANTED, rung="relocated")


def test_lines_that_are_only_added_need_the_line_before_them() -> None:
    text = f"@@ -1 +1 @@\n def nowhere():\n     result = 0\n+    result = 2\n{'':1}x\n"
    found = applied(text)
    assert isinstance(found, Repaired)
    assert b"result = 0\n    result = 2\n    for" in found.data
    assert found.rung == "context_dropped"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "no_answer"),
        ("\n\n", "no_answer"),
        ("The bug is on line 9.", "no_diff"),
        ("def inside(value, low, high=inf):\n    return True\n", "no_diff"),
        ("nan", "no_diff"),
        ("+" * 50_000, "no_diff"),
        ("x" * (MAX_CHARACTERS + 1), "too_long"),
        (f"{EXCLUSIVE}<|im_end|>\n<|im_start|>user", "template_marks"),
        (f"```diff\n{EXCLUSIVE}```\nor\n```diff\n{ONE}```", "several_diffs"),
        (f"--- a/one.py\n+++ b/other.py\n{BODY}", "other_file"),
        (
            f"--- a/../x.py\n+++ b/../x.py\n{ONE.replace('result = 0', 'x = 0')}",
            "other_file",
        ),
        (f"--- /dev/null\n+++ b/{PATH}\n{BODY}", "other_file"),
        (EXCLUSIVE + EXCLUSIVE.replace(PATH, "other.py"), "other_file"),
        (EXCLUSIVE.replace("value <= high", "value is high"), "does_not_apply"),
        ("@@ -9 +9 @@\n+import os\n", "unparsable"),
        ("@@\n", "unparsable"),
        ("@@ -1,3 +1,3 @@\n\n", "unparsable"),
        ("@@ -99999999999999999999 +1 @@\n-a\n+b\n", "unparsable"),
    ],
)
def test_the_rest_is_refused_by_name(text: str, name: str) -> None:
    found = applied(text)
    assert isinstance(found, Fault)
    assert found.name == name


def test_an_answer_that_was_cut_off_is_not_half_applied() -> None:
    found = applied(EXCLUSIVE[:-20], finish="length")
    assert found == Fault("cut_off")


def test_what_fits_twice_is_ambiguous() -> None:
    code = b"def one():\n    return 1\n\n\ndef two():\n    return 1\n"
    text = "@@ -40 +40 @@\n-    return 1\n+    return 2\n"
    assert applied(text, code=code) == Fault("ambiguous")


@given(
    st.lists(
        st.sampled_from([*EXCLUSIVE.splitlines(), *ONE.splitlines(), "@@", "```", ""]),
        max_size=20,
    )
)
def test_no_heap_of_lines_does_more_than_change_the_one_file(lines: list[str]) -> None:
    found = applied("\n".join(lines))
    assert isinstance(found, Repaired | Fault)


@given(st.text(max_size=300))
def test_no_text_at_all_makes_it_fail(text: str) -> None:
    assert isinstance(applied(f"@@ -1 +1 @@\n{text}"), Repaired | Fault)
