"""Proving all candidates of a repository: resumable, one verdict at a time.

Each verdict is kept as soon as it is there, so that a killed run goes on where it
stood. What a verdict says is decided in `p2f`, not here.
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
from envplatform.swe.p2f.many import verify_candidates
from envplatform.swe.p2f.request import runner_digest
from envplatform.swe.p2f.result import Coverage
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.targets import HealthyRepository, target_digest

REVISION = 1
"""Raised when the same candidate can get another verdict than before."""

_COVERAGE = TypeAdapter(Coverage)
_NOT_IN_KEY = frozenset({"concurrency", "patience", "least_suite_s", "least_test_s"})
"""Settings that allow for the machine and decide no verdict."""


def _untold(done: int, total: int) -> None:
    """Progress nobody asked for."""


async def prove(  # noqa: PLR0913  what to prove, how, and who is told
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    results: ResultCache,
    told: Callable[[int, int], None] = _untold,
) -> tuple[Verdict, ...]:
    """Verify every candidate; verdicts in the order of `candidates`.

    `told` is called after each verdict with the number that is there, and of all.
    Failed sandboxes are tried again for the candidates they left without a verdict.

    Raises:
        SandboxError: the sandbox failed time and again; the verdicts found are kept.
        TargetError: baseline or candidates belong to another tree.
    """
    common = _common_key(repository, baseline, settings)
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
        found: dict[str, Verdict] = {}
        async for verdict in verify_candidates(
            provider, repository, baseline, candidates, settings, known=known
        ):
            found[verdict.candidate_id] = verdict
            # A duplicate's verdict depends on its company, so it is not kept.
            if verdict.rejection != "duplicate" and verdict.candidate_id not in known:
                results.put_row(keys[verdict.candidate_id], verdict)
            told(len(found), len(candidates))
        return found

    found = await with_retries(step)
    return tuple(found[one.candidate_id] for one in candidates)


def _known(results: ResultCache, keys: dict[str, str]) -> dict[str, Verdict]:
    rows = {name: results.get_row(key, Verdict) for name, key in keys.items()}
    return {name: row for name, row in rows.items() if row is not None}


def _common_key(
    repository: HealthyRepository, baseline: Baseline, settings: VerificationSettings
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
            "runner": runner_digest(),
        }
    )
