"""Verify many candidates of one repository at once; one that fails costs no other."""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from functools import partial
from types import MappingProxyType
from typing import TypeVar

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

T = TypeVar("T")


async def verify_candidates(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    known: Mapping[str, Verdict] = MappingProxyType({}),
) -> AsyncIterator[Verdict]:
    """Yield one verdict a candidate: first those that need no run, then as they finish.

    Verdicts that are `known` already, by candidate id, are yielded as they are.

    A candidate that means the same as an earlier one is a `duplicate`, whichever
    would have finished first. Leaving the loop early cancels what is under way.

    Raises:
        SandboxError: some sandboxes failed; raised after every other verdict was
            yielded, and says how many candidates are left without one.
        TargetError: as `verify_candidate`.
    """
    first = originals(repository, baseline, candidates)
    steps: dict[int, Callable[[], Awaitable[Verdict]]] = {}
    for place, candidate in enumerate(candidates):
        if first[place] != place:
            detail = f"the same change as {candidates[first[place]].candidate_id}"
            refusal = Refusal(reason="duplicate", detail=detail)
            yield verdict_of(candidate, refusal, provider)
        elif candidate.candidate_id in known:
            yield known[candidate.candidate_id]
        else:
            steps[place] = partial(
                verify_candidate, provider, repository, baseline, candidate, settings
            )
    failures: list[SandboxError] = []
    gate = asyncio.Semaphore(settings.concurrency)
    async with aclosing(some_at_a_time(steps, gate)) as finished:
        async for _, found in finished:
            if isinstance(found, SandboxError):
                failures.append(found)
            else:
                yield found
    if failures:
        msg = (
            f"{repository.name}: no verdict on {len(failures)} of {len(candidates)} "
            f"candidates, the sandbox failed; first: {failures[0]}"
        )
        raise SandboxError(msg) from failures[0]


async def some_at_a_time(
    steps: Mapping[int, Callable[[], Awaitable[T]]], gate: asyncio.Semaphore
) -> AsyncGenerator[tuple[int, T | SandboxError]]:
    """Take all `steps`, as many at once as `gate` lets through; yield them as they end.

    A step whose sandbox failed comes as its error. Leaving early cancels the rest.
    """

    async def one(place: int) -> tuple[int, T | SandboxError]:
        async with gate:
            try:
                return place, await steps[place]()
            except SandboxError as error:
                return place, error

    tasks = [asyncio.create_task(one(place)) for place in steps]
    try:
        for finished in asyncio.as_completed(tasks):
            yield await finished
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


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
