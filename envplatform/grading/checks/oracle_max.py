"""oracle_max: the executable solution scores 1 on every criterion."""

from envplatform.bundle import CheckResult
from envplatform.grading.evidence import Evidence
from envplatform.grading.grade import Grading

NAME = "oracle_max"


def oracle_max(evidence: Evidence) -> CheckResult:
    """Passed if every grading of the oracle's final state is full marks."""
    solve = evidence.solve
    if solve.exit_code != 0:
        log = solve.stderr.decode("utf-8", "replace").strip()[-200:]
        what = f"solve.sh ended with {solve.ending} {solve.exit_code}: {log}"
        return CheckResult(name=NAME, status="failed", evidence=what)
    if not evidence.oracle:
        return CheckResult(name=NAME, status="not_run", evidence="nothing was graded")
    low = next((grading for grading in evidence.oracle if not _full(grading)), None)
    if low is not None:
        return CheckResult(name=NAME, status="failed", evidence=describe(low))
    first = describe(evidence.oracle[0])
    what = f"{len(evidence.oracle)} gradings, each {first}"
    return CheckResult(name=NAME, status="passed", evidence=what)


def describe(grading: Grading) -> str:
    """One line: the scores, or why there are none."""
    if grading.failure is not None:
        return f"no verdict: {grading.failure}, {grading.detail}"
    return ", ".join(f"{name} {score:g}" for name, score in grading.components.items())


def _full(grading: Grading) -> bool:
    scores = grading.components.values()
    return grading.failure is None and all(score == 1 for score in scores)
