"""The user inside an environment: what it wants, when it speaks, what it changes.

Here: the plan as a value (`plan`), when its signals fire (`predicates`), one turn
(`policy`), how a turn is worded (`wording`), what may be said (`boundary`), what went
wrong (`review`), the plan as PawBench keeps it (`sidecar`). The user decides by rules
over workspace and trace, never by what it is asked; a language model may only word
what was decided. Not here: sockets, sessions, grading.
"""

from envplatform.user.plan import Plan, Signal, read_plan
from envplatform.user.policy import Turn, UserPolicy
from envplatform.user.predicates import Scene, holds
from envplatform.user.review import UserError, review

__all__ = [
    "Plan",
    "Scene",
    "Signal",
    "Turn",
    "UserError",
    "UserPolicy",
    "holds",
    "read_plan",
    "review",
]
