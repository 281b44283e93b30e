"""The benchmark of bug models: who is held back, what is shuffled, what is counted."""

import pytest

from benchmarks.bug_model_likelihood import completion_of, shuffled, split_rows
from benchmarks.bug_model_stages import STAGES, Sampled, table
from envplatform.swe.fixes.reverse_patch import TrainingRow
from tests.swe.fixes.patterns.made_training import training_row


def rows(repositories: int = 6, each: int = 4) -> list[TrainingRow]:
    return [
        training_row(number=number, repository=f"owner__name{repository}")
        for repository in range(repositories)
        for number in range(each)
    ]


def test_no_repository_stands_on_both_sides() -> None:
    split = split_rows(rows(), shown=1_000, train=10, kept_back=6)
    trained = {row.repository for row in split.train}
    held = {row.repository for row in split.held_out}
    assert (len(split.train), len(split.held_out)) == (10, 6)
    assert trained.isdisjoint(held)
    assert split.repositories == (len(trained), 2)
    again = split_rows(rows()[::-1], shown=1_000, train=10, kept_back=6)
    assert again == split


def test_too_few_rows_end_without_a_figure() -> None:
    with pytest.raises(SystemExit, match="too few"):
        split_rows(rows(repositories=1), shown=1_000, train=4, kept_back=2)
    with pytest.raises(SystemExit, match="too few"):
        split_rows(rows(), shown=1, train=4, kept_back=2)


def test_shuffled_answers_are_those_of_other_files() -> None:
    split = split_rows(rows(), shown=1_000, train=10, kept_back=6)
    given = [completion_of(row) for row in split.held_out]
    other = shuffled(given)
    assert [row.prompt for row in other] == [row.prompt for row in given]
    assert other[0].completion == given[1].completion
    assert other[-1].completion == given[0].completion
    assert not {row.row_id for row in given} & {row.row_id for row in other}


def test_a_sample_counts_for_every_stage_that_it_reached() -> None:
    found = [
        Sampled(temperature=0.2, reason="no_diff"),
        Sampled(temperature=0.2, reason="does_not_apply"),
        Sampled(temperature=1.0, reason="does_not_compile"),
        Sampled(temperature=1.0, reason="duplicate"),
        Sampled(temperature=1.0, reason="", candidate_id="good"),
        Sampled(temperature=1.0, reason="", candidate_id="harmless"),
    ]
    told = table(found, frozenset({"good"}))
    assert [told[stage] for stage in STAGES] == [6, 5, 4, 3, 1]
    assert told["by_temperature"] == {
        "0.2": dict(zip(STAGES, (2, 1, 0, 0, 0), strict=True)),
        "1.0": dict(zip(STAGES, (4, 4, 4, 3, 1), strict=True)),
    }
    assert told["reasons"] == {
        "no_diff": 1,
        "does_not_apply": 1,
        "does_not_compile": 1,
        "duplicate": 1,
    }
