"""The inducer `pattern`: its executor sees a change and the code, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import ModelAnswerError
from envplatform.swe.fixes.patterns.by_rules import told_by_rules
from envplatform.swe.fixes.patterns.text import PatternText, telling_word, written
from envplatform.swe.inducers.base import Proposal
from envplatform.swe.inducers.learned import LearnedInducer, SamplingPlan
from envplatform.swe.inducers.learned.prompts import change_question
from envplatform.swe.inducers.learned.shown import show
from tests.fakes import text_answer
from tests.swe.fixes.patterns.made_training import training_row
from tests.swe.fixes.patterns.test_pattern_text import GOOD, said
from tests.swe.inducers_learned.made_samplers import (
    CODE,
    EXCLUSIVE,
    ONE,
    PATH,
    scripted,
    source_file,
)

PLAN = SamplingPlan(samples=2, temperatures=(0.9,))
PATTERN = PatternText(
    task_category="change of a condition",
    target_location=f"`{PATH}`, function `inside`",
    current_behaviour="Both ends count.",
    exact_modification="Leave the upper end out of the interval.",
    implementation_constraints="Change one line.",
    expected_effect="The upper end is outside.",
)


def proposed(
    folder: Path, patterns: list[str], edits: list[str]
) -> tuple[Proposal, list[str], list[float]]:
    """What came of it, and all that the executor was told."""
    one = [text_answer(each) for each in patterns]
    other = [text_answer(each) for each in edits]
    with (
        scripted(folder / "one", one, name="teller") as teller,
        scripted(folder / "other", other, name="doer") as doer,
    ):
        inducer = LearnedInducer(
            name="pattern", sampler=teller.sampler, plan=PLAN, executor=doer.sampler
        )
        proposal = inducer.propose(source_file(), 1, seed=0)
        told = [doer.said(at) for at in range(len(doer.model.requests))]
        return proposal, told, doer.temperatures


def test_a_pattern_is_carried_out_by_another_model(tmp_path: Path) -> None:
    proposal, told, temperatures = proposed(tmp_path, [written(PATTERN)], [EXCLUSIVE])
    (bug,) = proposal.candidates
    assert (bug.inducer, bug.model) == ("pattern", "teller + doer")
    assert (bug.temperature, bug.cost.tokens) == (0.9, 30)
    assert temperatures == [0.0]
    assert PATTERN.exact_modification in told[0]
    assert "9|    return low <= value <= high" in told[0]


def test_the_executor_is_told_of_a_change_and_never_of_a_bug(tmp_path: Path) -> None:
    _, told, _ = proposed(tmp_path, [written(PATTERN)], [EXCLUSIVE])
    words = replace(GOOD, expected_effect=told[0].replace("`", "'"))
    assert telling_word(words) == ""
    assert "model" not in told[0]
    assert "test" not in told[0]


def test_nor_is_it_by_patterns_that_rules_wrote() -> None:
    shown = [show(PATH, CODE, range(1, 5), 10_000, 0.0)]
    asked = change_question(shown, told_by_rules(training_row()))
    words = replace(GOOD, current_behaviour=f"{asked.system} {asked.prompt}")
    assert telling_word(words) == ""


def test_a_pattern_that_tells_is_never_shown_to_it(tmp_path: Path) -> None:
    telling = said(expected_effect="The defect shows at the end.")
    proposal, told, _ = proposed(tmp_path, [telling, written(PATTERN)], [EXCLUSIVE])
    assert [row.reason for row in proposal.refused] == ["tells_a_bug"]
    assert len(told) == 1
    assert "defect" not in told[0]
    assert len(proposal.candidates) == 1


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "no_pattern"),
        ("change something", "no_pattern"),
        (EXCLUSIVE, "no_pattern"),
        (said(expected_effect="<|endoftext|>"), "no_pattern"),
        (said(expected_effect=float("nan")), "no_pattern"),
        ("{" * 100_000, "no_pattern"),
    ],
)
def test_a_useless_pattern_costs_no_executor(
    tmp_path: Path, pattern: str, reason: str
) -> None:
    proposal, told, _ = proposed(tmp_path, [pattern, pattern], [])
    assert [row.reason for row in proposal.refused] == [reason, reason]
    assert told == []


def test_a_useless_edit_is_refused_for_what_it_is(tmp_path: Path) -> None:
    patterns = [written(PATTERN), written(PATTERN)]
    proposal, _, _ = proposed(tmp_path, patterns, ["I won't.", ONE])
    assert [row.reason for row in proposal.refused] == ["no_diff"]
    assert proposal.refused[0].cost.tokens == 30
    assert "result = 1" in proposal.candidates[0].bug_patch


def test_a_pattern_model_that_gives_no_answer_is_asked_again_another_day(
    tmp_path: Path,
) -> None:
    with (
        scripted(tmp_path, [ModelAnswerError("odd")] * 2, name="teller") as teller,
        scripted(tmp_path, [], name="doer") as doer,
    ):
        inducer = LearnedInducer(
            name="pattern", sampler=teller.sampler, plan=PLAN, executor=doer.sampler
        )
        proposal = inducer.propose(source_file(), 1, seed=0)
    assert [row.reason for row in proposal.refused] == ["no_answer", "no_answer"]
    again, _, _ = proposed(tmp_path, [written(PATTERN)], [EXCLUSIVE])
    assert len(again.candidates) == 1
