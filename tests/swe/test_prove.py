"""Proving is resumable: each verdict is kept at once, and only for what it was about."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import SandboxError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.store import ResultCache
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.screen.report import FastReport, FastSettings
from envplatform.swe.p2f.screen.tiered import TieredVerdict
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.prove import prove
from envplatform.swe.targets import HealthyRepository
from envplatform.tree import File, Tree
from tests.fakes import DeadProvider
from tests.swe.small_repository import (
    CANDIDATE,
    FAIL_TO_PASS,
    HEALTHY,
    PASS_TO_PASS,
    small_baseline,
    small_repository,
)

QUICK = VerificationSettings(runs=2, repeats=2)
CORE = "spans/core.py"


def candidate(name: str, patch: str) -> BugCandidate:
    return replace(CANDIDATE, candidate_id=f"made__spans.{name}", bug_patch=patch)


def edited(path: str, old: bytes, new: bytes) -> str:
    data = HEALTHY[path].data
    assert old in data
    after: Tree = {**HEALTHY, path: File(data.replace(old, new))}
    return diff_trees(HEALTHY, after)


# Refused without a sandbox.
GONE = candidate("gone", CANDIDATE.bug_patch.replace("spans/core", "spans/gone"))
TESTED = candidate("tested", edited("tests/test_total.py", b"== 6", b"== 7"))
UNRUN = candidate("unrun", edited("README.md", b"Intervals", b"Ranges"))
CHEAP = (GONE, TESTED, UNRUN)
BUG = candidate("bug", CANDIDATE.bug_patch)
SAME = candidate("same", edited(CORE, b"<= high", b"<  high"))


@pytest.fixture
def results(tmp_path: Path) -> ResultCache:
    """An empty result cache."""
    return ResultCache(tmp_path / "results")


BARE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)


async def test_what_is_kept_is_not_tried_again_and_a_dead_sandbox_loses_nothing(
    results: ResultCache,
) -> None:
    dead = DeadProvider()
    repository, baseline = small_repository(BARE), small_baseline()
    told: list[tuple[int, int]] = []
    with pytest.raises(SandboxError, match="no verdict on 1 of 4"):
        await prove(
            dead, repository, baseline, [BUG, *CHEAP], QUICK,
            results=results, told=lambda *counts: told.append(counts),
        )  # fmt: skip
    assert dead.asked == 3, "a sandbox is tried again"
    assert told[:3] == [(1, 4), (2, 4), (3, 4)]
    asked = dead.asked
    verdicts = await prove(dead, repository, baseline, CHEAP, QUICK, results=results)
    assert dead.asked == asked
    assert [each.rejection for each in verdicts] == [
        "does_not_apply", "touches_tests", "uncovered",
    ]  # fmt: skip


async def proof_keys(
    results: ResultCache,
    repository: HealthyRepository,
    baseline: Baseline,
    settings: VerificationSettings = QUICK,
    fast: FastSettings | None = None,
) -> set[str]:
    await prove(
        DeadProvider(), repository, baseline, CHEAP, settings,
        results=results, fast=fast or FastSettings(),
    )  # fmt: skip
    return {path.name for path in results.folder.glob("*/*") if path.name[0] != "."}


async def test_a_verdict_counts_only_for_what_it_was_about(
    results: ResultCache,
) -> None:
    """Another suite, image, coverage or thoroughness asks for another verdict."""
    repository, baseline = small_repository(BARE), small_baseline()
    suite = replace(repository.target.suite, env={"A": "1"})
    coverage = replace(baseline.coverage, shared={CORE: (1,)})
    seen = await proof_keys(results, repository, baseline)
    assert len(seen) == len(CHEAP)
    for changed in (
        (replace(repository, target=replace(repository.target, suite=suite)), baseline),
        (replace(repository, image=replace(BARE, digest="1" * 64)), baseline),
        (repository, replace(baseline, coverage=coverage)),
        (repository, replace(baseline, stable=baseline.stable[:1])),
        (repository, baseline, replace(QUICK, repeats=9)),
        (repository, baseline, QUICK, FastSettings(least_audits=3)),
    ):
        now = await proof_keys(results, *changed)
        assert len(now - seen) == len(CHEAP)
        seen = now


async def test_what_only_allows_for_the_machine_asks_for_nothing_new(
    results: ResultCache,
) -> None:
    repository, baseline = small_repository(BARE), small_baseline()
    seen = await proof_keys(results, repository, baseline)
    patient = replace(QUICK, patience=99.0, least_suite_s=9.0, concurrency=7)
    slower = replace(
        baseline, suite_s=9.0, seconds_by_test={}, sandbox="docker 1", runs=9
    )
    assert await proof_keys(results, repository, slower, patient) == seen


async def test_a_duplicate_is_one_only_beside_its_original(
    bubblewrap: SandboxProvider, suite_image: Image, results: ResultCache
) -> None:
    """So its verdict is not kept; the verdict of a bug that is proven is."""
    repository, baseline = small_repository(suite_image), small_baseline()
    both = await prove(
        bubblewrap, repository, baseline, [BUG, SAME], QUICK, results=results
    )
    assert [each.rejection for each in both] == [None, "duplicate"]
    assert both[0].fail_to_pass == FAIL_TO_PASS
    assert both[0].pass_to_pass == PASS_TO_PASS
    again = await prove(
        DeadProvider(), repository, baseline, [BUG], QUICK, results=results
    )
    assert again == both[:1]
    with pytest.raises(SandboxError):
        await prove(
            DeadProvider(), repository, baseline, [SAME], QUICK, results=results
        )


SAME_SUM = candidate(
    "sum", edited(CORE, b"result += value", b"result = value + result")
)


async def test_what_was_proven_and_audited_is_reported_again_and_not_done_again(
    bubblewrap: SandboxProvider, suite_image: Image, results: ResultCache
) -> None:
    """A run over kept verdicts needs no sandbox and tells the same of the tiers."""
    repository, baseline = small_repository(suite_image), small_baseline()
    reports: list[FastReport] = []
    candidates = [BUG, SAME_SUM, GONE]
    first = await prove(
        bubblewrap, repository, baseline, candidates, QUICK,
        results=results, fast=FastSettings(), reported=reports.append,
    )  # fmt: skip
    dead = DeadProvider()
    again = await prove(
        dead, repository, baseline, candidates, QUICK,
        results=results, fast=FastSettings(), reported=reports.append,
    )  # fmt: skip
    assert again == first
    assert dead.asked == 0
    assert [each.rejection for each in first] == [None, "no_failure", "does_not_apply"]
    before, after = (
        replace(each, screen_s=0.0, confirm_s=0.0, widened_s=0.0) for each in reports
    )
    assert before == after
    assert (after.audited_confirmed, after.audited_rejected) == (1, 1)
    assert (after.missed, after.widened) == (0, False)


async def test_a_run_that_is_killed_goes_on_where_it_stood(
    bubblewrap: SandboxProvider, suite_image: Image, results: ResultCache
) -> None:
    """What the screen rejected is kept before its audit, and audited by the next run."""
    repository, baseline = small_repository(suite_image), small_baseline()

    class KilledError(Exception):
        pass

    def kill(done: int, _total: int) -> None:
        raise KilledError(done)

    with pytest.raises(KilledError):
        await prove(
            bubblewrap, repository, baseline, [SAME_SUM], QUICK,
            results=results, fast=FastSettings(), told=kill,
        )  # fmt: skip
    (key,) = [path.name for path in results.folder.glob("*/*") if path.name[0] != "."]
    kept = results.get_row(key, TieredVerdict)
    assert kept is not None
    assert (kept.tier, kept.whole) == ("rejected", None)
    reports: list[FastReport] = []
    (verdict,) = await prove(
        bubblewrap, repository, baseline, [SAME_SUM], QUICK,
        results=results, fast=FastSettings(), reported=reports.append,
    )  # fmt: skip
    assert verdict.rejection == "no_failure"
    assert reports[0].audited_rejected == 1
    kept = results.get_row(key, TieredVerdict)
    assert kept is not None
    assert kept.whole == verdict
