"""Proving all candidates of a repository: resumable, one verdict at a time.

Each verdict is kept as soon as it is there, so that a killed run goes on where it
stood. What a verdict says is decided in `p2f`, not here.
"""

from collections.abc import Sequence
from dataclasses import asdict

from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.retry import with_retries
from envplatform.store import ResultCache, result_key
from envplatform.store.values import digest_json
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.many import verify_candidates
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.targets import HealthyRepository

REVISION = 1
"""Raised when the same candidate can get another verdict than before."""


async def prove(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    results: ResultCache,
) -> tuple[Verdict, ...]:
    """Verify every candidate; verdicts in the order of `candidates`.

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
        found = dict(known)
        async for verdict in verify_candidates(
            provider, repository, baseline, candidates, settings, known=known
        ):
            found[verdict.candidate_id] = verdict
            # A duplicate's verdict depends on its company, so it is not kept.
            if verdict.rejection != "duplicate" and verdict.candidate_id not in known:
                results.put_row(keys[verdict.candidate_id], verdict)
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
        if name not in {"concurrency", "patience", "least_suite_s", "least_test_s"}
    }
    return digest_json(
        {
            "commit": repository.commit,
            "image": repository.image.digest,
            "stable": list(baseline.stable),
            "settings": thoroughness,
        }
    )
