"""Proving all candidates of a repository: resumable, one verdict at a time.

All that is found out is kept at once, with the tier it comes from and its audit, so
that a killed run goes on where it stood and audits nothing twice. What a verdict says
is decided in `p2f`, not here.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from pydantic import TypeAdapter

from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.retry import with_retries
from envplatform.store import ResultCache, result_key
from envplatform.store.values import digest_json
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.request import screen_tree
from envplatform.swe.p2f.result import Coverage
from envplatform.swe.p2f.screen.fast import verify_candidates_fast
from envplatform.swe.p2f.screen.report import WHERE_IT_PAYS, FastReport, FastSettings
from envplatform.swe.p2f.screen.tiered import TieredVerdict
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.targets import HealthyRepository, target_digest
from envplatform.tree import tree_digest

REVISION = 3
"""Raised when the same candidate can get another verdict than before."""

_COVERAGE = TypeAdapter(Coverage)
_NOT_IN_KEY = frozenset(
    {"concurrency", "patience", "least_suite_s", "least_test_s", "least_candidates"}
)
"""Settings that allow for the machine and decide no verdict."""


def _untold(done: int, total: int) -> None:
    """Progress nobody asked for."""


def _unreported(report: FastReport) -> None:
    """A report nobody asked for."""


async def prove(  # noqa: PLR0913  what to prove, how, and who is told
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    results: ResultCache,
    fast: FastSettings = WHERE_IT_PAYS,
    told: Callable[[int, int], None] = _untold,
    reported: Callable[[FastReport], None] = _unreported,
) -> tuple[Verdict, ...]:
    """Verify every candidate; verdicts in the order of `candidates`.

    `told` is called with the number of verdicts that are there, audits pending, and of
    all; `reported` once, with what became of all candidates, in this run or before.
    Failed sandboxes are tried again for the candidates they left without a verdict.

    Raises:
        SandboxError: the sandbox failed time and again; the verdicts found are kept.
        TargetError: baseline or candidates belong to another tree.
    """
    common = _common_key(repository, baseline, settings, fast)
    keys = {
        one.candidate_id: result_key(
            revision=REVISION,
            inputs={"common": common, "patch": one.bug_patch, "id": one.candidate_id},
            config=None,
            tools={},
        )
        for one in candidates
    }

    async def step() -> dict[str, Verdict]:
        known = _known(results, keys)
        there = set(known)
        if there:
            told(len(there), len(candidates))

        def keep(tiered: TieredVerdict) -> None:
            results.put_row(keys[tiered.candidate_id], tiered)
            there.add(tiered.candidate_id)
            told(len(there), len(candidates))

        return {
            verdict.candidate_id: verdict
            async for verdict in verify_candidates_fast(
                provider, repository, baseline, candidates, settings,
                fast=fast, known=known, found=keep, reported=reported,
            )
        }  # fmt: skip

    found = await with_retries(step)
    told(len(candidates), len(candidates))  # duplicates are not kept
    return tuple(found[one.candidate_id] for one in candidates)


def _known(results: ResultCache, keys: dict[str, str]) -> dict[str, TieredVerdict]:
    rows = {name: results.get_row(key, TieredVerdict) for name, key in keys.items()}
    return {name: row for name, row in rows.items() if row is not None}


def _common_key(
    repository: HealthyRepository,
    baseline: Baseline,
    settings: VerificationSettings,
    fast: FastSettings,
) -> str:
    thoroughness = {
        name: value
        for name, value in asdict(settings).items()
        if name not in _NOT_IN_KEY
    }
    return digest_json(
        {
            "commit": repository.commit,
            "image": repository.image.digest,
            "target": target_digest(repository.target),
            "stable": list(baseline.stable),
            "coverage": _COVERAGE.dump_python(baseline.coverage, mode="json"),
            "settings": thoroughness,
            "fast": {
                name: value
                for name, value in asdict(fast).items()
                if name not in _NOT_IN_KEY
            },
            "runner": tree_digest(screen_tree()),
        }
    )
