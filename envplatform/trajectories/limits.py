"""What one rollout may use; kept with its record."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutLimits:
    """Reaching one ends a rollout, and it is graded as it stands."""

    turns: int = 20
    tool_calls: int = 100
    tokens: int = 60_000
    """Prompts and answers of all turns; the last turn may pass it."""
    seconds: float = 600.0
    """For the agent; grading has its own. The last command may pass it."""
    command_s: float = 60.0
    """For one command."""
    output_characters: int = 10_000
    """Of one command's output, shown to the model; the middle is left out."""
    output_bytes: int = 20_000_000
    """Of all commands' output together; the last command may pass it."""
