"""The inducers `model` and `pattern`: what they propose, refuse, count and keep."""

from pathlib import Path

import pytest

from envplatform.errors import ConfigError, ModelAnswerError, ModelError
from envplatform.llm.chat import ChatResponse, Usage
from envplatform.swe.inducers.base import Proposal
from envplatform.swe.inducers.learned import LearnedInducer, SamplingPlan
from tests.fakes import text_answer
from tests.swe.inducers_learned.made_samplers import (
    CODE,
    EXCLUSIVE,
    ONE,
    diff,
    scripted,
    source_file,
)

PLAN = SamplingPlan(samples=4, temperatures=(0.0, 0.5, 1.0))
Answer = str | ChatResponse | ModelError


def answers(*texts: Answer) -> list[ChatResponse | ModelError]:
    return [text_answer(each) if isinstance(each, str) else each for each in texts]


def proposed(
    folder: Path,
    *texts: Answer,
    budget: int = 1,
    data: bytes = CODE,
    covered: frozenset[int] | None = None,
    plan: SamplingPlan = PLAN,
) -> Proposal:
    with scripted(folder, answers(*texts)) as opened:
        inducer = LearnedInducer(name="model", sampler=opened.sampler, plan=plan)
        return inducer.propose(source_file(data, covered), budget, seed=0)


def reasons(proposal: Proposal) -> list[str]:
    return [row.reason for row in proposal.refused]


def test_a_sample_becomes_a_candidate_that_says_where_it_comes_from(
    tmp_path: Path,
) -> None:
    (bug,) = proposed(tmp_path, EXCLUSIVE).candidates
    assert "+    return low <= value < high" in bug.bug_patch
    assert (bug.inducer, bug.operator, bug.line) == ("model", "raw", 9)
    assert (bug.model, bug.temperature, bug.cost.tokens) == (
        "scripted",
        bug.temperature,
        15,
    )
    assert bug.temperature in PLAN.temperatures
    assert len(bug.prompt_hash) == 64


def test_temperatures_take_turns_and_seeds_differ(tmp_path: Path) -> None:
    with scripted(tmp_path, answers(EXCLUSIVE, ONE, "no", "no")) as opened:
        inducer = LearnedInducer(name="model", sampler=opened.sampler, plan=PLAN)
        proposal = inducer.propose(source_file(), 4, seed=0)
        drawn = opened.temperatures
        assert set(drawn) == set(PLAN.temperatures)
        assert drawn[3] == drawn[0]
        assert len({request.seed for request in opened.model.requests}) == 4
    assert [each.temperature for each in proposal.candidates] == drawn[:2]
    assert reasons(proposal) == ["no_diff", "no_diff"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no_answer"),
        ("nothing to see", "no_diff"),
        ("x" * 500_000, "too_long"),
        ("<|im_start|>" * 9, "template_marks"),
        (diff("    # both ends count\n", ""), "same_ast"),
        (diff("value <= high", "value  <=  high"), "same_ast"),
        (diff("value <= high", "value <= hihg"), "undefined_name"),
        (diff("return low <= value <= high", "return low <= ) high"), "does_not_compile"),
        (diff("    return result", "    return result\n  x"), "does_not_compile"),
        (diff("result = 0", "result = 0  # \u202e"), "no_change"),
        (diff("result = 0", "result = '\u202e'"), "hidden_characters"),
        (diff("result = 0", "result = '\x07'"), "hidden_characters"),
        (diff("    return result", "    return result" + "\n    pass" * 300), "too_long"),
        (diff("result = 0", "result = " + "(" * 300 + "0" + ")" * 300), "does_not_compile"),
        (diff("result = 0", "result = " + "+".join("0" * 1_500)), "too_deep"),
        (ModelAnswerError("odd"), "no_answer"),
        (text_answer(EXCLUSIVE[:-9], finish_reason="length"), "cut_off"),
        (text_answer("", finish_reason="content_filter"), "no_answer"),
    ],
)  # fmt: skip
def test_what_is_of_no_use_is_a_row_with_its_reason(
    tmp_path: Path, text: Answer, reason: str
) -> None:
    plan = SamplingPlan(samples=2, temperatures=(0.5,))
    proposal = proposed(tmp_path, text, ONE, plan=plan)
    assert reasons(proposal) == [reason]
    assert proposal.skipped == {"refused_answer": 1}
    assert len(proposal.candidates) == 1  # the next sample is as good as ever


def test_the_same_change_twice_is_a_duplicate_however_it_is_laid_out(
    tmp_path: Path,
) -> None:
    again = diff("value <= high", "value  <  high")
    proposal = proposed(tmp_path, EXCLUSIVE, EXCLUSIVE, again, ONE, budget=4)
    assert reasons(proposal) == ["duplicate", "duplicate"]
    assert len(proposal.candidates) == 2


