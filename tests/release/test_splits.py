"""Relatives are in one split, whatever makes them so, and stay there."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle.row import EnvironmentRow
from envplatform.release.splits import Relative, Shares, splits_of
from tests.swe.small_repository import ENVIRONMENT_ROW

SHARES = Shares(validation=0.3, test=0.3)


def row(number: int, *, repository: str = "", family: str = "") -> EnvironmentRow:
    return replace(
        ENVIRONMENT_ROW,
        environment_id=f"e{number}",
        digest=f"{number:064x}",
        candidate_id=f"c{number}",
        repository=repository,
        family=family,
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 30))))
def test_no_two_relatives_are_apart(drawn: list[tuple[int, int, int]]) -> None:
    relatives = [
        Relative(
            row=row(
                number,
                repository=f"o__r{repository}" if repository else "",
                family=f"f{family}" if family else "",
            ),
            ancestors=(f"{ancestor:064x}",) if ancestor < number else (),
        )
        for number, (repository, family, ancestor) in enumerate(drawn)
    ]
    splits = splits_of(relatives, SHARES)
    assert splits == splits_of(reversed(relatives), SHARES)
    for one in relatives:
        assert all(
            splits[above] == splits[one.row.digest]
            for above in one.ancestors
            if above in splits
        )
        for other in relatives:
            kin = set(one.kinships) & set(other.kinships)
            assert not kin or splits[one.row.digest] == splits[other.row.digest]


def test_shares_are_met_and_a_group_stays_where_it_is() -> None:
    relatives = [Relative(row=row(number)) for number in range(3000)]
    splits = splits_of(relatives, SHARES)
    counts = [
        list(splits.values()).count(one) for one in ("train", "validation", "test")
    ]
    assert sum(counts) == 3000
    assert abs(counts[0] / 3000 - 0.4) < 0.05
    assert abs(counts[1] / 3000 - 0.3) < 0.05
    some = splits_of(relatives[::2], SHARES)
    assert all(splits[digest] == split for digest, split in some.items())
    seeded = splits_of(relatives, Shares(validation=0.3, test=0.3, seed=1))
    assert seeded != splits


def test_a_long_lineage_is_no_deep_recursion() -> None:
    chain = [
        Relative(row=row(number), ancestors=(f"{number - 1:064x}",) if number else ())
        for number in range(20_000)
    ]
    assert len(set(splits_of(chain, SHARES).values())) == 1
