"""One rollout under way: the open sandbox, what was said so far, what may still be used.

A Session is the only mutable thing that a harness sees; `report` makes the record.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from envplatform.bundle import Environment
from envplatform.llm.chat import ChatModel, Message, Tool, Usage
from envplatform.rollout.explorer.explore import Explored
from envplatform.sandbox.base import Door, Image, Sandbox
from envplatform.trajectories import Claimed, Ending, RolloutLimits, Step, ToolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Who acts: a model and how it is sampled."""

    model: ChatModel
    temperature: float = 0.0
    answer_tokens: int = 1024
    """At most, for one turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What a rollout was asked to be."""

    environment: Environment
    policy: Policy | None
    limits: RolloutLimits
    image: Image
    seed: int


class Session:
    """State of one rollout."""

    def __init__(
        self,
        assignment: Assignment,
        sandbox: Sandbox,
        clock: Callable[[], float],
        *,
        doors: tuple[Door, ...] = (),
    ) -> None:
        self.assignment = assignment
        self.doors = doors
        """Of the sandbox, beside those of the environment."""
        self.sandbox = sandbox
        self.prompt: tuple[Message, ...] = ()
        self.tools: tuple[Tool, ...] = ()
        self.steps: list[Step] = []
        self.claims: tuple[Claimed, ...] = ()
        """Made with the submission."""
        self.clock = clock
        self.user_turns: Callable[[], int] = lambda: 0
        """Says how many turns the user inside has taken so far."""
        self.user_signals: Callable[[], tuple[str, ...]] = tuple
        """Says which of its signals have fired so far, in their order."""
        self.explored: Explored | None = None
        """What a search came to, where the agent is the explorer."""
        self.explored_log: bytes | None = None
        """The dispatch log, where what is graded had another one."""
        self._began = clock()

    def restart_clock(self) -> None:
        """Begin to count the agent's seconds now."""
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Since the agent began."""
        return self.clock() - self._began

    @property
    def seconds_left(self) -> float:
        """Until the time limit; zero or less when it has passed."""
        return self.assignment.limits.seconds - self.seconds

    @property
    def tool_calls(self) -> int:
        """That were run."""
        outcomes = (outcome for step in self.steps for outcome in step.outcomes)
        return sum(outcome.problem is None for outcome in outcomes)

    @property
    def output_bytes(self) -> int:
        """Of all commands, as far as it was kept."""
        return sum(one.output_bytes for step in self.steps for one in step.outcomes)

    def marked(self, outcome: ToolOutcome) -> ToolOutcome:
        """The outcome with the turns that the user has taken by now."""
        return replace(outcome, user_turns=self.user_turns())

    @property
    def usage(self) -> Usage:
        """Of all steps."""
        return sum((step.usage for step in self.steps), start=Usage())

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        said = (
            message for step in self.steps for message in (step.message, *step.replies)
        )
        return (*self.prompt, *said)

    def used_up(self) -> Ending | None:
        """The limit that forbids another turn; None while there is none."""
        limits, usage = self.assignment.limits, self.usage
        if len(self.steps) >= limits.turns:
            return "turn_limit"
        if self.tool_calls >= limits.tool_calls:
            return "tool_call_limit"
        if usage.prompt_tokens + usage.completion_tokens >= limits.tokens:
            return "token_limit"
        if self.seconds_left <= 0:
            return "time_limit"
        if self.output_bytes >= limits.output_bytes:
            return "output_limit"
        return None
