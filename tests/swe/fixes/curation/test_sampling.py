"""The draw: size, evenness, seeds, stability; the split by repository."""

import random
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.configuration import SamplingSettings
from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.fixes.curation.chosen import LENGTHS, length_of
from envplatform.swe.fixes.curation.sampling import (
    STABLE_WITHIN,
    Chosen,
    describe,
    fill,
    sample,
)
from envplatform.swe.fixes.reverse_patch import CuratedPatch

TYPES: tuple[BugType, ...] = ("logic", "data", "state", "other")


def _row(
    number: int,
    *,
    repository: str = "a__b",
    bug_type: BugType = "logic",
    tokens: int = 100,
    rejection: str = "",
) -> CuratedPatch:
    return CuratedPatch(
        instance_id=f"i-{number}",
        source="set",
        repository=repository,
        licence="MIT",
        rejection=rejection,
        detail="",
        duplicate_of="",
        bug_type=bug_type,
        context_tokens=tokens,
        changed_lines=1,
        code_files=1,
    )


@st.composite
def catalogues(draw: st.DrawFn) -> list[CuratedPatch]:
    kinds = draw(
        st.lists(
            st.tuples(
                st.sampled_from(TYPES),
                st.sampled_from(("a__a", "A__a", "b__b", "c__c", "d__d")),
                st.sampled_from((100, 3_000, 9_000)),
            ),
            max_size=60,
        )
    )
    return [
        _row(number, bug_type=bug_type, repository=repository, tokens=tokens)
        for number, (bug_type, repository, tokens) in enumerate(kinds)
    ]


budgets = st.integers(min_value=1, max_value=70)
seeds = st.integers(min_value=0, max_value=5)


def _ids(chosen: tuple[Chosen, ...]) -> set[str]:
    return {row.instance_id for row in chosen}


@given(catalogues(), budgets, seeds)
def test_as_many_as_asked_or_all_there_are(
    rows: list[CuratedPatch], budget: int, seed: int
) -> None:
    chosen = sample(rows, SamplingSettings(rows=budget, seed=seed))
    assert len(chosen) == len(_ids(chosen)) == min(budget, len(rows))


@given(catalogues(), budgets, seeds, st.randoms(use_true_random=False))
def test_the_order_of_rows_makes_no_difference(
    rows: list[CuratedPatch], budget: int, seed: int, shuffler: random.Random
) -> None:
    wanted = SamplingSettings(rows=budget, seed=seed)
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert sample(rows, wanted) == sample(shuffled, wanted)


@given(catalogues(), budgets, seeds)
def test_no_bin_starves_beside_one_that_has_more_than_its_share(
    rows: list[CuratedPatch], budget: int, seed: int
) -> None:
    chosen = _ids(sample(rows, SamplingSettings(rows=budget, seed=seed)))
    levels = (
        lambda row: (row.bug_type,),
        lambda row: (row.bug_type, length_of(row.context_tokens)),
        lambda row: (
            row.bug_type,
            length_of(row.context_tokens),
            row.repository.lower(),
        ),
    )
    for level in levels:
        there = Counter(level(row) for row in rows)
        drawn = Counter(level(row) for row in rows if row.instance_id in chosen)
        for poor in there:
            for rich in there:
                if poor[:-1] == rich[:-1] and drawn[poor] < there[poor]:
                    assert drawn[rich] <= drawn[poor] + 1


@settings(max_examples=300)
@given(catalogues(), budgets, seeds, st.data())
def test_one_row_less_changes_few_others(
    rows: list[CuratedPatch], budget: int, seed: int, data: st.DataObject
) -> None:
    if not rows:
        return
    gone = data.draw(st.integers(min_value=0, max_value=len(rows) - 1))
    wanted = SamplingSettings(rows=budget, seed=seed)
    before = _ids(sample(rows, wanted))
    after = _ids(sample(rows[:gone] + rows[gone + 1 :], wanted))
    assert len(before ^ after) <= STABLE_WITHIN


def test_other_seeds_draw_other_rows() -> None:
    rows = [_row(number) for number in range(200)]
    draws = [
        _ids(sample(rows, SamplingSettings(rows=20, seed=seed))) for seed in (1, 2)
    ]
    assert draws[0] != draws[1]


def test_a_draw_stays_the_same_from_release_to_release() -> None:
    """Whoever changes this changes REVISION too."""
    rows = [_row(number, bug_type=TYPES[number % 3]) for number in range(40)]
    chosen = sample(rows, SamplingSettings(rows=6, seed=0))
    assert [row.instance_id for row in chosen] == [
        "i-29",
        "i-31",
        "i-33",
        "i-4",
        "i-8",
        "i-9",
    ]


