"""Verify many candidates fast: screen warm, confirm by selection, audit both.

The screen decides what is no bug; only clean sandboxes decide what is one. What a
fork can't judge is verified cold. Samples of both kinds of verdict are compared with
the whole suite, and one difference sends the whole repository there.
"""

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from envplatform.errors import SandboxError, TargetError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.many import some_at_a_time
from envplatform.swe.p2f.screen.audits import drawn_audits
from envplatform.swe.p2f.screen.imports import read_imports
from envplatform.swe.p2f.screen.plan import plan
from envplatform.swe.p2f.screen.report import FastReport, FastSettings, fast_report
from envplatform.swe.p2f.screen.select import affected_by
from envplatform.swe.p2f.screen.sittings import Screened, screen_all
from envplatform.swe.p2f.screen.tiered import TieredVerdict, differs
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import verify_candidate
from envplatform.swe.targets.prepare import HealthyRepository

_Step = Callable[[int], Awaitable[TieredVerdict]]


def _unreported(report: FastReport) -> None:
    """A report nobody asked for."""


def _unkept(verdict: TieredVerdict) -> None:
    """Nobody goes on later."""


async def verify_candidates_fast(  # noqa: PLR0913  what, how, and who is told
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    fast: FastSettings,
    known: Mapping[str, TieredVerdict] = MappingProxyType({}),
    found: Callable[[TieredVerdict], None] = _unkept,
    reported: Callable[[FastReport], None] = _unreported,
) -> AsyncGenerator[Verdict]:
    """Yield one verdict a candidate, as `verify_candidates` does.

    Refusals, duplicates and cold verdicts come as they are ready; what screen and
    confirmation decided comes after the audits, and is then what the whole suite said
    of an audited candidate, or of every one if an audit differed. `reported` is called
    once, at the end.

    `found` is called with all that was found out, the moment it was, and may hold the
    same candidate twice, the later one to be kept; given back as `known` (by candidate
    id) none of it is done again. Audits that are known count.

    A verdict of the screen has one run, of the selected tests. A confirmed one has
    `pass_to_pass` from the selection's clean runs and from the stable tests outside
    of it, which can't be affected as far as lines and imports tell.

    Raises:
        SandboxError: some sandboxes failed; raised after every other verdict that was
            ready was yielded.
        TargetError: as `verify_candidate`.
    """
    work = _Work(
        provider, repository, baseline, candidates, settings,
        fast=fast, known=known, found=found,
    )  # fmt: skip
    async with aclosing(work.verdicts()) as verdicts:
        async for verdict in verdicts:
            yield verdict
    if work.failures:
        first = next(iter(work.failures.values()))
        msg = (
            f"{repository.name}: no verdict on {len(work.failures)} of "
            f"{len(candidates)} candidates, the sandbox failed; first: {first}"
        )
        raise SandboxError(msg) from first
    reported(work.report())


