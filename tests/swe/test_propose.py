"""Candidates for a whole repository: budget goes where tests look, and repeats."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.patches import apply_patch
from envplatform.sandbox.base import Image
from envplatform.swe.diversity.describe import REVISION as DESCRIBING
from envplatform.swe.inducers.base import Inducer
from envplatform.swe.inducers.mutation import MutationInducer
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.propose import REVISION, propose, source_files
from envplatform.swe.targets import HealthyRepository
from envplatform.tree import File, tree_digest
from tests.swe.small_repository import small_baseline, small_repository

IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)
BODY = """def {name}(a, b):
    if a < b and b > 0:
        return a + 1
    return [a - b, a * 2]
"""


def stopped() -> float:
    return 0.0


INDUCER: Inducer = MutationInducer(clock=stopped)


def repository_with(
    sizes: Mapping[str, int],
) -> tuple[HealthyRepository, Baseline]:
    """A package of modules with so many functions each, all of them covered."""
    tree = {
        f"spans/{name}.py": File(
            "\n\n".join(BODY.format(name=f"{name}{n}") for n in range(size)).encode()
        )
        for name, size in sizes.items()
    }
    small = small_repository(IMAGE)
    repository = replace(small, tree=tree, commit=tree_digest(tree))
    ran = {
        path: tuple(range(1, file.data.count(b"\n") + 1)) for path, file in tree.items()
    }
    coverage = replace(
        small_baseline().coverage, by_test={"t": ran}, imported={}, statements=ran
    )
    baseline = replace(
        small_baseline(), commit=repository.commit, coverage=coverage, stable=("t",)
    )
    return repository, baseline


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize("budget", [1, 5, 30])
def test_the_same_seed_gives_the_same_candidates_and_never_too_many(
    budget: int, seed: int
) -> None:
    repository, baseline = repository_with({"a": 3, "b": 9, "c": 1})
    once = propose(repository, baseline, [INDUCER], budget=budget, seed=seed)
    again = propose(repository, baseline, [INDUCER], budget=budget, seed=seed)
    assert once == again
    assert len(once.candidates) == budget
    for candidate in once.candidates:
        changed = apply_patch(repository.tree, candidate.bug_patch)
        assert changed[candidate.path] != repository.tree[candidate.path]
        assert candidate.commit == repository.commit


def test_every_candidate_says_which_kind_of_bug_it_is() -> None:
    found = propose(
        small_repository(IMAGE), small_baseline(), [INDUCER], budget=9, seed=0
    )
    assert all(candidate.bug_type for candidate in found.candidates)
    digests = {candidate.ast_digest for candidate in found.candidates}
    assert len(digests) == len(found.candidates)


def test_another_seed_gives_others() -> None:
    repository, baseline = repository_with({"a": 6, "b": 6})
    one, other = (
        {c.candidate_id for c in propose(
            repository, baseline, [INDUCER], budget=8, seed=seed
        ).candidates}
        for seed in (0, 1)
    )  # fmt: skip
    assert one != other


def test_files_get_budget_by_the_lines_that_tests_run() -> None:
    repository, baseline = repository_with({"large": 12, "small": 4})
    found = propose(repository, baseline, [INDUCER], budget=32, seed=0)
    count = Counter(candidate.path for candidate in found.candidates)
    assert count["spans/large.py"] == 24
    assert count["spans/small.py"] == 8


def test_where_no_test_looks_nothing_is_proposed() -> None:
    repository, baseline = repository_with({"seen": 2, "unseen": 2})
    ran = {"t": {"spans/seen.py": (1, 2, 3, 4)}}
    coverage = replace(baseline.coverage, by_test=ran)
    baseline = replace(baseline, coverage=coverage)
    found = propose(repository, baseline, [INDUCER], budget=50, seed=0)
    assert {(c.path, c.line < 5) for c in found.candidates} == {("spans/seen.py", True)}
    assert found.skipped["uncovered"] > 0


def test_lines_run_at_import_only_and_in_shared_fixtures() -> None:
    """A fixture of a whole module runs code for its tests; the import alone does not."""
    baseline = small_baseline()
    coverage = replace(
        baseline.coverage, by_test={}, shared={"spans/core.py": (8,)}, imported={}
    )
    files = source_files(small_repository(IMAGE), replace(baseline, coverage=coverage))
    assert {file.path: file.covered for file in files} == {
        "spans/__init__.py": frozenset(),
        "spans/core.py": frozenset({8}),
    }


def test_nothing_covered_gives_nothing() -> None:
    repository, baseline = repository_with({"a": 2})
    empty = replace(baseline, coverage=replace(baseline.coverage, by_test={}))
    assert propose(repository, empty, [INDUCER], budget=5, seed=0).candidates == ()


def test_what_two_inducers_both_propose_counts_once() -> None:
    """Verdicts are kept by id: a second one would hide the first."""
    repository, baseline = repository_with({"a": 2})
    alone = propose(repository, baseline, [INDUCER], budget=500, seed=0)
    twice = propose(repository, baseline, [INDUCER, INDUCER], budget=999, seed=0)
    assert {c.candidate_id for c in twice.candidates} == {
        c.candidate_id for c in alone.candidates
    }
    assert len(twice.candidates) == len(alone.candidates)


@settings(max_examples=20, deadline=None)
@given(
    sizes=st.dictionaries(
        st.sampled_from("abcdef"), st.integers(0, 4), min_size=1, max_size=4
    ),
    budget=st.integers(1, 60),
    seed=st.integers(0, 9),
)
def test_ids_are_unique_and_the_budget_is_kept(
    sizes: dict[str, int], budget: int, seed: int
) -> None:
    repository, baseline = repository_with(sizes)
    found = propose(repository, baseline, [INDUCER], budget=budget, seed=seed)
    ids = [candidate.candidate_id for candidate in found.candidates]
    assert len(set(ids)) == len(ids) <= budget


def test_candidates_move_only_with_the_revision() -> None:
    """Stored tables are reused by revision: raise it when this figure changes."""
    found = propose(
        small_repository(IMAGE), small_baseline(), [INDUCER], budget=6, seed=0
    )
    ids = [candidate.candidate_id.rsplit(".", 1)[1] for candidate in found.candidates]
    assert (REVISION - DESCRIBING, ids) == (
        1,
        ["3908cdbf", "5d181a96", "b8011f21", "c0d537b7", "3d88056a", "9e927063"],
    )