def test_rare_types_are_drawn_whole() -> None:
    rows = [_row(number) for number in range(100)]
    rows += [_row(100 + number, bug_type="state") for number in range(3)]
    chosen = sample(rows, SamplingSettings(rows=20))
    assert Counter(row.bug_type for row in chosen) == {"logic": 17, "state": 3}


def test_repositories_take_turns() -> None:
    rows = [_row(number, repository="big__one") for number in range(90)]
    rows += [_row(90 + n, repository=f"s__{n % 5}") for n in range(10)]
    chosen = sample(rows, SamplingSettings(rows=12, validation_share=0))
    assert max(Counter(row.repository for row in chosen).values()) == 2


def test_rejected_rows_are_never_drawn() -> None:
    rows = [_row(0, rejection="licence"), _row(1)]
    assert _ids(sample(rows, SamplingSettings())) == {"i-1"}


def test_an_id_that_comes_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="unique"):
        sample([_row(1), _row(1)], SamplingSettings())


def test_nothing_to_draw_from_is_an_empty_draw() -> None:
    assert sample([], SamplingSettings()) == ()


@pytest.mark.parametrize(
    ("tokens", "length"),
    [
        (0, "<2k"),
        (2_047, "<2k"),
        (2_048, "2k-4k"),
        (65_535, "32k-64k"),
        (65_536, ">=64k"),
    ],
)
def test_lengths_begin_at_powers_of_two(tokens: int, length: str) -> None:
    assert length_of(tokens) == length


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 20)),
    st.integers(0, 100),
)
def test_water_fills_every_vessel_to_one_level(
    sizes: dict[str, int], rows: int
) -> None:
    dealt = fill(sizes, rows, {name: name for name in sizes})
    assert sum(dealt.values()) == min(rows, sum(sizes.values()))
    assert all(0 <= dealt[name] <= sizes[name] for name in sizes)
    open_levels = [dealt[name] for name in sizes if dealt[name] < sizes[name]]
    if open_levels:
        assert max(dealt.values()) <= min(open_levels) + 1


@given(catalogues(), budgets, seeds, st.sampled_from((0.0, 0.05, 0.3, 0.9)))
def test_no_repository_stands_on_both_sides(
    rows: list[CuratedPatch], budget: int, seed: int, share: float
) -> None:
    wanted = SamplingSettings(rows=budget, seed=seed, validation_share=share)
    sides: dict[str, set[str]] = {}
    for row in sample(rows, wanted):
        sides.setdefault(row.repository.lower(), set()).add(row.split)
    assert all(len(found) == 1 for found in sides.values())
    if share and len(sides) > 1:
        assert set.union(*sides.values()) == {"train", "validation"}


def test_figures_say_how_even_the_draw_is() -> None:
    rows = [_row(number) for number in range(90)]
    rows += [_row(90 + n, bug_type="data", repository="c__d") for n in range(10)]
    facts = describe(sample(rows, SamplingSettings(rows=20)), rows)
    assert facts == {
        "rows": 20,
        "validation rows": 10,
        "repositories": 2,
        "validation repositories": 1,
        "largest repository, share": 0.5,
        "rows per bug type": "logic 10, data 10",
        "rows per length": "<2k 20",
        "bug type entropy, bits": 1.0,
        "bug type entropy before the draw, bits": 0.469,
    }


def test_figures_of_an_empty_draw_are_zeros() -> None:
    facts = describe(())
    assert (facts["rows"], facts["bug type entropy, bits"]) == (0, 0)


def test_a_paper_sized_catalogue_takes_seconds() -> None:
    rng = random.Random(7)  # noqa: S311  rows, not keys
    types = list(BUG_TYPES)
    rows = [
        _row(
            number,
            repository=f"o__{min(rng.randrange(688), rng.randrange(688))}",
            bug_type=types[min(rng.randrange(13), rng.randrange(13))],
            tokens=int(rng.lognormvariate(8.5, 1)),
        )
        for number in range(134_000)
    ]
    started = time.process_time()
    chosen = sample(rows, SamplingSettings(rows=13_407))
    assert time.process_time() - started < 20
    assert len(chosen) == 13_407
    assert len({row.repository for row in chosen}) > 670
    assert {row.length for row in chosen} == set(LENGTHS)
