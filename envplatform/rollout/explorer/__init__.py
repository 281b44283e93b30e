"""The explorer: a generic agent of ours that knows public documents and tools alone.

It looks for whatever can be had through `ws` within a limit of turns, and hands what it
found to the seed's own solving step. So where it fails, it failed to get at something,
which is what a transformation of an environment changes. It has no plan, no oracle and
no model, and is reported as explorer, never as a model.
"""

from envplatform.rollout.explorer.acquired import Acquired, acquired_of
from envplatform.rollout.explorer.explore import Explored, explore
from envplatform.rollout.explorer.solve import (
    Attempt,
    attempt,
    is_heard,
    searched,
    solved,
)

__all__ = [
    "Acquired",
    "Attempt",
    "Explored",
    "acquired_of",
    "attempt",
    "explore",
    "is_heard",
    "searched",
    "solved",
]
