"""determinism: the same final workspace gets the same scores every time."""

from envplatform.bundle import CheckResult
from envplatform.grading.checks.oracle_max import describe
from envplatform.grading.evidence import Evidence

NAME = "determinism"
MIN_GRADINGS = 3


def determinism(evidence: Evidence, *, note: str = "") -> CheckResult:
    """Passed if three or more gradings of either state agree on every criterion.

    `note` is told in addition: that a state was graded otherwise among others.
    """
    spreads = []
    for state, gradings in (("oracle", evidence.oracle), ("nop", evidence.nop)):
        if len(gradings) < MIN_GRADINGS:
            what = f"{len(gradings)} gradings of {state}, {MIN_GRADINGS} are needed"
            return CheckResult(name=NAME, status="not_run", evidence=what)
        lines = sorted({describe(grading) for grading in gradings})
        if len(lines) > 1 or gradings[0].failure is not None:
            what = f"{state}: {' | '.join(lines)}"
            return CheckResult(name=NAME, status="failed", evidence=what)
        spreads.append(f"{len(gradings)} gradings of {state} with spread 0")
    if note:
        spreads.append(f"{note}: all were graded alone")
    return CheckResult(name=NAME, status="passed", evidence=", ".join(spreads))
