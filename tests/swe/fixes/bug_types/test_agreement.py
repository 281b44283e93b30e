"""Confusion tables, accuracy and kappa."""

from itertools import repeat

import pytest

from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.agreement import confusion


def test_equal_labels_agree_fully() -> None:
    table = confusion([("logic", "logic"), ("data", "data")])
    assert (table.accuracy, table.kappa) == (1.0, 1.0)


def test_kappa_takes_chance_out() -> None:
    # the textbook case: 20 and 15 equal of 50, margins 25/25 and 30/20
    pairs: list[tuple[BugType, BugType]] = [
        *repeat(("logic", "logic"), 20),
        *repeat(("logic", "data"), 5),
        *repeat(("data", "logic"), 10),
        *repeat(("data", "data"), 15),
    ]
    table = confusion(pairs)
    assert table.accuracy == pytest.approx(0.7)
    assert table.kappa == pytest.approx(0.4)


def test_labels_that_never_agree_have_a_negative_kappa() -> None:
    assert confusion([("logic", "data"), ("data", "logic")]).kappa == -1.0


def test_no_labels_are_no_agreement() -> None:
    table = confusion([])
    assert (table.total, table.accuracy, table.kappa) == (0, 0.0, 0.0)


def test_one_label_only_says_nothing_beyond_chance() -> None:
    assert confusion([("logic", "logic")] * 3).kappa == 0.0


def test_the_table_names_used_labels_in_order_and_adds_up() -> None:
    table = confusion([("data", "logic"), ("logic", "logic"), ("logic", "logic")])
    assert table.markdown().splitlines() == [
        "| | logic | data | all |",
        "|---|---:|---:|---:|",
        "| logic | 2 |  | 2 |",
        "| data | 1 |  | 1 |",
        "| all | 3 | 0 | 3 |",
        "",
        "Equal: 66.7% of 3; kappa 0.00.",
    ]
