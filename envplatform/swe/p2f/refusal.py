"""Why a candidate is not a proven bug: a value with a reason, counted, never raised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from envplatform.swe.candidate import Rejection
from envplatform.swe.p2f.report import reason_of
from envplatform.swe.p2f.result import Cause, SuiteRun

_SHOWN = 3
_BY_CAUSE: Mapping[Cause, Rejection] = MappingProxyType(
    {"memory": "out_of_memory", "disk": "disk_limit", "processes": "process_limit"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A rejection on its way into a verdict."""

    reason: Rejection
    detail: str
    """One line for a person."""


def refusal_of(runs: Sequence[SuiteRun], stable: Sequence[str]) -> Refusal | None:
    """Return what the newest of `runs` rules out; None: there may be a bug to prove.

    `runs` are of all stable tests, on the defective tree; those before the newest
    were found to have failing tests.
    """
    run = runs[-1]
    if run.ending != "completed":
        return Refusal(reason=run.ending, detail=run.detail or run.ending)
    late = [test for test in stable if run.outcomes[test] == "timeout"]
    if late:
        return Refusal(reason="timeout", detail=f"{late[0]} runs too long")
    starved = _starved(run, stable)
    if starved is not None:
        return starved
    return None if failing(run) & set(stable) else _without_failure(runs, stable)


def failing(run: SuiteRun) -> set[str]:
    """Return the tests whose call failed."""
    return {test for test, outcome in run.outcomes.items() if outcome == "failed"}


def _starved(run: SuiteRun, stable: Sequence[str]) -> Refusal | None:
    """Find a test that broke for want of memory, disk or processes."""
    for test in stable:
        cause = run.causes.get(test)
        if cause is not None and cause in _BY_CAUSE:
            why = reason_of(run.reports.get(test, cause))
            return Refusal(reason=_BY_CAUSE[cause], detail=f"{test}: {why}")
    return None


def _without_failure(runs: Sequence[SuiteRun], stable: Sequence[str]) -> Refusal:
    run = runs[-1]
    if len(runs) > 1:
        test = min(failing(runs[0]) & set(stable))
        return Refusal(reason="flaky", detail=f"{test} fails in some runs only")
    broken = [test for test in stable if run.outcomes[test] != "passed"]
    if not broken:
        return Refusal(reason="no_failure", detail="every stable test still passes")
    shown = ", ".join(f"{test} ({run.outcomes[test]})" for test in broken[:_SHOWN])
    detail = f"{len(broken)} tests break without judging: {shown}"
    return Refusal(reason="only_errors", detail=detail)
