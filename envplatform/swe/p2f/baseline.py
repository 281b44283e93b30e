"""What a healthy repository's suite does when nothing is wrong with it.

Several clean runs, one of them shuffled, one that records lines and runs the stable
tests alone. A test is stable if it passed in all of them; only stable tests can prove
anything. A red or flaky suite is fine as long as a stable set is left.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from envplatform.errors import TargetError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.p2f.report import reason_of
from envplatform.swe.p2f.request import RunRequest
from envplatform.swe.p2f.result import Coverage, Lines, SuiteRun
from envplatform.swe.p2f.suite import run_fresh
from envplatform.swe.p2f.unbuilt import unbuilt_modules
from envplatform.swe.targets.prepare import HealthyRepository

_SHOWN = 5
_MAX_ENDERS = 5
"""Tests that end the whole run, each found by one run, before we give up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstableTest:
    """A test that can prove nothing, and why."""

    test_id: str
    outcomes: tuple[str, ...]
    """By run, in order."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The healthy behaviour of one repository."""

    repository: str
    commit: str
    stable: tuple[str, ...]
    """Sorted ids of tests that passed in every run; never empty."""
    unstable: tuple[UnstableTest, ...]
    """Sorted by id."""
    broken: Mapping[str, str]
    """Test files that can't be collected, to the reason."""
    seconds_by_test: Mapping[str, float]
    """Of stable tests, in the slowest run."""
    suite_s: float
    """Median of the plain runs, sandbox start not counted."""
    coverage: Coverage
    """Lines by stable test."""
    runs: int
    sandbox: str
    """Kind and version, `bubblewrap 0.8.0`."""

    @property
    def covered_share(self) -> float:
        """Share of the statements that some stable test runs, or the import does."""
        statements = self.coverage.statements
        total = sum(len(lines) for lines in statements.values())
        covered = sum(
            len(self.covered_lines(path) & set(lines))
            for path, lines in statements.items()
        )
        return covered / total if total else 0.0

    def covered_lines(self, path: str) -> frozenset[int]:
        """Return the lines of `path` that some stable test or the import runs."""
        coverage = self.coverage
        ran = [coverage.imported, coverage.shared, *coverage.by_test.values()]
        return frozenset(n for lines in ran for n in lines.get(path, ()))


async def measure_baseline(
    provider: SandboxProvider, repository: HealthyRepository, *, runs: int = 3
) -> Baseline:
    """Run the suite `runs` times or more, each time in a fresh sandbox.

    Raises:
        TargetError: no test passes in every run; names what happened first.
        SandboxError: a sandbox failed; nothing is known of the suite.
    """
    enders: dict[str, str] = {}
    while True:
        series = await _series(provider, repository, runs, enders)
        last = series[-1]
        if last.ending == "completed":
            return _assemble(provider, repository, series, enders)
        ender = last.running or next(iter(last.causes), None)
        if ender is None or len(enders) >= _MAX_ENDERS:
            raise TargetError(_hopeless(repository, last))
        enders[ender] = f"{last.ending}: {last.detail}"


async def _series(
    provider: SandboxProvider,
    repository: HealthyRepository,
    count: int,
    enders: Mapping[str, str],
) -> list[SuiteRun]:
    """Return `count` plain runs and one that covers; ends with one that did not complete.

    A command of the target's own runs all tests, in its own order, and covers nothing.
    """
    plain_request = _plain(repository, without=tuple(enders))
    series: list[SuiteRun] = []
    for number in range(count):
        request = replace(plain_request, seed=number, shuffle=number == 1)
        if series:
            request = replace(request, ids=tuple(series[0].outcomes))
        series.append(await _run(provider, repository, request))
        if series[-1].ending != "completed":
            return series
    if repository.target.suite.results == "junit":
        return series
    request = replace(
        plain_request,
        ids=_stable(series, repository),
        keep_collecting=False,
        cover=True,
        # Tracing costs time, and says nothing of the code.
        test_timeout_s=4 * plain_request.test_timeout_s,
        suite_timeout_s=4 * plain_request.suite_timeout_s,
    )
    return [*series, await _run(provider, repository, request)]


def _plain(repository: HealthyRepository, *, without: tuple[str, ...]) -> RunRequest:
    suite = repository.target.suite
    return RunRequest(
        without=without,
        keep_collecting=True,
        test_timeout_s=suite.test_timeout_s,
        suite_timeout_s=suite.suite_timeout_s,
    )


async def _run(
    provider: SandboxProvider, repository: HealthyRepository, request: RunRequest
) -> SuiteRun:
    return await run_fresh(
        provider, repository.image, repository.tree, repository.target, request
    )


