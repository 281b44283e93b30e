"""Rollouts whose policy sits elsewhere: what goes between who plays and who answers.

One JSON object a line. The first line to the player is its order, each further one a
beginning or an answer; for each of these comes one event of that play: what is asked
next, or how it ended. Both sides read this file and neither knows the other: `rollout`
plays, `learning` answers.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, TypeAdapter

from envplatform.configuration import ModelSettings
from envplatform.llm.chat import FinishReason, Message, Tool, Usage
from envplatform.trajectories.limits import RolloutLimits
from envplatform.trajectories.record import Trajectory

PlayDialect = Literal["tool_loop", "tool_loop_fenced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRow:
    """One environment as a data set for training on-policy holds it.

    All rollouts of a group are of one row, so they start from one state.
    """

    row_id: str
    digest: str
    """Of the environment in the store."""
    seed: int
    prompt: tuple[Message, ...]
    """What an agent reads before its first turn."""
    tools: tuple[Tool, ...] = ()
    """Offered through the API; empty where they are explained in words."""
    has_user: bool = False
    """Whether a user inside speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerOrder:
    """Where environments lie and how they are played."""

    home: Path
    """Folder of the store."""
    sandbox: Literal["auto", "bubblewrap", "docker"] = "auto"
    base_image: str = "python:3.11-slim"
    """Docker only."""
    policy: str
    """Name of who answers; never that of a model that wrote one of the tasks."""
    dialect: PlayDialect = "tool_loop"
    patience: int = 3
    """Turns in a row without a call before a play ends."""
    limits: RolloutLimits = field(default_factory=RolloutLimits)
    judge: ModelSettings | None = None
    """Who scores what code can't, where a task ships a rubric; None: nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Opens an environment anew."""

    kind: Literal["begin"] = "begin"
    play_id: str
    digest: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The policy's next turn."""

    kind: Literal["answer"] = "answer"
    play_id: str
    message: Message
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    is_last: bool = False
    """Whether it is the last because no more can be read: the context is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The policy is to speak."""

    kind: Literal["asked"] = "asked"
    play_id: str
    heard: tuple[Message, ...]
    """What was said since its last turn; at first the prompt."""
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """The play ended and was graded, or failed for reasons that are not the policy's."""

    kind: Literal["over"] = "over"
    play_id: str
    trajectory: Trajectory | None
    """None where there can be no rollout at all; `why` says why."""
    heard: tuple[Message, ...] = ()
    """What was said since the policy's last turn and not asked about any more."""
    why: str = ""


Request = Annotated[Begin | Answer, Discriminator("kind")]
Event = Annotated[Asked | Over, Discriminator("kind")]

PLAYER_ORDER = TypeAdapter(PlayerOrder)
PLAY_ROW = TypeAdapter(PlayRow)
REQUEST: TypeAdapter[Begin | Answer] = TypeAdapter(Request)
EVENT: TypeAdapter[Asked | Over] = TypeAdapter(Event)
