"""Cold pass-to-fail verification of one candidate, each run in a clean sandbox.

A candidate is a bug if a test that passed in every healthy run fails, in its call, in
every defective run. Everything else is a rejection with a reason. Nothing here is
warm or forked: this is what a faster tier is compared with. That tier confirms its
survivors here too, with a selection of the tests in place of all.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from envplatform.errors import TargetError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Cost, TestOutcome, Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.checks import check_compiles, check_patch
from envplatform.swe.p2f.refusal import Refusal, failing, refusal_of
from envplatform.swe.p2f.report import failure_report
from envplatform.swe.p2f.request import RunRequest
from envplatform.swe.p2f.result import SuiteRun
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.suite import run_fresh
from envplatform.swe.targets.prepare import HealthyRepository
from envplatform.swe.targets.target import Suite

_CHEAP_S = 2.0
"""Repeating all selected tests for as long as this costs less than another start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """What every run agrees on."""

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    report: str


async def verify_candidate(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidate: BugCandidate,
    settings: VerificationSettings,
    *,
    survivor_of: frozenset[str] | None = None,
) -> Verdict:
    """Run the defective tree until it is clear what it proves.

    `survivor_of`: the candidate passed the screen, which compiled it, and these stable
    tests are all that it can affect. Only they run; `pass_to_pass` also holds every
    stable test outside of them, which ran in no defective tree. None: all stable tests.
    Survivors may have their repetitions in the last of their runs.

    Raises:
        SandboxError: a sandbox failed; the candidate may be tried again.
        TargetError: baseline or candidate belong to another tree.
    """
    if not repository.commit == baseline.commit == candidate.commit:
        msg = (
            f"{candidate.candidate_id}: made for tree {candidate.commit[:12]}, but the "
            f"repository is {repository.commit[:12]} and its baseline of "
            f"{baseline.commit[:12]}; prepare and measure again"
        )
        raise TargetError(msg)
    began = time.monotonic()
    verification = _Verification(provider, repository, baseline, settings, survivor_of)
    found = await verification.prove(candidate.bug_patch)
    verdict = verdict_of(candidate, found, provider)
    cost = Cost(seconds=round(time.monotonic() - began, 3))
    return replace(verdict, runs=verification.runs_done, cost=cost)


def verdict_of(
    candidate: BugCandidate, found: _Proof | Refusal, provider: SandboxProvider
) -> Verdict:
    """Put what was found on record; runs and cost are left at nothing."""
    empty = _Proof(fail_to_pass=(), pass_to_pass=(), report="")
    proof, refusal = (empty, found) if isinstance(found, Refusal) else (found, None)
    if refusal is None:
        detail = f"{len(proof.fail_to_pass)} tests fail, {proof.fail_to_pass[0]} first"
    else:
        detail = refusal.detail
    return Verdict(
        candidate_id=candidate.candidate_id,
        repository=candidate.repository,
        rejection=None if refusal is None else refusal.reason,
        detail=" ".join(detail.split())[:500],
        fail_to_pass=proof.fail_to_pass,
        pass_to_pass=proof.pass_to_pass,
        failure_report=proof.report,
        runs=0,
        sandbox=f"{provider.info.kind} {provider.info.version}",
    )


