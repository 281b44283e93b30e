"""What the warm screen and selection save: `python -m benchmarks.p2f`.

Theirs: one fresh sandbox a run, and the whole suite in it. Ours: `envplatform.swe.p2f`
with its screen. Same candidates, same repeats, same machine, one after the other.

    screen_ratio   one full run of a candidate, to one candidate of the screen; the
                   screen's sandbox, imports and healthy trial run are shared among all
                   that it is asked about; candidates that run out of time count as
                   often as they are
    whole_ratio    a verdict from full runs, to one from screen and confirmation, over
                   all pairs of the sample; what no fork can judge costs the same both
                   ways and is in both sums; audits are apart

Each verdict of the sample is found both ways, one right after the other, and compared:
the sample is the audit. Figures over all are medians over repositories, shares are of
all candidates.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Awaitable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import TypeVar

from benchmarks.report import print_result, progress, refuse
from envplatform.errors import EnvPlatformError
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.inducers.mutation import MutationInducer
from envplatform.swe.p2f import (
    Baseline,
    VerificationSettings,
    measure_baseline,
    run_fresh,
    verify_candidate,
)
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.checks import check_patch
from envplatform.swe.p2f.screen.answers import Answer, Question
from envplatform.swe.p2f.screen.ask import screen
from envplatform.swe.p2f.screen.imports import Imports, read_imports
from envplatform.swe.p2f.screen.report import wilson
from envplatform.swe.p2f.screen.select import Selection, affected_by, select_tests
from envplatform.swe.p2f.screen.tiered import differs
from envplatform.swe.p2f.verify import plain_request
from envplatform.swe.propose import propose
from envplatform.swe.targets import (
    HealthyRepository,
    Target,
    builtin_target,
    builtin_targets,
    configured_index,
    load_target,
    prepare,
)

T = TypeVar("T")
_FULL_RUNS = 3
"""Full runs of each kind of candidate, to be compared with the screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured of each repository."""

    screened: int
    """Candidates proposed, and put to the screen where a fork can judge them."""
    sample: int
    """Of them, verified both ways."""
    rejected: int
    """Besides, of those that the screen rejected."""
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One repository."""

    suite_s: float
    screen_ratio: float
    whole_ratio: float
    usability: float
    """Share of the sample that is proven, as the screen's way has it."""
    affected_share: float
    tests: int
    screened: int
    timeouts: int
    """Of the screened: what no way can make faster."""
    sampled: int
    verified: int
    cold: int
    """Of the sample, judged by no fork."""
    disagreements: int
    rejected: int
    missed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A candidate on its way through both."""

    candidate: BugCandidate
    change: Change
    selection: Selection | None
    answer: Answer | None

    @property
    def said(self) -> str:
        """What the screen says; `cold` if it was not asked."""
        return self.answer.said if self.answer else "cold"


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
        sample = drawn.sample(cases, min(self._sizes.sample, len(cases)))
        if not warm or not sample:
            refuse(f"{self._repository.name}: no candidate that a fork can judge")
        rest = [
            c for c in warm if c not in sample and c.said not in {"survives", "cold"}
        ]
        extra = drawn.sample(rest, min(self._sizes.rejected, len(rest)))
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
            whole_ratio=round(theirs_s / ours_s, 2),
            usability=round(sum(v.verified for v in ours) / len(ours), 3),
            affected_share=round(
                mean(c.selection.share for c in warm if c.selection), 4
            ),
            tests=len(self._baseline.stable),
            screened=len(warm),
            timeouts=sum(case.said == "timeout" for case in warm),
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
        """Return the mean seconds of a full run, timed on samples.

        What runs out of time takes that time both ways, so it is sampled apart.
        """
        late = [case for case in warm if case.said == "timeout"]
        rest = [case for case in warm if case.said != "timeout"]
        total = 0.0
        for cases in (late, rest):
            chosen = drawn.sample(cases, min(_FULL_RUNS, len(cases)))
            runs = [(await timed(self._run(case)))[1] for case in chosen]
            total += len(cases) * mean(runs or [0.0])
        return total / len(warm)

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
            Case(
                candidate=case.candidate,
                change=case.change,
                selection=case.selection,
                answer=next(given) if case.selection else None,
            )
            for case in cases
        ]

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
            selected = affected_by(
                self._repository, self._baseline, self._imports, case.change
            )
            return await self._theirs(case, selected)
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


async def measure_all(
    targets: Sequence[Target], cache: Path, sizes: Sizes
) -> dict[str, Figures]:
    """Measure one repository after the other."""
    provider = BubblewrapProvider()
    provider.probe()
    found: dict[str, Figures] = {}
    for target in targets:
        repository = await prepare(target, cache, index=configured_index())
        baseline = await measure_baseline(provider, repository)
        progress(f"{target.name}: {len(baseline.stable)} tests, {baseline.suite_s} s")
        bench = Bench(provider, repository, baseline, sizes)
        found[target.name] = figures = await bench.measure()
        progress(f"{target.name}: {asdict(figures)}")
    return found


def summary(found: dict[str, Figures]) -> dict[str, object]:
    """Return the keys of the contract."""
    all_of = list(found.values())
    total = sum(one.sampled for one in all_of)
    rejected = sum(one.rejected for one in all_of)
    missed = sum(one.missed for one in all_of)
    verified = sum(one.verified for one in all_of)
    differences = sum(one.disagreements for one in all_of)
    return {
        "screen_ratio": median(one.screen_ratio for one in all_of),
        "whole_ratio": median(one.whole_ratio for one in all_of),
        "disagreements": differences,
        "screen_miss_rate": round(missed / rejected, 4) if rejected else None,
        "screen_miss_interval": [round(end, 4) for end in wilson(missed, rejected)],
        "candidates": total,
        "verified": verified,
        "usability": round(verified / total, 3),
        "affected_share": round(mean(one.affected_share for one in all_of), 4),
        "audit_differences": differences,
        "per_repository": {name: asdict(one) for name, one in found.items()},
    }


def chosen_targets(names: Sequence[str]) -> list[Target]:
    """Return targets by name of a built-in one or by path of a target.toml."""
    known = builtin_targets()
    return [
        builtin_target(name) if name in known else load_target(Path(name))
        for name in names or known
    ]


def main() -> None:
    """Measure what the command line says and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        help="a built-in target or the path of a target.toml; default: all built in",
    )
    parser.add_argument("--screened", type=int, default=120)
    parser.add_argument("--sample", type=int, default=4)
    parser.add_argument("--rejected", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="keeps downloads between runs")
    options = parser.parse_args()
    if min(options.screened, options.sample) < 1 or options.rejected < 0:
        refuse("--screened and --sample take numbers of at least 1")
    sizes = Sizes(
        screened=options.screened,
        sample=options.sample,
        rejected=options.rejected,
        seed=options.seed,
    )
    with tempfile.TemporaryDirectory() as temporary:
        cache = options.cache or Path(temporary)
        try:
            targets = chosen_targets(options.target)
            found = asyncio.run(measure_all(targets, cache, sizes))
            print_result(summary(found), made_from=", ".join(found), repeats=1)
        except EnvPlatformError as error:
            refuse(str(error))


if __name__ == "__main__":
    main()
