"""The gate's verdicts as they are kept with an environment. Running it is `grading`."""

from dataclasses import dataclass
from typing import Literal

CheckStatus = Literal["passed", "failed", "not_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What one check of the gate said."""

    name: str
    status: CheckStatus
    evidence: str
    """What was measured or, for `not_run`, why it was not. One line, never empty."""


def all_passed(results: tuple[CheckResult, ...]) -> bool:
    """Whether something ran and everything passed; `not_run` is not passed."""
    return bool(results) and all(result.status == "passed" for result in results)