class _Verification:
    """The steps of one verification, in order, and how many runs they took."""

    def __init__(
        self,
        provider: SandboxProvider,
        repository: HealthyRepository,
        baseline: Baseline,
        settings: VerificationSettings,
        survivor_of: frozenset[str] | None,
    ) -> None:
        self._is_survivor = survivor_of is not None
        stable = baseline.stable
        chosen = survivor_of if survivor_of is not None else stable
        self._tests = tuple(test for test in stable if test in chosen)
        self._provider = provider
        self._repository = repository
        self._baseline = baseline
        self._settings = settings
        self.runs_done = 0

    async def prove(self, patch: str) -> _Proof | Refusal:
        change = check_patch(self._repository, self._baseline, patch)
        if isinstance(change, Refusal):
            return change
        if not self._is_survivor:
            refusal = await check_compiles(self._provider, self._repository, change)
            if refusal is not None:
                return refusal
        runs: list[SuiteRun] = []
        for seed in range(self._settings.runs):
            runs.append(await self._next_run(change, runs, seed))
            self.runs_done += 1
            refusal = refusal_of(runs, self._tests)
            if refusal is not None:
                return refusal
        return await self._confirm(change, runs)

    async def _next_run(
        self, change: Change, runs: Sequence[SuiteRun], seed: int
    ) -> SuiteRun:
        """Run with all repetitions in it, if it is the last and they cost little.

        A run whose outcomes are not those of the first is done again without.
        """
        plain, settings = self._request(seed=seed), self._settings
        rounds = settings.repeats - settings.runs + 1
        seconds = sum(runs[0].seconds_by_test.values()) if runs else 0.0
        is_last = 0 < seed == settings.runs - 1
        if self._is_survivor and is_last and rounds * seconds < _CHEAP_S:
            merged = await self._run(change, _repeated(plain, rounds))
            if merged.ending == "completed" and merged.outcomes == runs[0].outcomes:
                return merged
        return await self._run(change, plain)

    async def _confirm(
        self, change: Change, runs: Sequence[SuiteRun]
    ) -> _Proof | Refusal:
        always = [test for test in self._tests if all(test in failing(r) for r in runs)]
        merged = runs[-1].repeats
        if not always:
            detail = "different tests fail in different runs"
            return Refusal(reason="flaky", detail=detail)
        left = self._settings.repeats - self._settings.runs - len(merged)
        lasting = await self._repeat(change, _lasting(always, merged), left)
        if isinstance(lasting, Refusal):
            return lasting
        if not lasting:
            detail = f"{always[0]} fails in some repetitions only"
            return Refusal(reason="flaky", detail=detail)
        return _Proof(
            fail_to_pass=tuple(lasting),
            pass_to_pass=self._passing(runs),
            report=failure_report(
                lasting, runs[0].reports, max_chars=self._settings.report_chars
            ),
        )

    def _passing(self, runs: Sequence[SuiteRun]) -> tuple[str, ...]:
        """Return stable tests that passed in all `runs` or were in none."""
        chosen = frozenset(self._tests)
        return tuple(
            test
            for test in self._baseline.stable
            if test not in chosen or all(run.outcomes[test] == "passed" for run in runs)
        )

    async def _repeat(
        self, change: Change, tests: Sequence[str], left: int
    ) -> list[str] | Refusal:
        """Run `tests` alone, again and again, and keep those that always fail."""
        lasting = list(tests)
        while left > 0 and lasting:
            plain = self._request(seed=self._settings.repeats - left + 1)
            request = replace(_repeated(plain, left), ids=tuple(lasting))
            run = await self._run(change, request)
            if run.ending != "completed":
                detail = f"in a repetition: {run.detail or run.ending}"
                return Refusal(reason=run.ending, detail=detail)
            rounds = (run.outcomes, *run.repeats)
            lasting = _lasting(lasting, rounds)
            left -= len(rounds)
        return lasting

    async def _run(self, change: Change, request: RunRequest) -> SuiteRun:
        repository = self._repository
        return await run_fresh(
            self._provider, repository.image, change.tree, repository.target, request
        )

    def _request(self, *, seed: int) -> RunRequest:
        suite = self._repository.target.suite
        plain = plain_request(self._baseline, suite, self._settings, seed=seed)
        return replace(plain, ids=self._tests)


def _repeated(request: RunRequest, rounds: int) -> RunRequest:
    return replace(
        request,
        rounds=rounds,
        stop_on_timeout=False,
        suite_timeout_s=rounds * request.suite_timeout_s,
    )


def _lasting(
    tests: Sequence[str], rounds: Sequence[Mapping[str, TestOutcome]]
) -> list[str]:
    """Return those of `tests` that failed in all `rounds`."""
    return [
        test
        for test in tests
        if all(outcomes.get(test) == "failed" for outcomes in rounds)
    ]


def plain_request(
    baseline: Baseline, suite: Suite, settings: VerificationSettings, *, seed: int
) -> RunRequest:
    """Return one run of all stable tests on a defective tree, with its patience."""
    suite_s = settings.patience * baseline.suite_s
    slowest_s = max(baseline.seconds_by_test.values(), default=0.0)
    test_s = max(settings.least_test_s, settings.patience * slowest_s)
    return RunRequest(
        ids=baseline.stable,
        seed=seed,
        stop_on_timeout=True,
        test_timeout_s=min(test_s, suite.test_timeout_s),
        suite_timeout_s=min(
            max(settings.least_suite_s, suite_s), suite.suite_timeout_s
        ),
    )
