"""Pairs that differ in one thing alone, and what comes of them."""

from dataclasses import replace

import pytest

from envplatform.errors import ConfigError, StoreError
from envplatform.evaluation.compared import ComparedRow, compared_rows
from envplatform.evaluation.contrast import (
    Pair,
    check_protocols,
    paired_attempts,
    side_of,
)
from envplatform.rollout.plan import Plan, Sampling
from envplatform.trajectories import RolloutLimits
from tests.evaluation.made_attempts import attempt, task, tasks

PLAN = Plan(
    harness="tool_loop",
    sampling=Sampling(model="m", server="s", temperature=0.5),
    limits=RolloutLimits(turns=5),
    seeds=(0, 1),
)
KNOWN = tasks(
    task("a"),
    task("a1", lineage="a", parent="a", depth=1),
    task("a2", lineage="a", parent="a1", depth=2),
    task("b"),
    task("b1", lineage="b", parent="b", depth=1),
)


def test_what_is_compared_may_differ_and_nothing_else() -> None:
    other_harness = replace(PLAN, harness="tool_loop_fenced")
    trained = replace(PLAN, sampling=replace(PLAN.sampling, model="m2", server="t"))
    check_protocols(PLAN, other_harness, "harness")
    check_protocols(PLAN, trained, "training")
    check_protocols(PLAN, PLAN, "transformed")
    for after, kind, told in (
        (other_harness, "training", "harness: 'tool_loop' and 'tool_loop_fenced'"),
        (trained, "harness", "sampling.model: 'm' and 'm2'; sampling.server"),
        (other_harness, "transformed", "harness"),
        (trained, "transformed", "sampling.model"),
    ):
        with pytest.raises(ConfigError) as caught:
            check_protocols(PLAN, after, kind)  # type: ignore[arg-type]
        assert told in str(caught.value)


@pytest.mark.parametrize("kind", ["harness", "training", "transformed"])
@pytest.mark.parametrize(
    ("after", "told"),
    [
        (replace(PLAN, seeds=(0,)), "seeds: (0, 1) and (0,)"),
        (
            replace(PLAN, sampling=replace(PLAN.sampling, temperature=1.0)),
            "sampling.temperature: 0.5 and 1.0",
        ),
        (replace(PLAN, limits=RolloutLimits(turns=6)), "limits.turns: 5 and 6"),
        (replace(PLAN, user_words="u"), "user_words: '' and 'u'"),
    ],
)
def test_the_protocol_must_be_the_same(after: Plan, told: str, kind: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_protocols(PLAN, after, kind)  # type: ignore[arg-type]
    assert told in str(caught.value)


def test_a_side_is_one_policy_of_one_batch() -> None:
    made = [attempt("a", 0, 1.0), attempt("a", 0, 1.0, policy="n")]
    elsewhere = attempt("b", 0, 1.0, batch="c")
    assert side_of([*made, elsewhere], "b", "n") == made[1:]
    assert side_of([*made, elsewhere], "c", "") == [elsewhere]
    with pytest.raises(ConfigError, match="several policies, say which is meant: m, n"):
        side_of(made, "b", "")
    with pytest.raises(
        StoreError, match="no attempt of 'x' that counts; policies: m, n"
    ):
        side_of(made, "b", "x")
    with pytest.raises(StoreError, match="no attempt that counts; policies: none"):
        side_of(made, "nowhere", "")


def test_tasks_and_seeds_must_be_there_on_both_sides() -> None:
    before = [attempt("a", 0, 1.0), attempt("a", 1, 0.0), attempt("b", 0, 0.0)]
    after = [
        attempt("a", 0, 0.0, trajectory_id="x0"),
        attempt("a", 2, 0.0, trajectory_id="x2"),
        attempt("b", 0, 1.0, trajectory_id="y0"),
    ]
    found = paired_attempts(before, after, KNOWN, "training")
    assert [(one.task, one.before.seed, one.after.seed) for one in found.pairs] == [
        ("a", 0, 0),
        ("b", 0, 0),
    ]
    assert {(one.trajectory_id, one.side) for one in found.unpaired} == {
        ("a.1", "before"),
        ("x2", "after"),
    }


def test_children_are_held_against_their_root() -> None:
    made = [attempt(name, 0, 1.0) for name in ("a", "b", "a1", "a2")]
    found = paired_attempts(made, made, KNOWN, "transformed")
    assert [(one.before.task, one.task, one.depth) for one in found.pairs] == [
        ("a", "a1", 1),
        ("a", "a2", 2),
    ]
    assert [(one.trajectory_id, one.side) for one in found.unpaired] == [
        ("b.0", "before")
    ]


def test_no_pair_at_all_says_what_a_pair_is() -> None:
    one, other = [attempt("a", 0, 1.0)], [attempt("b", 0, 1.0)]
    with pytest.raises(StoreError, match="of 1 attempts before and 1 after"):
        paired_attempts(one, other, KNOWN, "harness")
    with pytest.raises(StoreError, match="of 1 attempts before and 0 after"):
        paired_attempts(one, one, KNOWN, "transformed")


def rows(pairs: tuple[Pair, ...]) -> list[ComparedRow]:
    return compared_rows(pairs, kind="transformed", reward=1.0, draws=200)


def test_a_difference_is_of_tasks_by_depth_and_over_all() -> None:
    before = [
        attempt(name, seed, 1.0, tokens=5) for name in ("a", "b") for seed in (0, 1)
    ]
    after = [
        *(attempt("a1", seed, reward) for seed, reward in enumerate((1.0, 0.0))),
        *(attempt("a2", seed, 0.5) for seed in (0, 1)),
        *(attempt("b1", seed, 1.0) for seed in (0, 1)),
    ]
    pairs = paired_attempts(before, after, KNOWN, "transformed").pairs
    whole, first, second = rows(pairs)
    assert (whole.by, whole.tasks, whole.lineages, whole.pairs) == ("whole", 3, 2, 6)
    assert whole.before_rate == 1.0
    assert whole.after_rate == pytest.approx((0.5 + 0 + 1) / 3)
    assert whole.difference == pytest.approx(-0.5)
    assert whole.low is not None
    assert whole.low <= whole.difference <= (whole.high or 0)
    assert whole.reward_difference == pytest.approx((-0.5 - 0.5 + 0) / 3)
    assert (whole.gained, whole.lost) == (0, 2)
    assert (whole.before_tokens, whole.after_tokens) == (5, 10)
    assert (first.depth, first.difference) == (1, -0.25)
    assert (second.depth, second.difference, second.low) == (2, -1.0, None)
    assert whole.before == whole.after == "tool_loop by m in b"


def test_sides_swapped_swap_the_sign() -> None:
    before = [attempt("a", 0, 1.0), attempt("b", 0, 0.0)]
    after = [attempt("a", 0, 0.0), attempt("b", 0, 0.0)]
    there = paired_attempts(before, after, KNOWN, "training").pairs
    back = paired_attempts(after, before, KNOWN, "training").pairs
    one, other = rows(there)[0], rows(back)[0]
    assert one.difference == -other.difference == -0.5
    assert (one.gained, one.lost) == (other.lost, other.gained) == (0, 1)


def test_equal_sides_differ_by_nothing_whatever_is_drawn() -> None:
    made = [attempt("a", 0, 1.0), attempt("b", 0, 0.0)]
    whole = rows(paired_attempts(made, made, KNOWN, "harness").pairs)[0]
    assert (whole.difference, whole.low, whole.high) == (0, 0, 0)


def test_no_pair_is_no_comparison() -> None:
    with pytest.raises(ValueError, match="no pair"):
        rows(())
