"""The trajectory: everything one rollout said, did, cost and was worth. A row.

Two rollouts that differ in nothing but time are equal, in Python and by digest.
Judging whether a trajectory is fit for training is not done here.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from envplatform.errors import ConfigError
from envplatform.llm.chat import FinishReason, Message, Usage
from envplatform.store import NOT_IDENTITY
from envplatform.trajectories.claims import Claim
from envplatform.trajectories.dispatches import Dispatch
from envplatform.trajectories.limits import RolloutLimits
from envplatform.trajectories.users import UserMistake, UserTurn

Ending = Literal[
    "submitted",  # the agent said it was done
    "finished",  # the harness has no more to do: oracle, nop
    "no_action",  # the agent kept talking without using a tool
    "turn_limit",
    "tool_call_limit",
    "token_limit",
    "time_limit",
    "output_limit",
    "agent_crashed",  # its own program, in the sandbox, died of what it did
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
    user_turns: int = 0
    """Turns that the user inside had taken when the call was answered."""
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
class OfferedTool:
    """A tool that the agent was offered through the API."""

    name: str
    description: str
    parameters: str
    """JSON Schema, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One criterion of the verifier."""

    criterion: str
    score: float
    """0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge made of work whose task ships a rubric."""

    code: float | None
    """The verifier's reward, which the judge's score is joined with."""
    score: float | None
    """The judge's, 0..1; None where nobody judged."""
    judge: str
    """Name of the model; `none` where nobody judged, and the reward is the code's."""
    why_none: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file of the workspace that is not as the agent found it."""

    path: str
    change: Literal["created", "changed", "deleted"]
    patch: str
    """Unified diff; empty where it would be too long, or the file is binary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One rollout of one policy in one environment."""

    SCHEMA_VERSION: ClassVar[int] = 4

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
    tools: tuple[OfferedTool, ...] = ()
    """Offered besides; empty where they were explained in words."""
    steps: tuple[Step, ...] = ()
    ending: Ending
    final_state: str | None
    """`tree_digest` of the final workspace; None if it could not be taken home."""
    reward: float | None
    """0..1; None where nothing was graded or the verifier gave no verdict."""
    usage: Usage
    """All model calls together."""
    judged: Judged | None = None
    """None where the task ships no rubric, or nothing was graded."""
    changes: tuple[FileChange, ...] = ()
    """Of /workspace, by path; the first hundred. `final_state` is over all of it."""
    scores: tuple[Score, ...] = ()
    """By criterion, in the environment's order."""
    user_turns: tuple[UserTurn, ...] = ()
    """Of the user inside, in order; empty where none took part."""
    user_mistakes: tuple[UserMistake, ...] = ()
    """What a review by rules found in them."""
    dispatches: tuple[Dispatch, ...] = ()
    """The whole dispatch log; empty where nothing is served or it was not taken home."""
    claims: tuple[Claim, ...] = ()
    """What the agent said of its result when it submitted, compared with the result."""
    writers: tuple[str, ...] = ()
    """Names of the models that wrote the task; none of them is `policy`."""
    limits: RolloutLimits | None = None
    """What the agent might use; `ending` says which limit was reached."""
    grading_failure: str | None = None
    """Why the verifier gave no verdict; None if it did or was not asked."""
    error_class: str | None = None
    """Of an infrastructure error: the rollout counts neither way and is retried."""
    error: str = ""
    """Its message; empty without one."""
    agent_seconds: float = field(default=0.0, compare=False, metadata=NOT_IDENTITY)
    grading_seconds: float = field(default=0.0, compare=False, metadata=NOT_IDENTITY)

    def __post_init__(self) -> None:
        """Hold writers and solvers apart, wherever a record comes from.

        Raises:
            ConfigError: the policy wrote the task; names both.
        """
        if self.policy.casefold() in {name.casefold() for name in self.writers}:
            msg = (
                f"model {self.policy!r} wrote the task of {self.environment_id}, so its "
                f"solving it would prove nothing; name another model"
            )
            raise ConfigError(msg)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole conversation in the order it took place."""
        said = (
            message for step in self.steps for message in (step.message, *step.replies)
        )
        return (*self.prompt, *said)
