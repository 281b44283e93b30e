"""Why a child is no child: typed, so that a proposer can do better."""

from dataclasses import dataclass
from typing import Literal

from envplatform.res.plan import TransformPlan

CheckName = Literal[
    "plan",
    "caps",
    "frozen",
    "replay",
    "recovery",
    "necessity",
    "path_gone",
    "changed",
    "reset",
    "solvable",
]
"""`plan` and `caps` come before the eight checks: what they refuse is not verified."""

CHECKS: tuple[CheckName, ...] = (
    "frozen",
    "replay",
    "recovery",
    "necessity",
    "path_gone",
    "changed",
    "reset",
    "solvable",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing that does not hold."""

    check: CheckName
    name: str
    """Public name, field or step that it is about; empty where it is about the whole."""
    message: str
    plan: TransformPlan | None = None
    """What it refuses, where a proposer is told of it, who may mend it."""

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.check}: {self.name}: {self.message}".replace(": : ", ": ")
