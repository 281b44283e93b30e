"""Words by rules: what they say of real edits, and that nothing makes them fail."""

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.fixes.bug_type import BUG_TYPES
from envplatform.swe.fixes.patterns.by_rules import told_by_rules
from envplatform.swe.fixes.patterns.text import (
    MAX_FIELD,
    read_pattern,
    telling_word,
    written,
)
from tests.swe.fixes.patterns.made_training import training_row


def test_a_replaced_value_is_told_with_place_before_and_after() -> None:
    text = told_by_rules(training_row())
    assert "`spans.py`" in text.target_location
    assert "function `clamp`" in text.target_location
    assert "line 10" in text.target_location
    assert "`low`" in text.current_behaviour
    assert "`low` by `high`" in text.exact_modification


def test_code_that_falls_away_is_removed_not_added() -> None:
    text = told_by_rules(
        training_row("        if not words:\n            return None\n", "")
    )
    assert "method `last`" in text.target_location
    assert text.exact_modification.startswith("Remove the statement `if not words")
    assert "Add" not in text.exact_modification


def test_a_guard_that_is_taken_away_leaves_what_it_guarded() -> None:
    text = told_by_rules(
        training_row(
            "    if value < low:\n        return low\n    return min",
            "    return low\n    return min",
        )
    )
    assert "out of `if value < low" in text.exact_modification


@pytest.mark.parametrize("bug_type", sorted(BUG_TYPES))
def test_no_type_of_bug_makes_them_say_that_it_is_one(bug_type: str) -> None:
    row = replace(training_row(), bug_type=bug_type)  # type: ignore[arg-type]
    text = told_by_rules(row)
    assert telling_word(text) == ""
    assert read_pattern(written(text)) == text


@pytest.mark.parametrize(
    "patch", ["", "no diff at all", "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"]
)
def test_a_patch_that_does_not_fit_is_told_by_its_lines_or_not_at_all(
    patch: str,
) -> None:
    text = told_by_rules(replace(training_row(), bug_patch=patch))
    assert all(astuple(text))


@given(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\n\r'\\\x00"), max_size=400
    )
)
def test_whatever_a_literal_holds_the_words_can_be_read_again(literal: str) -> None:
    correct = f"def name():\n    return '{literal}'\n"
    row = training_row(f"'{literal}'", "'another'", correct=correct)
    text = told_by_rules(row)
    assert read_pattern(written(text)) == text
    assert max(len(field) for field in astuple(text)) <= MAX_FIELD
