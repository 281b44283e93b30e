"""What the user inside did in a rollout, as it is kept.

What `user.review` judges: a record outlives the code that made it, and neither folder
may import the other.
"""

from dataclasses import dataclass
from typing import Literal

PatchAction = Literal["create", "overwrite", "append", "edit", "delete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePatch:
    """A change that the user made in what is served."""

    path: str
    """Where it is held."""
    action: PatchAction
    old: str = ""
    new: str = ""
    names: tuple[str, ...] = ()
    """Public names that show it; empty where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """What the user inside did in answer to one message, or to one dispatch."""

    number: int
    """Messages of the agent so far; 0 for a change before the first."""
    agent: str
    """What the agent said; empty where the user changed something unasked."""
    user: str
    signal: str | None
    """Of its plan; None where none fired."""
    due: tuple[str, ...]
    """Signals that could have fired."""
    changed: bool
    """Whether its changes were applied; true if it had none."""
    is_over: bool
    wording: Literal["template", "model", "fallback"] | None = None
    """Whose words it said: the plan's, a model's, or the plan's after a model's did not
    do. None where it said nothing.
    """
    patches: tuple[WorkspacePatch, ...] = ()
    """Its changes, applied or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMistake:
    """Something that the user did wrong; one that is not `minor` spoils a rollout."""

    kind: str
    severity: str
    turn: int
    """0 for one that belongs to no single turn."""
    detail: str
