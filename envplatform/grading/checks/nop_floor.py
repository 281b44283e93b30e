"""nop_floor: doing nothing scores 0."""

from envplatform.bundle import CheckResult
from envplatform.grading.checks.oracle_max import describe
from envplatform.grading.evidence import Evidence

NAME = "nop_floor"


def nop_floor(evidence: Evidence) -> CheckResult:
    """Passed if the verifier gave a verdict on the untouched workspace, and it is 0.

    A verifier that merely breaks on it does not count as a floor.
    """
    if not evidence.nop:
        return CheckResult(name=NAME, status="not_run", evidence="nothing was graded")
    high = next((grading for grading in evidence.nop if grading.reward != 0), None)
    if high is not None:
        return CheckResult(name=NAME, status="failed", evidence=describe(high))
    what = f"{len(evidence.nop)} gradings, each {describe(evidence.nop[0])}"
    return CheckResult(name=NAME, status="passed", evidence=what)
