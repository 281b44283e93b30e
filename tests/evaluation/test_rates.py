"""Rates against hand-counted ones; which tasks tell nothing; how sure it all is."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.evaluation.attempts import Attempt
from envplatform.evaluation.bootstrap import clustered, over_clusters
from envplatform.evaluation.rates import RateRow, Scoring, rate_rows, solvers_of
from tests.evaluation.made_attempts import attempt, task, tasks

KNOWN = tasks(
    task("a", pillar="cowork", scenario="legal"),
    task("b"),
    task("b1", lineage="b", parent="b", depth=1),
    task("c", pillar="res"),
)
MADE = [
    *(attempt("a", seed, reward) for seed, reward in enumerate((1.0, 0.5, 0.0, 1.0))),
    *(attempt("b", seed, 1.0) for seed in range(4)),
    *(attempt("b1", seed, 0.0) for seed in range(4)),
    attempt("c", 0, 1.0),
]
SCORING = Scoring(ks=(1, 4, 9), draws=200)


def rows(
    made: Sequence[Attempt] = MADE, scoring: Scoring = SCORING
) -> dict[tuple[str, str, str], RateRow]:
    found = rate_rows(made, KNOWN, scoring)
    return {(one.harness, one.by, one.group): one for one in found}


def test_a_task_counts_by_the_mean_of_its_attempts() -> None:
    whole = rows()["tool_loop", "whole", ""]
    assert (whole.tasks, whole.lineages, whole.attempts) == (4, 3, 13)
    assert whole.solved == 7
    assert whole.pass_at_1 == pytest.approx((2 / 4 + 1 + 0 + 1) / 4)
    assert (whole.by_all, whole.by_none) == (2, 1)
    assert whole.wilson_low < whole.solved / whole.attempts < whole.wilson_high
    assert whole.lineages_low is not None
    assert whole.lineages_low <= whole.pass_at_1 <= (whole.lineages_high or 0)
    assert whole.mean_reward == pytest.approx(7.5 / 13)
    assert (whole.tokens, whole.usd, whole.seconds) == (10, 0.5, 2.0)


def test_the_reward_that_solves_is_configured() -> None:
    scoring = Scoring(reward=0.5, draws=100)
    assert rows(scoring=scoring)["tool_loop", "whole", ""].solved == 8


def test_k_is_told_of_tasks_that_were_tried_so_often_and_of_no_other() -> None:
    one, four, nine = rows()["tool_loop", "whole", ""].at_k
    assert one.pass_at == one.pass_hat == rows()["tool_loop", "whole", ""].pass_at_1
    assert (four.tasks, four.short) == (3, 1)
    assert four.pass_at == pytest.approx((1 + 1 + 0) / 3)
    assert four.pass_hat == pytest.approx((0 + 1 + 0) / 3)
    assert (nine.pass_at, nine.pass_hat, nine.tasks, nine.short) == (None, None, 0, 4)


def test_groups_are_by_what_tasks_and_solvers_are() -> None:
    found = rows([*MADE, attempt("c", 0, 0.0, harness="explorer", policy="explorer")])
    assert found["tool_loop", "depth", "1"].solved == 0
    assert found["tool_loop", "depth", "0"].tasks == 3
    assert found["tool_loop", "scenario", "legal"].attempts == 4
    assert found["tool_loop", "pillar", "swe"].tasks == 2
    assert found["", "harness", "explorer"].pass_at_1 == 0
    assert found["", "model", "m"].attempts == 13
    together = found["", "whole", ""]
    assert (together.attempts, together.by_all) == (14, 1)
    assert together.at_k == (), "solvers together have no k"


def test_of_one_lineage_nothing_is_said_of_others() -> None:
    found = rows([one for one in MADE if one.task in {"b", "b1"}])
    whole = found["tool_loop", "whole", ""]
    assert (whole.lineages_low, whole.lineages_high) == (None, None)


def test_each_batch_is_a_solver_of_its_own() -> None:
    """It may have asked at another temperature."""
    found = rate_rows(
        [attempt("a", 0, 1.0), attempt("a", 0, 0.0, batch="hot")], KNOWN, SCORING
    )
    assert [(one.batch, one.pass_at_1) for one in solvers_of(found)] == [
        ("b", 1.0),
        ("hot", 0.0),
    ]


def test_nothing_attempted_gives_no_row() -> None:
    assert rate_rows([], KNOWN, SCORING) == []


@given(
    st.lists(
        st.tuples(st.sampled_from("pqrst"), st.floats(min_value=0, max_value=1)),
        min_size=1,
        max_size=30,
    )
)
def test_drawn_intervals_hold_the_mean_and_stay_within_the_values(
    values: list[tuple[str, float]],
) -> None:
    clusters = clustered(values)
    assert sum(count for _, count in clusters) == len(values)
    drawn = over_clusters(clusters, seed=3, draws=60)
    if len({name for name, _ in values}) < 2:
        assert drawn is None
        return
    assert drawn is not None
    mean = sum(value for _, value in values) / len(values)
    assert drawn.low - 1e-9 <= mean <= drawn.high + 1e-9
    assert -1e-9 <= drawn.low <= drawn.high <= 1 + 1e-9
    assert drawn == over_clusters(clusters, seed=3, draws=60)


def test_kin_make_an_interval_wider() -> None:
    """Ten tasks of two lineages say less than ten of ten."""
    shares = [1.0] * 5 + [0.0] * 5
    apart = over_clusters(clustered((str(n), v) for n, v in enumerate(shares)))
    kin = over_clusters(clustered((str(v), v) for v in shares))
    assert apart is not None
    assert kin is not None
    assert kin.high - kin.low > apart.high - apart.low
