"""Majorities and kappas against published and hand-counted figures."""

import pytest

from envplatform.evaluation.realism.agreement import (
    cohen_kappas,
    fleiss_kappa,
    realism,
    verdicts,
)
from tests.evaluation.realism.made_pairs import PAIRS, REVIEWERS, vote


def test_fleiss_is_that_of_his_own_table() -> None:
    """Fleiss 1971 as Wikipedia works it: 10 items, 14 raters, 5 categories: 0.210."""
    table = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    votes = [
        [str(kind) for kind, count in enumerate(row) for _ in range(count)]
        for row in table
    ]
    assert fleiss_kappa(votes) == pytest.approx(0.210, abs=0.0005)


def test_cohen_is_that_of_a_table_of_four() -> None:
    """20 both yes, 15 both no, 5 and 10 apart: 0.4."""
    cells = [("yes", "yes")] * 20 + [("yes", "no")] * 5
    cells += [("no", "yes")] * 10 + [("no", "no")] * 15
    found = {str(n): {"a": one, "b": other} for n, (one, other) in enumerate(cells)}
    ((names, (kappa, shared)),) = cohen_kappas(found).items()
    assert (names, shared) == (("a", "b"), 50)
    assert kappa == pytest.approx(0.4)


def test_agreement_that_chance_explains_is_none() -> None:
    assert fleiss_kappa([["x", "x"], ["x", "x"]]) is None
    assert fleiss_kappa([["x"], []]) is None
    assert fleiss_kappa([["x", "x"], ["y", "y"]]) == 1.0
    assert cohen_kappas({"p": {"a": "x", "b": "x"}})["a", "b"] == (None, 1)
    assert cohen_kappas({"p": {"a": "x"}, "q": {"b": "x"}})["a", "b"] == (None, 0)


VOTES = [
    *(
        vote(0, name, "left") for name in REVIEWERS
    ),  # ours is on the left: held for real
    vote(1, "ann", "left"),  # here the real one is
    vote(1, "bob", "left"),
    vote(1, "cat", "right"),
    vote(2, "ann", "left"),
    vote(2, "bob", "unsure"),
]


def test_a_vote_means_what_stands_on_its_side() -> None:
    found = verdicts(PAIRS, VOTES)
    assert found["p0"] == dict.fromkeys(REVIEWERS, "ours")
    assert found["p1"] == {"ann": "real", "bob": "real", "cat": "ours"}
    assert found["p2"] == {"ann": "ours", "bob": "unsure"}


def test_only_pairs_with_three_votes_count() -> None:
    whole, mined, mutation = realism(PAIRS, VOTES, majority=0.5)
    assert (whole.inducer, whole.pairs, whole.short, whole.held_for_real) == (
        "",
        2,
        1,
        1,
    )
    assert whole.share == 0.5
    assert whole.low < 0.5 < whole.high
    assert (mined.pairs, mined.share, mined.low, mined.high) == (0, None, 0, 1)
    assert (mutation.inducer, mutation.held_for_real) == ("mutation", 1)


def test_half_of_the_votes_is_no_majority() -> None:
    split = [vote(0, "ann", "left"), vote(0, "bob", "unsure"), vote(0, "cat", "right")]
    assert realism(PAIRS[:1], split, majority=0.5)[0].held_for_real == 0
    two = [vote(0, "ann", "left"), vote(0, "bob", "left"), vote(0, "cat", "right")]
    assert realism(PAIRS[:1], two, majority=0.5)[0].held_for_real == 1
    assert realism(PAIRS[:1], two, majority=0.7)[0].held_for_real == 0


def test_the_interval_of_kappa_holds_it() -> None:
    votes = [
        vote(n, name, "left" if n else "right") for n in range(3) for name in REVIEWERS
    ]
    votes[0] = vote(0, "ann", "unsure")
    whole = realism(PAIRS, votes, majority=0.5)[0]
    assert whole.fleiss is not None
    assert whole.fleiss_low is not None
    assert whole.fleiss_low <= whole.fleiss <= (whole.fleiss_high or -1)
    assert realism(PAIRS, votes, majority=0.5)[0] == whole
