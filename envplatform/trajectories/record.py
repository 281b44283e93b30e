"""The trajectory: everything one rollout said, did, cost and was worth. A row.

Two rollouts that differ in nothing but time are equal, in Python and by digest.
Judging whether a trajectory is fit for training is not done here.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from envplatform.llm.chat import FinishReason, Message, Usage
from envplatform.store import NOT_IDENTITY

Ending = Literal[
    "submitted",  # the agent said it was done
    "finished",  # the harness has no more to do: oracle, nop
    "no_action",  # the agent kept talking without using a tool
    "turn_limit",
    "tool_call_limit",
    "token_limit",
    "time_limit",
    "context_limit",  # the conversation grew longer than the model can read
    "infrastructure_error",  # says nothing about the agent; `error_class` says what
]
"""Why the agent stopped acting."""

ToolProblem = Literal[
    "unknown_tool",
    "invalid_arguments",
    "limit_reached",  # not run: a limit was reached before
    "after_submit",  # not run: the agent had submitted before
]
"""Why a call was answered with an error instead of being run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What became of one tool call; its text is in the step's replies."""

    call_id: str
    tool: str
    """Name as the model wrote it: untrusted."""
    problem: ToolProblem | None = None
    """None: it was run."""
    ending: str | None = None
    """How the sandbox says the command ended; None for what is no command."""
    exit_code: int | None = None
    output_bytes: int = 0
    """Output before it was shortened for the model."""
    shortened: bool = False
    seconds: float = field(default=0.0, compare=False, metadata=NOT_IDENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn of the agent: what it said and what it was answered."""

    message: Message
    finish_reason: FinishReason
    outcomes: tuple[ToolOutcome, ...]
    """One for each tool call, in their order."""
    replies: tuple[Message, ...]
    """What the agent read next; empty after the last turn of some rollouts."""
    usage: Usage
    seconds: float = field(default=0.0, compare=False, metadata=NOT_IDENTITY)
    """Model and tools together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """What the user inside did in answer to one message, or to one dispatch.

    What `user.review` judges, as it is kept: a record outlives the code that made it,
    and neither folder may import the other.
    """

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


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMistake:
    """Something that the user did wrong; one that is not `minor` spoils a rollout."""

    kind: str
    severity: str
    turn: int
    """0 for one that belongs to no single turn."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One criterion of the verifier."""

    criterion: str
    score: float
    """0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One rollout of one policy in one environment."""

    SCHEMA_VERSION: ClassVar[int] = 2

    trajectory_id: str
    """Environment, harness, policy and seed; safe as a file name."""
    environment_id: str
    environment_digest: str
    harness: str
    policy: str
    """Name of the model as configured; of the harness where no model took part."""
    seed: int
    sandbox: str
    """Kind and version."""
    prompt: tuple[Message, ...] = ()
    """What the agent read before its first turn."""
    steps: tuple[Step, ...] = ()
    ending: Ending
    final_state: str | None
    """`tree_digest` of the final workspace; None if it could not be taken home."""
    reward: float | None
    """0..1; None where nothing was graded or the verifier gave no verdict."""
    usage: Usage
    """All model calls together."""
    scores: tuple[Score, ...] = ()
    """By criterion, in the environment's order."""
    user_turns: tuple[UserTurn, ...] = ()
    """Of the user inside, in order; empty where none took part."""
    user_mistakes: tuple[UserMistake, ...] = ()
    """What a review by rules found in them."""
    grading_failure: str | None = None
    """Why the verifier gave no verdict; None if it did or was not asked."""
    error_class: str | None = None
    """Of an infrastructure error: the rollout counts neither way and is retried."""
    error: str = ""
    """Its message; empty without one."""
    agent_seconds: float = field(default=0.0, compare=False, metadata=NOT_IDENTITY)
    grading_seconds: float = field(default=0.0, compare=False, metadata=NOT_IDENTITY)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole conversation in the order it took place."""
        said = (
            message for step in self.steps for message in (step.message, *step.replies)
        )
        return (*self.prompt, *said)
