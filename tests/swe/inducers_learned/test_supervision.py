"""Training rows: the question that will be asked, and the answer that was right."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from envplatform.patches import apply_patch, diff_trees
from envplatform.swe.fixes.patterns.by_rules import told_by_rules
from envplatform.swe.fixes.patterns.text import read_pattern
from envplatform.swe.fixes.reverse_patch import CodeFile, TrainingRow
from envplatform.swe.inducers.learned.fault import Fault
from envplatform.swe.inducers.learned.prompts import bug_question
from envplatform.swe.inducers.learned.reading import read_diff
from envplatform.swe.inducers.learned.repair import repair
from envplatform.swe.inducers.learned.shown import show, text_lines
from envplatform.swe.inducers.learned.supervision import Supervision
from envplatform.tree import File
from tests.swe.fixes.patterns.made_training import CORRECT, training_row


def test_the_right_answer_is_the_reverse_patch_and_applies_as_it_is() -> None:
    (row,) = Supervision(limit=10_000).of_bugs([training_row()])
    assert (row.row_id, row.repository, row.split) == (
        "made__spans-1",
        "made__spans",
        "train",
    )
    assert row.completion.startswith("--- a/spans.py\n+++ b/spans.py\n@@ ")
    assert f"10|{CORRECT.splitlines()[9]}" in row.prompt
    diff = read_diff(row.completion, "stop", "spans.py")
    assert not isinstance(diff, Fault)
    repaired = repair(diff, "spans.py", CORRECT.encode())
    assert not isinstance(repaired, Fault)
    assert repaired.rung == "raw"
    assert repaired.data == CORRECT.replace("return low\n", "return high\n").encode()


def test_what_is_asked_in_training_is_asked_in_sampling() -> None:
    (row,) = Supervision(limit=10_000).of_bugs([training_row()])
    every = range(1, len(CORRECT.splitlines()) + 1)
    asked = bug_question([show("spans.py", CORRECT.encode(), every, 10_000, 0.0)])
    assert (row.system, row.prompt) == (asked.system, asked.prompt)


def test_the_pattern_model_s_answer_is_the_pattern_of_the_same_fix() -> None:
    row = training_row()
    supervision = Supervision(limit=10_000)
    patterns = {row.instance_id: told_by_rules(row)}
    other = training_row(number=2)
    (one,) = supervision.of_patterns([row, other], patterns)
    assert read_pattern(one.completion) == patterns[row.instance_id]
    assert supervision.unused == {"no_pattern": 1}


def test_of_a_long_file_the_change_is_seen_and_not_always_in_the_middle() -> None:
    before = [f"def f{n}():\n    return {n}\n" for n in range(500)]
    long = "\n".join([*before, CORRECT, *before])
    places = set()
    for number in range(12):
        row = training_row(correct=long, number=number)
        (one,) = Supervision(limit=2_000).of_bugs([row])
        assert "return min(value, high)" in one.prompt
        assert len(one.prompt) < 2_400
        numbers = [line.split("|")[0] for line in one.prompt.splitlines()]
        places.add(numbers[1])
    assert len(places) > 6


def test_rows_that_can_t_be_shown_are_counted_and_never_cut() -> None:
    deleted = replace(
        training_row(),
        bug_patch=diff_trees({"spans.py": File(CORRECT.encode())}, {}),
    )
    unsplit = "x = 1\n" * 400
    wide = training_row(unsplit, "x = 2\n" * 400, correct=unsplit)
    odd = replace(
        training_row(), code=(CodeFile(path="spans.py", fixed=f"{CORRECT}# \udcff"),)
    )
    supervision = Supervision(limit=1_000)
    found = list(supervision.of_bugs([deleted, wide, odd, training_row()]))
    assert [row.row_id for row in found] == ["made__spans-1"]
    assert supervision.unused == {
        "creates_or_deletes": 1,
        "over_shown": 1,
        "not_utf8": 1,
    }


def test_all_files_of_a_fix_are_shown_and_answered() -> None:
    one, other = training_row(), training_row()
    second = diff_trees(
        {"words.py": File(CORRECT.encode())},
        {"words.py": File(CORRECT.replace("return low\n", "return 0\n").encode())},
    )
    row: TrainingRow = replace(
        one,
        code=(*one.code, CodeFile(path="words.py", fixed=CORRECT)),
        bug_patch=other.bug_patch + second,
    )
    (made,) = Supervision(limit=10_000).of_bugs([row])
    assert made.prompt.count("<<<") == 2
    tree = {path: File(CORRECT.encode()) for path in ("spans.py", "words.py")}
    assert b"return 0" in apply_patch(tree, made.completion)["words.py"].data


@given(
    st.lists(st.text(max_size=60).filter(lambda t: "\n" not in t), max_size=40),
    st.integers(-3, 60),
    st.integers(0, 20),
    st.integers(0, 500),
    st.floats(0, 1),
)
def test_a_window_is_whole_lines_within_its_limit(
    lines: list[str], start: int, size: int, limit: int, share: float
) -> None:
    data = "\n".join(lines).encode("utf-8", "replace")
    shown = show("a.py", data, range(start, start + size), limit, share)
    count = len(text_lines(data))
    assert 1 <= shown.lines.start < shown.lines.stop <= count + 1
    whole = text_lines(data)
    assert shown.text == "\n".join(f"{at}|{whole[at - 1]}" for at in shown.lines)
    assert len(shown.lines) == 1 or len(shown.text) <= limit + 1
