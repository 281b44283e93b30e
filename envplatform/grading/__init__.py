"""Verifiers run, rewards read, environments gated.

`grade` for one final workspace, `run_gate` for one environment. What a verifier
checks lies in the environment; who acts in it is `rollout`.
"""

from envplatform.grading.gate import run_gate
from envplatform.grading.grade import Grading, GradingFailure, grade
from envplatform.grading.sessions import (
    Final,
    Opened,
    apply_solution,
    final_workspace,
    limits_of,
    open_environment,
    require_image,
)

__all__ = [
    "Final",
    "Grading",
    "GradingFailure",
    "Opened",
    "apply_solution",
    "final_workspace",
    "grade",
    "limits_of",
    "open_environment",
    "require_image",
    "run_gate",
]