def test_comments_that_would_point_at_the_defect_are_left_out(tmp_path: Path) -> None:
    text = diff(
        "    return low <= value <= high",
        "    # the bug\n    return low <= value < high  # off by one",
    )
    (bug,) = proposed(tmp_path, text).candidates
    assert "bug" not in bug.bug_patch
    assert "off by one" not in bug.bug_patch
    assert "+    return low <= value < high\n" in bug.bug_patch


def test_a_change_that_no_test_runs_is_left_out(tmp_path: Path) -> None:
    lines = frozenset({9})
    proposal = proposed(tmp_path, ONE, EXCLUSIVE, covered=lines)
    assert reasons(proposal) == ["uncovered"]
    assert proposal.skipped == {"uncovered": 1, "refused_answer": 1}
    assert len(proposal.candidates) == 1


def test_a_file_without_a_function_that_tests_run_costs_nothing(
    tmp_path: Path,
) -> None:
    with scripted(tmp_path, []) as opened:
        inducer = LearnedInducer(name="model", sampler=opened.sampler, plan=PLAN)
        for data, covered in ((b"X = 1\n", None), (CODE, frozenset({1}))):
            found = inducer.propose(source_file(data, covered), 3, seed=0)
            assert found.candidates == ()
        bad = inducer.propose(source_file(b"def f(:\n"), 3, seed=0)
        assert bad.skipped == {"syntax_error": 1}
        assert opened.model.requests == []


def test_a_sample_is_drawn_once_and_judged_anew(tmp_path: Path) -> None:
    first = proposed(tmp_path, "no", ONE)
    again = proposed(tmp_path)  # an empty script: asking again would fail
    assert again == first


@pytest.mark.parametrize("changed", ["digest", "name", "temperature", "seed", "code"])
def test_whatever_decides_a_sample_draws_it_anew(tmp_path: Path, changed: str) -> None:
    proposed(tmp_path, EXCLUSIVE)
    plan = SamplingPlan(
        samples=4, temperatures=(0.1,) if changed == "temperature" else (0.0, 0.5, 1.0)
    )
    data = CODE + b"\n" if changed == "code" else CODE
    other = {
        "name": "another" if changed == "name" else "scripted",
        "digest": "d2" if changed == "digest" else "d1",
    }
    with scripted(tmp_path, answers(ONE), **other) as opened:
        inducer = LearnedInducer(name="model", sampler=opened.sampler, plan=plan)
        seed = 1 if changed == "seed" else 0
        (bug,) = inducer.propose(source_file(data), 1, seed=seed).candidates
    assert "result = 1" in bug.bug_patch


def test_a_server_that_is_down_fails_and_keeps_what_was_drawn(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        proposed(tmp_path, EXCLUSIVE, ModelError("down"), budget=2)
    proposal = proposed(tmp_path, ONE, budget=2)
    assert len(proposal.candidates) == 2


def test_samples_end_with_the_plan_whatever_a_model_answers(tmp_path: Path) -> None:
    nonsense = ["no"] * 100
    few = proposed(tmp_path / "few", *nonsense, budget=50)
    assert len(few.refused) == PLAN.samples
    plan = SamplingPlan(samples=100, temperatures=(1.0,), attempts=3)
    more = proposed(tmp_path / "more", *nonsense, budget=2, plan=plan)
    assert len(more.refused) == 6


def test_of_a_long_file_functions_are_shown_in_turn(tmp_path: Path) -> None:
    code = CODE + b"".join(
        b"\n\ndef f%d(a):\n    b = a + %d\n    return b\n" % (n, n) for n in range(40)
    )
    plan = SamplingPlan(samples=1, temperatures=(0.5,), shown_characters=400)
    with scripted(tmp_path, answers(*["no"] * 200)) as opened:
        inducer = LearnedInducer(name="model", sampler=opened.sampler, plan=plan)
        found = inducer.propose(source_file(code), 20, seed=0)
        said = [opened.said(at) for at in range(len(opened.model.requests))]
    assert len(set(said)) == len(said) >= 20
    assert all(len(one) < 1_200 for one in said)
    assert len({row.function for row in found.refused}) == len(said)


def test_an_executor_belongs_to_pattern_alone(tmp_path: Path) -> None:
    with scripted(tmp_path, []) as one, pytest.raises(ConfigError):
        LearnedInducer(name="pattern", sampler=one.sampler, plan=PLAN)
    with scripted(tmp_path, []) as one, pytest.raises(ConfigError):
        LearnedInducer(
            name="model", sampler=one.sampler, plan=PLAN, executor=one.sampler
        )


def test_what_it_cost_is_that_of_all_samples(tmp_path: Path) -> None:
    usage = Usage(prompt_tokens=100, completion_tokens=11, usd=0.5)
    proposal = proposed(tmp_path, text_answer("no", usage=usage), ONE)
    assert [row.cost.tokens for row in proposal.refused] == [111]
    assert [row.cost.usd for row in proposal.refused] == [0.5]


def test_few_samples_of_many_places_are_of_all_temperatures() -> None:
    firsts = {
        next(PLAN.draws(0, f"place {number}")).temperature for number in range(30)
    }
    assert firsts == set(PLAN.temperatures)
