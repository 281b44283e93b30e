"""Tiny repositories made up for the tests of targets, runner and verification."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f import (
    Baseline,
    FastReport,
    FastSettings,
    VerificationSettings,
    measure_baseline,
    verify_candidates,
    verify_candidates_fast,
)
from envplatform.swe.p2f.request import RunRequest
from envplatform.swe.p2f.result import SuiteRun
from envplatform.swe.p2f.suite import run_fresh
from envplatform.swe.targets import (
    Code,
    FolderSource,
    HealthyRepository,
    Suite,
    Target,
)
from envplatform.tree import File, Tree, tree_digest

CALC = """
def add(a, b):
    if a == 0:
        return b
    return a + b


def unused(a):
    return a * 2
"""


def tree_of(files: dict[str, str]) -> Tree:
    """A tree from text."""
    return {path: File(text.encode()) for path, text in files.items()}


def repository_of(
    image: Image,
    tests: str,
    *,
    more: dict[str, str] | None = None,
    suite: Suite | None = None,
    code: Code | None = None,
) -> HealthyRepository:
    """A repository with `calc.py`, one test file, and `more`."""
    tree = tree_of({"calc.py": CALC, "tests/test_it.py": tests, **(more or {})})
    target = Target(
        name="made__calc",
        source=FolderSource(path=Path("calc")),
        license="Apache-2.0",
        python=(image.python,),
        requirements=image.requirements,
        suite=suite or Suite(paths=("tests",), test_timeout_s=3, suite_timeout_s=30),
        code=code or Code(roots=("calc.py",)),
    )
    return HealthyRepository(
        target=target, tree=tree, image=image, commit=tree_digest(tree)
    )


def candidate_of(repository: HealthyRepository, patch: str) -> BugCandidate:
    """A candidate whose id follows from its patch."""
    digest = hashlib.sha256(patch.encode()).hexdigest()
    return BugCandidate(
        candidate_id=f"{repository.name}.{repository.commit[:8]}.made.{digest[:8]}",
        repository=repository.name,
        commit=repository.commit,
        inducer="made",
        operator="made",
        path="calc.py",
        line=1,
        bug_patch=patch,
        seed=0,
    )


async def run_tests(
    provider: SandboxProvider, repository: HealthyRepository, request: RunRequest
) -> SuiteRun:
    """Run the repository's suite in a fresh sandbox."""
    return await run_fresh(
        provider, repository.image, repository.tree, repository.target, request
    )


def request_of(
    *, ids: tuple[str, ...] | None = None, test_s: float = 3, suite_s: float = 30
) -> RunRequest:
    """One plain run."""
    return RunRequest(ids=ids, test_timeout_s=test_s, suite_timeout_s=suite_s)


BUG = ("return a + b", "return a - b")
SAME = ("return a + b", "return b + a")
"""Means the same to numbers."""
_SETTINGS = VerificationSettings(repeats=3, least_test_s=3, least_suite_s=25)


@dataclass(frozen=True)
class Judged:
    """What became of the candidates of one repository, cold and fast alike."""

    baseline: Baseline
    verdicts: tuple[Verdict, ...]
    """In the order of the edits."""
    report: FastReport

    @property
    def rejections(self) -> list[str | None]:
        """Why each is no bug; None for a proven one."""
        return [verdict.rejection for verdict in self.verdicts]


def edited(
    repository: HealthyRepository, old: str, new: str, path: str = "calc.py"
) -> BugCandidate:
    """A candidate that replaces the first `old` of `path`."""
    text = repository.tree[path].data.decode()
    assert old in text
    after = {**repository.tree, path: File(text.replace(old, new, 1).encode())}
    patch = diff_trees(repository.tree, after)
    return replace(candidate_of(repository, patch), path=path)


async def judge_edits(
    provider: SandboxProvider,
    repository: HealthyRepository,
    edits: Sequence[tuple[str, ...]],
) -> Judged:
    """Measure, verify each edit cold and fast, and ask that both say the same."""
    baseline = await measure_baseline(provider, repository)
    candidates = [edited(repository, *edit) for edit in edits]
    cold = {
        verdict.candidate_id: verdict
        async for verdict in verify_candidates(
            provider, repository, baseline, candidates, _SETTINGS
        )
    }
    reports: list[FastReport] = []
    fast = {
        verdict.candidate_id: verdict
        async for verdict in verify_candidates_fast(
            provider,
            repository,
            baseline,
            candidates,
            _SETTINGS,
            fast=FastSettings(audit_share=0.0, least_audits=0),
            reported=reports.append,
        )
    }
    assert list(map(_decided, fast.values())) == [
        _decided(cold[name]) for name in fast
    ], (fast, cold)
    assert len(fast) == len(candidates)
    verdicts = tuple(cold[candidate.candidate_id] for candidate in candidates)
    return Judged(baseline=baseline, verdicts=verdicts, report=reports[0])


def _decided(verdict: Verdict) -> tuple[object, ...]:
    return verdict.rejection, verdict.fail_to_pass, verdict.pass_to_pass
