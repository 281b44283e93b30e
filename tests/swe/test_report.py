"""The funnel and the figures of inducers: plain arithmetic, checked by hand."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import log2
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle.row import EnvironmentRow
from envplatform.patches import diff_trees
from envplatform.store import Origin, Store
from envplatform.swe.candidate import BugCandidate, Cost, Rejection, Verdict
from envplatform.swe.diversity.rarefaction import expected_entropy
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.report import ALL, InducerRow, funnel, inducer_rows
from envplatform.tree import File
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


def test_what_falls_before_and_at_the_compiler_is_told_apart() -> None:
    fates: Sequence[Rejection | None] = (
        None, "does_not_apply", "does_not_compile", "touches_tests", "no_failure",
    )  # fmt: skip
    candidates = [candidate(n) for n in range(len(fates))]
    verdicts = [verdict(n, fate) for n, fate in enumerate(fates)]
    found = row(inducer_rows(candidates, verdicts, []), ALL)
    assert (found.executed, found.applied, found.compiled) == (5, 4, 3)


def test_usability_comes_with_its_interval() -> None:
    candidates = [candidate(n) for n in range(10)]
    verdicts = [verdict(n, None if n % 2 else "no_failure") for n in range(10)]
    found = row(inducer_rows(candidates, verdicts, []), ALL)
    assert found.usability == 0.5
    assert (found.usability_low, found.usability_high) == (0.2366, 0.7634)
    nothing = row(inducer_rows(candidates, [], []), ALL)
    assert (nothing.usability_low, nothing.usability_high) == (0, 1)


def test_a_syntax_tree_met_again_in_the_same_repository_is_not_unique() -> None:
    candidates = [
        candidate(0, ast_digest="a"),
        candidate(1, "swap", ast_digest="a"),
        candidate(2, ast_digest="b"),
        candidate(3, ast_digest="a", repository="other__one"),
        candidate(4),  # does not parse
    ]
    rows = inducer_rows(candidates, [], [])
    assert row(rows, ALL).unique_ratio == 0.75
    assert row(rows, "swap").unique_ratio == 1
    assert row(inducer_rows([candidate(0)], [], []), ALL).unique_ratio is None


def test_mbte_is_over_files_and_counts_proven_bugs_only() -> None:
    types: Sequence[BugType] = ("logic", "data", "logic", "data", "type", "state")
    first = [
        candidate(n, path="a.py", bug_type=types[n % 2]) for n in range(6)
    ]  # three each
    second = [candidate(10 + n, path="b.py", bug_type="logic") for n in range(5)]
    third = [candidate(20 + n, path="c.py", bug_type="logic") for n in range(2)]
    unproven = candidate(30, path="b.py", bug_type="type")
    candidates = [*first, *second, *third, unproven]
    verdicts = [verdict(int(c.candidate_id[1:])) for c in candidates[:-1]]
    verdicts.append(verdict(30, "no_failure"))
    found = row(inducer_rows(candidates, verdicts, []), ALL)
    (point,) = found.mbte
    assert (point.size, point.files, point.left_out) == (5, 2, 1)
    half = expected_entropy([3, 3], 5)
    assert point.plug_in_bits == round(half.plug_in_bits / 2, 6)
    assert [(each.bug_type, each.count) for each in found.bug_types] == [
        ("logic", 10),
        ("data", 3),
    ]


def test_one_path_in_two_repositories_is_two_files() -> None:
    candidates = [
        candidate(n, bug_type="logic" if n < 5 else "data", repository=f"r{n // 5}")
        for n in range(10)
    ]
    found = row(inducer_rows(candidates, [verdict(n) for n in range(10)], []), ALL)
    assert [(point.files, point.plug_in_bits) for point in found.mbte] == [(2, 0)]


def test_bug_types_are_compared_with_real_ones_where_there_are_any() -> None:
    candidates = [candidate(0, bug_type="logic"), candidate(1, bug_type="data")]
    candidates.append(candidate(2))
    verdicts = [verdict(n) for n in range(3)]
    real: dict[BugType, int] = {"logic": 5}
    found = row(inducer_rows(candidates, verdicts, [], real=real), ALL)
    assert (found.total_variation, found.untyped) == (0.5, 1)
    assert found.jensen_shannon_bits == round(
        (1 * log2(4 / 3) + 0.5 * log2(2 / 3) + 0.5 * log2(2)) / 2, 4
    )
    for nothing in (None, {}, {"logic": 0}):
        found = row(inducer_rows(candidates, verdicts, [], real=nothing), ALL)  # type: ignore[arg-type]
        assert (found.total_variation, found.jensen_shannon_bits) == (None, None)


def test_the_size_of_a_change_is_a_mean_over_proven_bugs() -> None:
    healthy = {
        "a.py": File(b"".join(b"%d\n" % n for n in range(40))),
        "b.py": File(b"0\n"),
    }
    buggy = {
        "a.py": File(healthy["a.py"].data.replace(b"\n1\n", b"\nx\n").replace(b"39", b"y")),
        "b.py": File(b"1\n"),
    }  # fmt: skip
    candidates = [
        candidate(0, bug_patch=diff_trees(healthy, buggy)),
        candidate(1),
    ]
    found = row(inducer_rows(candidates, [verdict(0), verdict(1)], []), ALL)
    assert (found.changed_lines, found.changed_files, found.hunks) == (4, 1.5, 2)


def test_rows_of_the_report_are_stored_and_read_back(tmp_path: Path) -> None:
    candidates = [candidate(n, bug_type="logic", ast_digest=f"{n}") for n in range(6)]
    rows = inducer_rows(
        candidates, [verdict(n) for n in range(6)], [], real={"data": 1}
    )
    store = Store(tmp_path)
    origin = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
    store.write_rows("r", rows, row_type=InducerRow, origin=origin)
    assert tuple(store.rows(InducerRow, "r")) == rows
    assert rows[0].mbte


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