def _stable(runs: Sequence[SuiteRun], repository: HealthyRepository) -> tuple[str, ...]:
    stable = {
        test
        for test in runs[0].outcomes
        if all(run.outcomes.get(test) == "passed" for run in runs)
    }
    if not stable:
        raise TargetError(_nothing_stable(runs, repository))
    return tuple(sorted(stable))


def _assemble(
    provider: SandboxProvider,
    repository: HealthyRepository,
    runs: list[SuiteRun],
    enders: Mapping[str, str],
) -> Baseline:
    plain = runs[:-1] if repository.target.suite.results == "pytest" else runs
    stable = _stable(runs, repository)
    kept = set(stable)
    coverage = _coverage(repository, runs[-1])
    by_test = {t: lines for t, lines in coverage.by_test.items() if t in kept}
    broken = dict(plain[0].broken)
    info = provider.info
    return Baseline(
        repository=repository.name,
        commit=repository.commit,
        stable=stable,
        unstable=_unstable(runs, kept, enders),
        broken=broken,
        seconds_by_test={
            test: max(run.seconds_by_test.get(test, 0.0) for run in plain)
            for test in stable
        },
        suite_s=statistics.median(run.seconds for run in plain),
        coverage=replace(coverage, by_test=by_test),
        runs=len(runs),
        sandbox=f"{info.kind} {info.version}",
    )


def _coverage(repository: HealthyRepository, run: SuiteRun) -> Coverage:
    """What the last run says of lines; where nobody can know, all may run at import."""
    target = repository.target
    nothing = Coverage(by_test={}, imported={}, shared={}, statements={})
    is_counted = target.suite.results == "pytest"
    if is_counted and not any(service.runs_code for service in target.services):
        return run.coverage or nothing
    return replace(nothing, imported=_every_line(repository))


def _every_line(repository: HealthyRepository) -> Lines:
    tree = repository.tree
    return {
        path: tuple(range(1, tree[path].data.count(b"\n") + 2))
        for path in repository.target.source_paths(tree)
    }


def _unstable(
    runs: Sequence[SuiteRun], stable: set[str], enders: Mapping[str, str]
) -> tuple[UnstableTest, ...]:
    found = [
        UnstableTest(test_id=test, outcomes=(), why=f"ends the whole run ({why})")
        for test, why in enders.items()
    ]
    for test in runs[0].outcomes:
        if test in stable or test in enders:
            continue
        # The last run holds only what was stable until then.
        outcomes = tuple(run.outcomes[test] for run in runs if test in run.outcomes)
        found.append(
            UnstableTest(
                test_id=test, outcomes=outcomes, why=_why(runs, test, outcomes)
            )
        )
    return tuple(sorted(found, key=lambda unstable: unstable.test_id))


def _why(runs: Sequence[SuiteRun], test: str, outcomes: tuple[str, ...]) -> str:
    reason = reason_of(next((r.reports[test] for r in runs if test in r.reports), ""))
    if len(set(outcomes)) == 1:
        return f"{outcomes[0]} in every run: {reason}".rstrip(": ")
    if outcomes[:2] == ("passed", outcomes[1]) and outcomes[1] != "passed":
        return f"{outcomes[1]} in shuffled order: {reason}".rstrip(": ")
    return f"differs from run to run: {reason}".rstrip(": ")


def _hopeless(repository: HealthyRepository, run: SuiteRun) -> str:
    where = f"{repository.name}: the suite does not run to its end"
    broken = "".join(
        f"\n  {path}: {reason_of(why)}"
        for path, why in list(run.broken.items())[:_SHOWN]
    )
    tail = "" if broken else _indented(run.output)
    unbuilt = _unbuilt(repository, [run])
    return f"{where} ({run.ending}): {run.detail}{broken}{tail}{unbuilt}"


def _nothing_stable(runs: Sequence[SuiteRun], repository: HealthyRepository) -> str:
    lines = [f"{repository.name}: no test passes in all {len(runs)} runs"]
    for test in list(runs[0].outcomes)[:_SHOWN]:
        outcomes = ", ".join(run.outcomes.get(test, "missing") for run in runs)
        report = next((r.reports[test] for r in runs if test in r.reports), "")
        lines.append(f"  {test}: {outcomes}; {reason_of(report)}")
    for path, why in list(runs[0].broken.items())[:_SHOWN]:
        lines.append(f"  {path} can't be collected: {reason_of(why)}")
    return "\n".join(lines) + _unbuilt(repository, runs)


def _unbuilt(repository: HealthyRepository, runs: Sequence[SuiteRun]) -> str:
    said = [
        why
        for run in runs
        for why in (run.output, *run.broken.values(), *run.reports.values())
    ]
    found = unbuilt_modules(repository.tree, "\n".join(said))
    return "".join(f"\n  {line}" for line in found)


def _indented(output: str) -> str:
    return "".join(f"\n  | {line[:200]}" for line in output.strip().splitlines()[-8:])
