"""Verify many candidates of one repository at once; one that fails costs no other."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from types import MappingProxyType

from envplatform.errors import SandboxError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change, fingerprint
from envplatform.swe.p2f.checks import check_patch
from envplatform.swe.p2f.refusal import Refusal
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import verdict_of, verify_candidate
from envplatform.swe.targets.prepare import HealthyRepository


async def verify_candidates(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    known: Mapping[str, Verdict] = MappingProxyType({}),
) -> AsyncIterator[Verdict]:
    """Yield one verdict a candidate, in the order in which they finish.

    Verdicts that are `known` already, by candidate id, are yielded as they are.

    A candidate that means the same as an earlier one is a `duplicate`, whichever
    would have finished first. Leaving the loop early cancels what is under way.

    Raises:
        SandboxError: some sandboxes failed; raised after every other verdict was
            yielded, and says how many candidates are left without one.
        TargetError: as `verify_candidate`.
    """
    work = _Work(provider, repository, baseline, candidates, settings)
    tasks = [
        asyncio.create_task(work.verdict(place, known))
        for place in range(len(candidates))
    ]
    failures: list[SandboxError] = []
    try:
        for finished in asyncio.as_completed(tasks):
            try:
                yield await finished
            except SandboxError as error:
                failures.append(error)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failures:
        msg = (
            f"{repository.name}: no verdict on {len(failures)} of {len(candidates)} "
            f"candidates, the sandbox failed; first: {failures[0]}"
        )
        raise SandboxError(msg) from failures[0]


class _Work:
    """The candidates, and a gate that lets some of them through at a time."""

    def __init__(
        self,
        provider: SandboxProvider,
        repository: HealthyRepository,
        baseline: Baseline,
        candidates: Sequence[BugCandidate],
        settings: VerificationSettings,
    ) -> None:
        self._provider = provider
        self._repository = repository
        self._baseline = baseline
        self._candidates = candidates
        self._settings = settings
        self._gate = asyncio.Semaphore(settings.concurrency)
        self._originals = originals(repository, baseline, candidates)

    async def verdict(self, place: int, known: Mapping[str, Verdict]) -> Verdict:
        """Return the verdict on the candidate at `place`."""
        candidate = self._candidates[place]
        first = self._originals[place]
        if first != place:
            detail = f"the same change as {self._candidates[first].candidate_id}"
            refusal = Refusal(reason="duplicate", detail=detail)
            return verdict_of(candidate, refusal, self._provider)
        if candidate.candidate_id in known:
            return known[candidate.candidate_id]
        async with self._gate:
            return await verify_candidate(
                self._provider,
                self._repository,
                self._baseline,
                candidate,
                self._settings,
            )


def originals(
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
) -> list[int]:
    """Return, for each candidate, the place of the first that means the same."""
    seen: dict[tuple[tuple[str, str], ...], int] = {}
    places: list[int] = []
    for place, candidate in enumerate(candidates):
        change = check_patch(repository, baseline, candidate.bug_patch)
        if isinstance(change, Change):
            places.append(seen.setdefault(fingerprint(change), place))
        else:
            places.append(place)
    return places
