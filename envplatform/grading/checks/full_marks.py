"""What the checks that damage a good answer need: one that is graded as good."""

from envplatform.bundle import CheckResult
from envplatform.grading.evidence import Evidence
from envplatform.grading.pieces import pieces_of


def nothing_to_damage(name: str, evidence: Evidence) -> CheckResult | None:
    """Return `not_run` where no fault could lower a score, else None."""
    if evidence.solve.exit_code != 0 or not evidence.oracle:
        what = "there is no final state of the oracle"
    elif any(grading.reward != 1 for grading in evidence.oracle):
        what = "the oracle's final state is not graded 1, so no fault could be seen"
    elif not pieces_of(evidence):
        what = "the oracle changes no file, so there is nothing to damage"
    else:
        return None
    return CheckResult(name=name, status="not_run", evidence=what)
