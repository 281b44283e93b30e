"""The funnel and the figures of inducers: plain arithmetic, checked by hand."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle.row import EnvironmentRow
from envplatform.swe.candidate import BugCandidate, Cost, Rejection, Verdict
from envplatform.swe.report import ALL, InducerRow, funnel, inducer_rows
from tests.swe.small_repository import CANDIDATE, ENVIRONMENT_ROW, VERDICT

REASONS: Sequence[Rejection] = ("no_failure", "flaky", "timeout", "uncovered")


def candidate(number: int, operator: str = "flip", **changed: object) -> BugCandidate:
    changes = {"candidate_id": f"c{number}", "operator": operator, **changed}
    return replace(CANDIDATE, **changes)  # type: ignore[arg-type]


def verdict(number: int, rejection: Rejection | None = None) -> Verdict:
    return replace(
        VERDICT,
        candidate_id=f"c{number}",
        rejection=rejection,
        cost=Cost(seconds=2.0),
    )


def environment(number: int) -> EnvironmentRow:
    return replace(ENVIRONMENT_ROW, candidate_id=f"c{number}")


def row(rows: Sequence[InducerRow], operator: str) -> InducerRow:
    (found,) = (each for each in rows if each.operator == operator)
    return found


def test_the_figures_of_a_small_case() -> None:
    candidates = [
        candidate(0, cost=Cost(tokens=30, seconds=1.0)),
        candidate(1, cost=Cost(tokens=10, seconds=1.0)),
        candidate(2),
        candidate(3, "swap"),
        candidate(4, "swap"),  # never executed
    ]
    verdicts = [
        verdict(0),
        verdict(1),
        verdict(2, "flaky"),
        verdict(3, "no_failure"),
        verdict(99),  # of nobody here
    ]
    rows = inducer_rows(candidates, verdicts, [environment(0)])
    assert [(each.inducer, each.operator) for each in rows] == [
        ("mutation", ALL),
        ("mutation", "flip"),
        ("mutation", "swap"),
    ]
    flip, swap, everything = row(rows, "flip"), row(rows, "swap"), row(rows, ALL)
    assert (flip.candidates, flip.executed, flip.verified) == (3, 3, 2)
    assert flip.usability == round(2 / 3, 4)
    assert flip.environments == 1
    assert flip.changed_lines == 2.0
    assert flip.tokens_per_verified == 20.0
    assert flip.seconds_per_verified == (1 + 1 + 3 * 2) / 2
    assert flip.rejections == ("flaky=1",)
    assert (swap.candidates, swap.executed, swap.verified) == (2, 1, 0)
    assert (swap.usability, swap.changed_lines, swap.tokens_per_verified) == (0, 0, 0)
    assert (everything.candidates, everything.executed) == (5, 4)
    assert everything.rejections == ("flaky=1", "no_failure=1")


def test_nothing_gives_nothing() -> None:
    assert inducer_rows([], [verdict(1)], []) == ()
    assert funnel([]) == {}


def test_the_funnel_begins_with_the_most_frequent() -> None:
    verdicts = [verdict(0, "flaky"), verdict(1), verdict(2), verdict(3, "crashed")]
    assert list(funnel(verdicts).items()) == [
        ("verified", 2),
        ("crashed", 1),
        ("flaky", 1),
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("flip", "swap", "drop")),
            st.sampled_from((None, "verified", *REASONS)),
        ),
        max_size=30,
    )
)
def test_nothing_is_lost_and_nothing_counted_twice(
    fates: list[tuple[str, str | None]],
) -> None:
    candidates = [candidate(n, operator) for n, (operator, _) in enumerate(fates)]
    verdicts = [
        verdict(n, None if fate == "verified" else fate)  # type: ignore[arg-type]
        for n, (_, fate) in enumerate(fates)
        if fate is not None
    ]
    rows = inducer_rows(candidates, verdicts, [])
    for each in rows:
        rejected = sum(int(one.split("=")[1]) for one in each.rejections)
        assert each.executed == each.verified + rejected
        assert 0 <= each.usability <= 1
    parts = [each for each in rows if each.operator != ALL]
    for name in ("candidates", "executed", "verified"):
        whole = sum(getattr(each, name) for each in rows if each.operator == ALL)
        assert whole == sum(getattr(each, name) for each in parts)
    assert sum(funnel(verdicts).values()) == len(verdicts)
