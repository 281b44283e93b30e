"""Verify many candidates fast: screen warm, confirm by selection, audit both.

The screen decides what is no bug; only clean sandboxes decide what is one. What a
fork can't judge is verified cold. Samples of both kinds of verdict are compared with
the whole suite, and one difference sends the whole repository there.
"""

import asyncio
import math
import random
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from types import MappingProxyType

from envplatform.errors import SandboxError, TargetError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Cost, Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.checks import check_patch
from envplatform.swe.p2f.many import originals
from envplatform.swe.p2f.refusal import Refusal
from envplatform.swe.p2f.screen.answers import Answer, Question
from envplatform.swe.p2f.screen.ask import screen
from envplatform.swe.p2f.screen.imports import read_imports
from envplatform.swe.p2f.screen.report import Difference, FastReport, FastSettings
from envplatform.swe.p2f.screen.select import Selection, affected_by, select_tests
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import verdict_of, verify_candidate
from envplatform.swe.targets.prepare import HealthyRepository

_LEAST_A_SANDBOX = 20
"""Fewer candidates than this are not worth a second warm sandbox."""


def _unreported(report: FastReport) -> None:
    """A report nobody asked for."""


async def verify_candidates_fast(  # noqa: PLR0913  what, how, and who is told
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings,
    *,
    fast: FastSettings,
    known: Mapping[str, Verdict] = MappingProxyType({}),
    reported: Callable[[FastReport], None] = _unreported,
) -> AsyncGenerator[Verdict]:
    """Yield one verdict a candidate, as `verify_candidates` does.

    Refusals, duplicates and cold verdicts come as they are ready; what screen and
    confirmation decided comes after the audits, and is then what the whole suite said
    of an audited candidate, or of every one if an audit differed. `reported` is called
    once, at the end.

    A verdict of the screen has one run, of the selected tests. A confirmed one has
    `pass_to_pass` from the selection's clean runs and from the stable tests outside
    of it, which can't be affected as far as lines and imports tell.

    Raises:
        SandboxError: some sandboxes failed; raised after every other verdict that was
            ready was yielded.
        TargetError: as `verify_candidate`.
    """
    work = _Work(
        provider, repository, baseline, candidates, settings, fast=fast, known=known
    )
    async with aclosing(work.verdicts()) as verdicts:
        async for verdict in verdicts:
            yield verdict
    if work.failures:
        msg = (
            f"{repository.name}: no verdict on {len(work.failures)} of "
            f"{len(candidates)} candidates, the sandbox failed; "
            f"first: {work.failures[0]}"
        )
        raise SandboxError(msg) from work.failures[0]
    reported(work.report())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Screened:
    """A candidate that a fork judged."""

    place: int
    change: Change
    selection: Selection
    answer: Answer


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
        known: Mapping[str, Verdict],
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
        self._gate = asyncio.Semaphore(settings.concurrency)
        self._screened: list[_Screened] = []
        self._cold: list[int] = []
        self._decided: dict[int, Verdict] = {}
        """By place: what screen and confirmation say, the audits pending."""
        self._selected: dict[int, frozenset[str]] = {}
        self._seconds = {"screen": 0.0, "confirm": 0.0, "audit": 0.0}
        self._differences: list[Difference] = []
        self._audited: dict[bool, int] = {True: 0, False: 0}
        self._refused = self._missed = 0
        self.failures: list[SandboxError] = []

    async def verdicts(self) -> AsyncGenerator[Verdict]:
        """Yield all verdicts."""
        changes, refused = self._plan()
        for verdict in refused:
            yield verdict
        began = time.monotonic()
        await self._screen(changes)
        self._seconds["screen"] = time.monotonic() - began
        began = time.monotonic()
        async with aclosing(self._confirm()) as verdicts:
            async for verdict in verdicts:
                yield verdict
        self._seconds["confirm"] = time.monotonic() - began
        began = time.monotonic()
        async with aclosing(self._audit()) as verdicts:
            async for verdict in verdicts:
                yield verdict
        self._seconds["audit"] = time.monotonic() - began

    # -- before anything runs

    def _plan(self) -> tuple[dict[int, Change], list[Verdict]]:
        """Return changes by place, and the verdicts that need no run."""
        first = originals(self._repository, self._baseline, self._candidates)
        changes: dict[int, Change] = {}
        done: list[Verdict] = []
        for place, candidate in enumerate(self._candidates):
            if first[place] != place:
                same = self._candidates[first[place]].candidate_id
                detail = f"the same change as {same}"
                found: Change | Refusal = Refusal(reason="duplicate", detail=detail)
            elif candidate.candidate_id in self._known:
                done.append(self._known[candidate.candidate_id])
                continue
            else:
                found = check_patch(
                    self._repository, self._baseline, candidate.bug_patch
                )
            if isinstance(found, Refusal):
                done.append(verdict_of(candidate, found, self._provider))
            else:
                changes[place] = found
        self._refused = len(done)
        return changes, done

    # -- screen

    async def _screen(self, changes: Mapping[int, Change]) -> None:
        picked: list[tuple[int, Change, Selection]] = []
        for place, change in changes.items():
            selection = select_tests(self._repository, self._baseline, change)
            if selection is None:
                self._cold.append(place)
            else:
                picked.append((place, change, selection))
        parts = min(self._settings.concurrency, len(picked) // _LEAST_A_SANDBOX) or 1
        hands = [picked[start::parts] for start in range(parts)]
        sittings = await asyncio.gather(*map(self._ask, hands))
        for screened in (one for sitting in sittings for one in sitting):
            self._screened.append(screened)
            if screened.answer.said == "cold":
                self._cold.append(screened.place)

    async def _ask(
        self, picked: Sequence[tuple[int, Change, Selection]]
    ) -> list[_Screened]:
        questions = [
            Question(
                files={path: change.tree[path].data for path in change.lines},
                tests=selection.tests,
            )
            for _, change, selection in picked
        ]
        answers = await screen(
            self._provider, self._repository, self._baseline, questions, self._settings
        )
        return [
            _Screened(place=place, change=change, selection=selection, answer=answer)
            for (place, change, selection), answer in zip(picked, answers, strict=True)
        ]

    # -- confirmation, and what goes cold

    async def _confirm(self) -> AsyncGenerator[Verdict]:
        """Yield cold verdicts; keep the others until the audits are done."""
        suite = self._repository.target.suite
        imports = read_imports(self._repository.tree, suite.pythonpath)
        for screened in self._screened:
            said = screened.answer.said
            if said == "survives":
                self._selected[screened.place] = affected_by(
                    self._repository, self._baseline, imports, screened.change
                )
            elif said != "cold":
                self._decided[screened.place] = self._rejected(screened)
        cold = set(self._cold)
        async with aclosing(self._verify({*cold, *self._selected})) as verified:
            async for place, verdict in verified:
                if place in cold:
                    yield verdict
                else:
                    self._decided[place] = verdict

    def _rejected(self, screened: _Screened) -> Verdict:
        answer, candidate = screened.answer, self._candidates[screened.place]
        if answer.said in {"survives", "cold"}:
            msg = f"{candidate.candidate_id}: {answer.said} is no rejection"
            raise AssertionError(msg)
        refusal = Refusal(reason=answer.said, detail=answer.detail)  # type: ignore[arg-type]
        verdict = verdict_of(candidate, refusal, self._provider)
        is_run = answer.said != "does_not_compile"
        cost = Cost(seconds=round(answer.seconds, 3))
        return replace(verdict, runs=int(is_run), cost=cost)

    async def _verify(
        self, places: set[int], *, whole: bool = False
    ) -> AsyncGenerator[tuple[int, Verdict]]:
        """Verify in clean sandboxes, some at a time; keep what failed for later."""

        async def one(place: int) -> tuple[int, Verdict]:
            async with self._gate:
                verdict = await verify_candidate(
                    self._provider,
                    self._repository,
                    self._baseline,
                    self._candidates[place],
                    self._settings,
                    survivor_of=None if whole else self._selected.get(place),
                )
            return place, verdict

        tasks = [asyncio.create_task(one(place)) for place in sorted(places)]
        try:
            for finished in asyncio.as_completed(tasks):
                try:
                    yield await finished
                except SandboxError as error:
                    self.failures.append(error)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # -- audits

    async def _audit(self) -> AsyncGenerator[Verdict]:
        """Compare samples with the whole suite; yield what then holds."""
        confirmed = {p for p in self._decided if p in self._selected}
        rejected = set(self._decided) - confirmed
        sample = {*self._sampled(confirmed), *self._sampled(rejected)}
        async with aclosing(self._verify(sample, whole=True)) as verified:
            async for place, whole in verified:
                self._compare(place, whole)
                yield whole
        left = set(self._decided) - sample
        if self._differences:
            async with aclosing(self._verify(left, whole=True)) as verified:
                async for _, whole in verified:
                    yield whole
            return
        for place in sorted(left):
            yield self._decided[place]

    def _sampled(self, places: set[int]) -> list[int]:
        fast = self._fast
        count = max(fast.least_audits, math.ceil(fast.audit_share * len(places)))
        drawn = random.Random(f"audit {fast.seed} {self._baseline.commit}")  # noqa: S311  no secret
        return drawn.sample(sorted(places), min(count, len(places)))

    def _compare(self, place: int, whole: Verdict) -> None:
        ours = self._decided[place]
        self._audited[place in self._selected] += 1
        if place not in self._selected and whole.verified:
            self._missed += 1
        if difference := differs(ours, whole):
            self._differences.append(difference)

    def report(self) -> FastReport:
        """Add up."""
        screened, baseline = self._screened, self._baseline
        confirmed = [
            place
            for place, verdict in self._decided.items()
            if place in self._selected and verdict.verified
        ]
        return FastReport(
            repository=self._repository.name,
            candidates=len(self._candidates),
            refused=self._refused,
            screened=len(screened),
            survived=len(self._selected),
            screen_rejected=len(self._decided) - len(self._selected),
            cold=len(self._cold),
            confirmed=len(confirmed),
            affected_share=_mean([one.selection.share for one in screened]),
            selected_share=_mean(
                [len(t) / len(baseline.stable) for t in self._selected.values()]
            ),
            audited_confirmed=self._audited[True],
            audited_rejected=self._audited[False],
            missed=self._missed,
            differences=tuple(self._differences),
            widened=bool(self._differences),
            screen_s=round(self._seconds["screen"], 3),
            confirm_s=round(self._seconds["confirm"], 3),
            audit_s=round(self._seconds["audit"], 3),
        )


def differs(fast: Verdict, whole: Verdict) -> Difference | None:
    """Return how two verdicts on one candidate differ, if they do."""
    if (
        fast.rejection == whole.rejection
        and fast.fail_to_pass == whole.fail_to_pass
        and fast.pass_to_pass == whole.pass_to_pass
    ):
        return None
    return Difference(
        candidate_id=whole.candidate_id,
        fast=_told(fast, whole),
        whole=_told(whole, fast),
    )


def _told(verdict: Verdict, other: Verdict) -> str:
    said = verdict.rejection or "verified"
    only = sorted(set(verdict.fail_to_pass) - set(other.fail_to_pass))
    return f"{said}: {verdict.detail}" + (
        f"; only here fails {only[0]}" if only else ""
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
