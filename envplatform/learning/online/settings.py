"""What an order says of training on plays. Loads no torch."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from envplatform.trajectories.playing import PlayerOrder

Style = Literal["auto", "environment_factory", "rollout_func"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSettings:
    """Who plays what, how often, and what a play is worth."""

    player: Annotated[tuple[str, ...], Field(min_length=1)]
    """Command of the process that plays; it speaks `trajectories.playing`."""
    plays: PlayerOrder
    """What that process is told."""
    group: Annotated[int, Field(ge=2, le=1_024)] = 4
    """Plays of one row, which start from one state; divides the batch."""
    style: Style = "auto"
    """Who runs the turns: TRL over tools alone, or we over whatever is heard. `auto`:
    TRL where no user speaks and the template knows tools.
    """
    answer_tokens: Annotated[int, Field(ge=1)] = 512
    """Of one turn, at most."""
    temperature: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)] = 1.0
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0
    code_weight: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.5
    """w in code^w * judge^(1-w)."""
    beta: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Of the divergence from where the training began; 0: none is computed."""
