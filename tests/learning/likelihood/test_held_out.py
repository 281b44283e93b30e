"""Likelihood of right answers before and after training, from a real process."""

from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from envplatform.errors import StudentError
from envplatform.learning.likelihood.held_out import held_out, likelihoods
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.training.supervise import train
from tests.learning.made_elsewhere import policy, student
from tests.learning.training.made_orders import ROWS, order


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> ServingOrder:
    """Trained for some steps, at a rate at which it shows."""
    folder = tmp_path_factory.mktemp("trained")
    checkpoint = train(order(folder, steps=12, learning_rate=0.02), folder / "work")
    return ServingOrder(name="tiny", base=student(), checkpoint=checkpoint)


def test_training_makes_right_answers_likelier(trained: ServingOrder) -> None:
    """What can't be read is skipped by name, and costs no other row."""
    rows = (
        replace(ROWS[1], row_id="long", completion="x " * 400),
        *ROWS,
        replace(ROWS[2], row_id="marked", completion="so <|im_end|> it goes"),
    )
    found = likelihoods(trained, rows, max_length=200)
    names = [row.row_id for row in ROWS]
    assert [one.row_id for one in found] == [*names, "long", "marked"]
    assert [one.skipped for one in found[-2:]] == ["over_length", "turn_marks"]
    summed = held_out(found)
    assert summed.rows == len(ROWS)
    assert summed.after < summed.before


def test_without_an_adapter_nothing_changes(trained: ServingOrder) -> None:
    bare = replace(trained, checkpoint=None)
    found = likelihoods(bare, ROWS[:2], max_length=200)
    assert [one.before for one in found] == [one.after for one in found]
    assert all(one.tokens > 0 for one in found)


def test_an_adapter_of_another_base_is_refused(trained: ServingOrder) -> None:
    with pytest.raises(StudentError, match="was trained over student"):
        likelihoods(replace(trained, base=policy()), ROWS[:1], max_length=200)


def test_a_model_that_is_none_is_named(tmp_path: Path) -> None:
    absent = ServingOrder(name="tiny", base=tmp_path / "absent")
    with pytest.raises(StudentError, match="absent"):
        likelihoods(absent, ROWS[:1], max_length=200)


def test_over_nothing_there_is_no_figure() -> None:
    assert isnan(held_out(()).after)
