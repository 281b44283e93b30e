"""A measured repository as a row and back, and refused once it is another one."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import StoreError, TargetError
from envplatform.sandbox.base import Image
from envplatform.store.shapes import record_of
from envplatform.store.values import digest_rows, encode
from envplatform.swe.p2f.baseline import Baseline, UnstableTest
from envplatform.swe.p2f.result import Coverage
from envplatform.swe.repository_row import (
    TargetRow,
    baseline_of,
    repository_of,
    row_of,
)
from envplatform.swe.targets import FolderSource, PackageIndex, Target, prepare
from envplatform.tree import write_tree
from tests.swe.small_repository import HEALTHY, TARGET, small_baseline, small_repository

INDEX = PackageIndex()

paths = st.text(min_size=1, max_size=20)
lines = st.dictionaries(
    paths, st.lists(st.integers(1, 999), max_size=5).map(tuple), max_size=3
)
coverages = st.builds(
    Coverage,
    by_test=st.dictionaries(paths, lines, max_size=3),
    imported=lines,
    shared=lines,
    statements=lines,
)
baselines = st.builds(
    Baseline,
    repository=st.just("made__spans"),
    commit=st.just("c" * 64),
    stable=st.lists(paths, min_size=1, max_size=4).map(tuple),
    unstable=st.lists(
        st.builds(
            UnstableTest,
            test_id=paths,
            outcomes=st.lists(st.sampled_from(["passed", "failed"])).map(tuple),
            why=st.text(max_size=20),
        ),
        max_size=2,
    ).map(tuple),
    broken=st.dictionaries(paths, paths, max_size=2),
    seconds_by_test=st.dictionaries(paths, st.floats(0, 1e6), max_size=3),
    suite_s=st.integers(0, 10**6).map(lambda n: n / 1000),
    coverage=coverages,
    runs=st.integers(4, 9),
    sandbox=st.just("bubblewrap 0.8.0"),
)


IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)


def small_row(baseline: Baseline) -> TargetRow:
    return row_of(small_repository(IMAGE), baseline)


@given(baseline=baselines)
def test_a_baseline_comes_back_as_it_was(baseline: Baseline) -> None:
    assert baseline_of(small_row(baseline)) == baseline


@given(baseline=baselines, factor=st.floats(0.5, 9))
def test_how_long_it_took_is_no_part_of_what_it_is(
    baseline: Baseline, factor: float
) -> None:
    """Else nothing that follows would ever be cached."""
    slower = replace(
        baseline,
        suite_s=baseline.suite_s * factor,
        seconds_by_test={t: s * factor for t, s in baseline.seconds_by_test.items()},
        sandbox="docker 20.10",
    )
    assert identity(small_row(slower)) == identity(small_row(baseline))


def identity(row: TargetRow) -> str:
    record = record_of(TargetRow)
    return digest_rows([encode(row, record, "row")], record)


def test_the_row_says_what_a_person_asks() -> None:
    unstable = UnstableTest(test_id="t::x", outcomes=("failed",), why="red")
    row = small_row(replace(small_baseline(), unstable=(unstable,)))
    assert row.repository == "made__spans"
    assert row.source_files == 2
    assert row.stable_tests == 4
    assert row.unstable_tests == ("t::x: red",)
    assert row.covered_share == 1.0


def test_a_damaged_baseline_says_what_to_do() -> None:
    row = replace(small_row(small_baseline()), baseline='{"stable": 3}')
    with pytest.raises(StoreError, match="materialise target_repositories again"):
        baseline_of(row)


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """The small repository in a folder, on an image without packages."""
    write_tree(HEALTHY, tmp_path / "spans")
    minor = "{}.{}".format(*sys.version_info[:2])
    source = FolderSource(path=tmp_path / "spans")
    return replace(TARGET, source=source, python=(minor,))


async def test_the_same_repository_is_prepared_again(
    target: Target, tmp_path: Path
) -> None:
    row = row_of(await prepare(target, tmp_path, index=INDEX), small_baseline())
    again = await repository_of(row, target, tmp_path, index=INDEX)
    assert again.commit == row.commit
    assert again.tree == HEALTHY


async def test_another_repository_by_now_is_refused(
    target: Target, tmp_path: Path
) -> None:
    """Candidates of the old tree would be judged on the new one."""
    row = row_of(await prepare(target, tmp_path, index=INDEX), small_baseline())
    (tmp_path / "spans" / "new.py").write_text("x = 1\n")
    with pytest.raises(TargetError, match=r"made__spans: its files changed"):
        await repository_of(row, target, tmp_path, index=INDEX)


async def test_another_suite_by_now_is_refused(target: Target, tmp_path: Path) -> None:
    row = row_of(await prepare(target, tmp_path, index=INDEX), small_baseline())
    other = replace(target, suite=replace(target.suite, env={"A": "1"}))
    with pytest.raises(TargetError, match=r"its target\.toml changed since"):
        await repository_of(row, other, tmp_path, index=INDEX)
