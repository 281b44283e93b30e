"""One repository under the measurement of `benchmarks.p2f`."""

import random
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from statistics import mean, median
from time import perf_counter
from typing import TypeVar

from benchmarks.p2f_figures import Case, Figures, Sizes, none_left, share_of
from benchmarks.report import refuse
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.inducers.mutation import MutationInducer
from envplatform.swe.p2f import (
    Baseline,
    VerificationSettings,
    run_fresh,
    verify_candidate,
)
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.checks import check_patch
from envplatform.swe.p2f.screen.answers import Question
from envplatform.swe.p2f.screen.ask import screen
from envplatform.swe.p2f.screen.imports import Imports, read_imports
from envplatform.swe.p2f.screen.select import affected_by, select_tests
from envplatform.swe.p2f.screen.tiered import differs
from envplatform.swe.p2f.verify import plain_request
from envplatform.swe.propose import propose
from envplatform.swe.targets import HealthyRepository

T = TypeVar("T")
_LARGE_S = 20.0


class Bench:
    """One repository under measurement."""

    def __init__(
        self,
        provider: SandboxProvider,
        repository: HealthyRepository,
        baseline: Baseline,
        sizes: Sizes,
    ) -> None:
        self._provider = provider
        self._repository = repository
        self._baseline = baseline
        self._sizes = sizes
        self._settings = VerificationSettings()
        self._screen_s = 0.0
        suite = repository.target.suite
        self._imports: Imports = read_imports(repository.tree, suite.pythonpath)
        self._request = plain_request(baseline, suite, self._settings, seed=0)

    async def measure(self) -> Figures:
        """Screen all, then take the sample both ways."""
        cases = await self._screened(self._proposed())
        warm = [case for case in cases if case.answer is not None]
        drawn = random.Random(f"sample {self._sizes.seed}")  # noqa: S311  no secret
        narrow = [case for case in warm if case.is_narrow]
        is_large = self._baseline.suite_s > _LARGE_S
        pool = narrow if is_large else cases
        count = self._sizes.large_sample if is_large else self._sizes.sample
        sample = drawn.sample(pool, min(count, len(pool)))
        if not warm or (count and not sample):
            refuse(none_left(self._repository.name, warm))
        rest = [
            c for c in warm if c not in sample and c.said not in {"survives", "cold"}
        ]
        more_rejected = 0 if is_large or not sample else self._sizes.rejected
        extra = drawn.sample(rest, min(more_rejected, len(rest)))
        full_s = await self._full_runs(warm, drawn)
        ours_s = theirs_s = 0.0
        ours: list[Verdict] = []
        theirs: list[Verdict] = []
        for case in sample:
            quick, quick_s = await timed(self._ours(case))
            whole, whole_s = quick, quick_s
            if case.said != "cold":
                quick_s += self._screen_s
                whole, whole_s = await timed(self._theirs(case))
            ours_s, theirs_s = ours_s + quick_s, theirs_s + whole_s
            ours.append(quick)
            theirs.append(whole)
        judged = [c for c in sample if c.said not in {"survives", "cold"}]
        missed = sum(
            whole.verified
            for case, whole in zip(sample, theirs, strict=True)
            if case in judged
        )
        more = [await self._theirs(case) for case in extra]
        wrong = sum(
            w.rejection != case.said for case, w in zip(extra, more, strict=True)
        )
        return Figures(
            suite_s=round(self._baseline.suite_s, 2),
            screen_ratio=round(full_s / self._screen_s, 1),
            whole_ratio=round(theirs_s / ours_s, 2) if sample else None,
            usability=share_of(sum(v.verified for v in ours), len(ours)),
            affected_share=round(
                mean(c.selection.share for c in warm if c.selection), 4
            ),
            tests=len(self._baseline.stable),
            screened=len(warm),
            survived=sum(case.said == "survives" for case in warm),
            is_large=is_large,
            narrow_share=round(len(narrow) / len(cases), 3),
            narrow_affected_share=round(mean(c.confirmed_share for c in narrow), 4)
            if narrow
            else None,
            sampled=len(sample),
            verified=sum(verdict.verified for verdict in ours),
            cold=sum(case.said == "cold" for case in sample),
            disagreements=wrong
            + sum(
                differs(quick, whole) is not None
                for quick, whole in zip(ours, theirs, strict=True)
            ),
            rejected=len(judged) + len(extra),
            missed=missed + sum(verdict.verified for verdict in more),
        )

    async def _full_runs(self, warm: Sequence[Case], drawn: random.Random) -> float:
        """Return the median seconds of a full run, timed on a sample.

        What runs out of time is left out: it takes as long as patience says.
        """
        rest = [c for c in warm if c.answer and "takes long" not in c.answer.detail]
        chosen = drawn.sample(rest, min(self._sizes.full_runs, len(rest)))
        return median([(await timed(self._run(case)))[1] for case in chosen] or [0.0])

    def _proposed(self) -> list[tuple[BugCandidate, Change]]:
        """Return candidates that are not refused before anything runs."""
        found = propose(
            self._repository,
            self._baseline,
            [MutationInducer(clock=perf_counter)],
            budget=self._sizes.screened,
            seed=self._sizes.seed,
        ).candidates
        checked = [
            (one, check_patch(self._repository, self._baseline, one.bug_patch))
            for one in found
        ]
        return [(one, change) for one, change in checked if isinstance(change, Change)]

    async def _screened(
        self, proposed: Sequence[tuple[BugCandidate, Change]]
    ) -> list[Case]:
        cases = [
            Case(
                candidate=candidate,
                change=change,
                selection=select_tests(self._repository, self._baseline, change),
                answer=None,
                confirmed_share=len(self._affected(change))
                / len(self._baseline.stable),
            )
            for candidate, change in proposed
        ]
        questions = [
            Question(
                files={path: case.change.tree[path].data for path in case.change.lines},
                stages=case.selection.stages,
            )
            for case in cases
            if case.selection
        ]
        answers, seconds = await timed(
            screen(
                self._provider,
                self._repository,
                self._baseline,
                questions,
                self._settings,
            )
        )
        self._screen_s = seconds / max(len(questions), 1)
        given = iter(answers)
        return [
            replace(case, answer=next(given)) if case.selection else case
            for case in cases
        ]

    def _affected(self, change: Change) -> frozenset[str]:
        return affected_by(self._repository, self._baseline, self._imports, change)

    async def _run(self, case: Case) -> None:
        """Run the whole suite once on a candidate, in a fresh sandbox."""
        repository = self._repository
        await run_fresh(
            self._provider,
            repository.image,
            case.change.tree,
            repository.target,
            self._request,
        )

    async def _theirs(
        self, case: Case, survivor_of: frozenset[str] | None = None
    ) -> Verdict:
        return await verify_candidate(
            self._provider,
            self._repository,
            self._baseline,
            case.candidate,
            self._settings,
            survivor_of=survivor_of,
        )

    async def _ours(self, case: Case) -> Verdict:
        """Return the verdict that the screen's answer leads to."""
        if case.said == "cold":
            return await self._theirs(case)
        if case.said == "survives":
            return await self._theirs(case, self._affected(case.change))
        return _rejected(case)


def _rejected(case: Case) -> Verdict:
    return Verdict(
        candidate_id=case.candidate.candidate_id,
        repository=case.candidate.repository,
        rejection=case.said,  # type: ignore[arg-type]  # a rejection's name
        detail="",
        fail_to_pass=(),
        pass_to_pass=(),
        failure_report="",
        runs=1,
        sandbox="",
    )


async def timed(work: Awaitable[T]) -> tuple[T, float]:
    """Return what `work` gives, and its seconds; it has not begun."""
    began = perf_counter()
    found = await work
    return found, perf_counter() - began
