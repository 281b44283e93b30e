"""Arms held against each other: pairs of one task and seed, set by set, gain and share."""

import pytest

from envplatform.errors import StoreError
from envplatform.evaluation.arms import (
    Asked,
    Comparisons,
    TaskSet,
    compared_arms,
    share_of_gain,
)
from envplatform.evaluation.attempts import RolloutRecord
from tests.evaluation.made_attempts import rollout, task, tasks

NAMES = tuple("abcde")
Record = tuple[str, TaskSet, RolloutRecord]


def played(arm: str, solved: int, task_set: TaskSet = "asked") -> list[Record]:
    """One rollout of each task, the first `solved` of them solved."""
    return [
        (
            arm,
            task_set,
            rollout(
                f"{arm}.{name}",
                environment_digest=name,
                policy=arm,
                reward=float(number < solved),
            ),
        )
        for number, name in enumerate(NAMES)
    ]


def compared(records: list[Record], *pairs: tuple[str, str]) -> Comparisons:
    known = tasks(*(task(name) for name in NAMES))
    asked = Asked(pairs=pairs, reward=1.0, seed=0, draws=200)
    return compared_arms(records, known, asked)


def test_each_arm_is_held_against_its_own_other_one() -> None:
    records = [*played("before", 1), *played("after", 3), *played("best", 5)]
    found = compared(records, ("after", "before"), ("best", "after"))
    whole = [one for one in found.rows if one.compared.by == "whole"]
    assert [(one.arm, one.against) for one in whole] == [
        ("after", "before"),
        ("best", "after"),
    ]
    assert [one.compared.difference for one in whole] == pytest.approx([0.4, 0.4])
    assert {one.compared.pairs for one in whole} == {5}


def test_tasks_that_must_be_kept_are_told_apart() -> None:
    records = [
        *played("before", 1),
        *played("after", 5),
        *played("before", 5, "retained"),
        *played("after", 4, "retained"),
    ]
    found = compared(records, ("after", "before"))
    whole = {
        one.tasks: one.compared for one in found.rows if one.compared.by == "whole"
    }
    assert whole["asked"].difference == pytest.approx(0.8)
    assert whole["retained"].difference == pytest.approx(-0.2)


def test_what_says_nothing_of_its_arm_is_set_aside() -> None:
    records = [*played("before", 1), *played("after", 3)]
    arm, task_set, _ = records[-1]
    records[-1] = (
        arm,
        task_set,
        rollout("x", environment_digest="none", policy="after"),
    )
    found = compared(records, ("after", "before"))
    assert [one.reason for one in found.aside] == ["unknown_task"]
    assert found.rows[0].compared.pairs == 4
    with pytest.raises(StoreError, match=r"gone \(asked\) has no rollout"):
        compared(records, ("after", "gone"))


def test_the_share_of_a_teachers_gain() -> None:
    records = [*played("student", 1), *played("distilled", 4), *played("teacher", 5)]
    found = compared(records, ("distilled", "student"), ("teacher", "student")).rows
    share = share_of_gain(found, arm="distilled", teacher="teacher")
    assert share == pytest.approx(0.75)
    assert share_of_gain(found, arm="student", teacher="teacher") is None
    worse = [*played("student", 3), *played("distilled", 4), *played("teacher", 3)]
    found = compared(worse, ("distilled", "student"), ("teacher", "student")).rows
    assert share_of_gain(found, arm="distilled", teacher="teacher") is None