class _Work:
    """All candidates of one repository on their way through the tiers."""

    def __init__(  # noqa: PLR0913  as the function above
        self,
        provider: SandboxProvider,
        repository: HealthyRepository,
        baseline: Baseline,
        candidates: Sequence[BugCandidate],
        settings: VerificationSettings,
        *,
        fast: FastSettings,
        known: Mapping[str, TieredVerdict],
        found: Callable[[TieredVerdict], None],
    ) -> None:
        for candidate in candidates:
            if not repository.commit == baseline.commit == candidate.commit:
                msg = (
                    f"{candidate.candidate_id}: repository, baseline and candidate "
                    "belong to different trees; prepare and measure again"
                )
                raise TargetError(msg)
        self._provider = provider
        self._repository = repository
        self._baseline = baseline
        self._candidates = candidates
        self._settings = settings
        self._fast = fast
        self._known = known
        self._found = found
        self._gate = asyncio.Semaphore(settings.concurrency)
        self._stable = frozenset(baseline.stable)
        self._tiered: dict[int, TieredVerdict] = {}
        """By place: all that is decided, audits included."""
        self._cold: set[int] = set()
        self._survivors: dict[int, tuple[Screened, frozenset[str]]] = {}
        """Not confirmed yet: what the screen saw, and the tests to run."""
        self._seconds = {"screen": 0.0, "confirm": 0.0, "widened": 0.0}
        self.failures: dict[int, SandboxError] = {}
        """By place: no verdict."""

    async def verdicts(self) -> AsyncGenerator[Verdict]:
        """Yield all verdicts."""
        changes = self._plan()
        for tiered in list(self._tiered.values()):
            if not tiered.is_auditable:
                yield tiered.verdict
        await self._screen(changes)
        async with aclosing(self._confirm()) as verdicts:
            async for verdict in verdicts:
                yield verdict
        await self._widen()
        for place in sorted(self._tiered):
            if self._tiered[place].is_auditable and place not in self.failures:
                yield self._tiered[place].final

    # -- before anything runs

    def _plan(self) -> Mapping[int, Change]:
        """Enter what needs no run, and return the other changes by place."""
        found = plan(
            self._provider,
            self._repository,
            self._baseline,
            self._candidates,
            self._known,
        )
        for place, tiered in found.decided.items():
            self._tiered[place] = tiered
            if place in found.new:
                self._found(tiered)
        return found.changes

    def _keep(self, place: int, tiered: TieredVerdict) -> None:
        self._tiered[place] = tiered
        self._found(tiered)

    # -- screen

    async def _screen(self, changes: Mapping[int, Change]) -> None:
        """Sort changes into those that survive, that fall, and that go cold."""
        if len(changes) < self._fast.least_candidates:
            self._cold = set(changes)
            return
        began = time.monotonic()
        screened = await screen_all(
            self._provider,
            self._repository,
            self._baseline,
            changes,
            self._settings,
            failures=self.failures,
        )
        suite = self._repository.target.suite
        imports = read_imports(self._repository.tree, suite.pythonpath)
        known = {*self.failures, *(p for p in screened if not screened[p].is_cold)}
        self._cold = set(changes) - known
        for place, one in screened.items():
            if one.survives:
                tests = affected_by(
                    self._repository, self._baseline, imports, one.change
                )
                self._survivors[place] = one, tests
            elif not one.is_cold:
                candidate = self._candidates[place]
                self._keep(place, one.rejection(candidate, self._provider))
        self._seconds["screen"] = time.monotonic() - began

    # -- confirmation, what goes cold, and audits

    async def _confirm(self) -> AsyncGenerator[Verdict]:
        """Verify in clean sandboxes; yield cold verdicts, keep the others."""
        began = time.monotonic()
        name = f"audit {self._fast.seed} {self._baseline.commit}"
        audits = drawn_audits(self._survivors, self._tiered, self._fast, name)
        places = {*self._cold, *self._survivors, *audits}
        async with aclosing(self._each(places, self._tier_of(audits))) as verified:
            async for place, tiered in verified:
                self._keep(place, tiered)
                if tiered.tier == "cold":
                    yield tiered.verdict
        self._seconds["confirm"] = time.monotonic() - began

    def _tier_of(self, audits: set[int]) -> _Step:
        async def step(place: int) -> TieredVerdict:
            if place in self._cold:
                verdict = await self._verify(place, None)
                name = verdict.candidate_id
                return TieredVerdict(candidate_id=name, verdict=verdict, tier="cold")
            if place in self._survivors:
                return await self._confirmed(place, is_audit=place in audits)
            return await self._audited(place)

        return step

    async def _confirmed(self, place: int, *, is_audit: bool) -> TieredVerdict:
        """Confirm a survivor; an audit asks the whole suite too, and compares."""
        screened, selected = self._survivors[place]
        verdict = await self._verify(place, selected)
        whole = await self._verify(place, None) if is_audit else None
        difference = differs(verdict, whole) if whole else None
        return TieredVerdict(
            candidate_id=verdict.candidate_id,
            verdict=verdict,
            tier="confirmed",
            affected_share=screened.selection.share,
            selected_share=len(selected) / len(self._stable),
            whole=whole,
            difference=difference,
        )

    async def _audited(self, place: int) -> TieredVerdict:
        """Ask the whole suite of what is decided already."""
        tiered = self._tiered[place]
        whole = await self._verify(place, None)
        difference = differs(tiered.verdict, whole)
        return replace(tiered, whole=whole, difference=difference)

    async def _verify(self, place: int, tests: frozenset[str] | None) -> Verdict:
        return await verify_candidate(
            self._provider,
            self._repository,
            self._baseline,
            self._candidates[place],
            self._settings,
            survivor_of=tests,
        )

    async def _each(
        self, places: Iterable[int], step: _Step
    ) -> AsyncGenerator[tuple[int, TieredVerdict]]:
        """Take `step` for each place, some at a time; keep failures for later."""
        steps = {place: partial(step, place) for place in sorted(places)}
        async with aclosing(some_at_a_time(steps, self._gate)) as finished:
            async for place, found in finished:
                if isinstance(found, SandboxError):
                    self.failures[place] = found
                else:
                    yield place, found

    async def _widen(self) -> None:
        """After a difference, ask the whole suite of everything."""
        began = time.monotonic()
        if any(tiered.difference for tiered in self._tiered.values()):
            left = {
                place
                for place, tiered in self._tiered.items()
                if tiered.is_auditable and tiered.whole is None
            }
            async with aclosing(self._each(left, self._audited)) as verified:
                async for place, tiered in verified:
                    self._keep(place, replace(tiered, is_widened=True))
        self._seconds["widened"] = time.monotonic() - began

    def report(self) -> FastReport:
        """Add up."""
        return fast_report(
            self._repository.name, list(self._tiered.values()), self._seconds
        )
