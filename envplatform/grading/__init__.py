"""Verifiers run, rewards read, environments gated.

`grade` for one final workspace, `grade_all` for many, `run_gate` for one environment.
`reward_of` for the verifier's reward and a judge's together. What a verifier checks lies in the environment; who acts in it is `rollout`.
"""

from envplatform.grading.batch import grade_all
from envplatform.grading.gate import (
    CORE,
    FULL,
    CheckName,
    KillRates,
    kill_rates,
    may_publish,
    run_gate,
)
from envplatform.grading.grade import Grading, GradingFailure, grade
from envplatform.grading.judge import Judgement, Rewarded, Rubric, reward_of
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
    "CORE",
    "FULL",
    "CheckName",
    "Final",
    "Grading",
    "GradingFailure",
    "Judgement",
    "KillRates",
    "Opened",
    "Rewarded",
    "Rubric",
    "apply_solution",
    "final_workspace",
    "grade",
    "grade_all",
    "kill_rates",
    "limits_of",
    "may_publish",
    "open_environment",
    "require_image",
    "reward_of",
    "run_gate",
]
