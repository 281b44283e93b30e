"""One attempt of one solver at one task, read from a stored rollout; which of them count.

A rollout says something of its solver or it does not. What does not is set aside with its
reason and enters no figure, neither as a failure nor as a success. Arithmetic over those
that count is in `estimators` and `rates`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import ClassVar, Literal

from envplatform.errors import ConfigError
from envplatform.llm.chat import Usage
from envplatform.trajectories.limits import RolloutLimits
from envplatform.trajectories.record import Ending, Trajectory
from envplatform.trajectories.users import UserMistake

Unscored = Literal[
    "infrastructure_error",  # says nothing about the solver
    "ungraded",  # the verifier gave no verdict, and not by the solver's doing
    "bad_reward",  # a stored reward that is no number from 0 to 1
    "duplicate",  # another record of the batch has its id
    "user_mistake",  # the user inside helped or hindered
    "solver_is_writer",  # its model wrote the task, or what the task was made of
    "unknown_task",  # no published environment has its digest any more
]
"""Why a rollout is no attempt."""

UNSOUND: frozenset[Unscored] = frozenset({"bad_reward", "solver_is_writer"})
"""What no record of ours can hold: something is wrong with the platform or its store."""

_OWN_DOING = frozenset(
    {"workspace_too_large", "verifier_killed", "verifier_limit", "verifier_timeout"}
)
"""Gradings without a verdict that the solver's own leavings brought about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRecord:
    """What is read of a stored rollout; the conversation is left on the disk."""

    VIEW_OF: ClassVar[type] = Trajectory

    trajectory_id: str
    environment_id: str
    environment_digest: str
    harness: str
    policy: str
    seed: int
    ending: Ending
    reward: float | None
    usage: Usage
    user_mistakes: tuple[UserMistake, ...] = ()
    writers: tuple[str, ...] = ()
    limits: RolloutLimits | None = None
    grading_failure: str | None = None
    error_class: str | None = None
    agent_seconds: float = 0.0
    grading_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A rollout that counts."""

    trajectory_id: str
    batch: str
    """Partition of `rollouts`: one protocol for all that is in it."""
    task: str
    """Digest of the environment."""
    harness: str
    policy: str
    """Model, or harness where no model took part; never a writer of the task."""
    seed: int
    reward: float
    """0..1."""
    tokens: int
    usd: float
    seconds: float
    """Acting and grading together."""
    writers: tuple[str, ...] = ()
    """Models that wrote the task."""
    limits: RolloutLimits | None = None
    """What it might use; of rollouts of older stores None."""

    def __post_init__(self) -> None:
        """Hold what every figure rests on, wherever an attempt comes from.

        Raises:
            ConfigError: the solver wrote the task, or the reward is none.
        """
        if not is_reward(self.reward):
            msg = f"{self.trajectory_id}: its reward {self.reward} is no number from 0 to 1"
            raise ConfigError(msg)
        if is_writer(self.policy, self.writers):
            msg = (
                f"{self.trajectory_id}: {self.policy!r} wrote the task that it solved; "
                f"name another model"
            )
            raise ConfigError(msg)

    @property
    def solver(self) -> "Solver":
        """Who acted, and under which protocol."""
        return Solver(batch=self.batch, harness=self.harness, policy=self.policy)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Solver:
    """Who acts: a policy in a harness, as one batch sets it up."""

    batch: str
    harness: str
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A rollout that does not count, and why."""

    trajectory_id: str
    batch: str
    reason: Unscored


@dataclass(slots=True, kw_only=True)
class Sorting:
    """Rollouts of any number of batches, sorted as they are read."""

    writers: Mapping[str, tuple[str, ...]]
    """Digest of each published environment to the models that its rows name."""
    attempts: list[Attempt] = field(default_factory=list)
    aside: list[SetAside] = field(default_factory=list)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, batch: str, records: Iterable[RolloutRecord]) -> None:
        """Sort the rollouts of a batch."""
        for one in records:
            reason = self._reason(batch, one)
            if reason is None:
                self.attempts.append(_attempt(batch, one, self._writers(one)))
            else:
                aside = SetAside(
                    trajectory_id=one.trajectory_id, batch=batch, reason=reason
                )
                self.aside.append(aside)

    def _reason(self, batch: str, one: RolloutRecord) -> Unscored | None:
        key = batch, one.trajectory_id
        if key in self._seen:
            return "duplicate"
        self._seen.add(key)
        if one.environment_digest not in self.writers:
            return "unknown_task"
        if is_writer(one.policy, self._writers(one)):
            return "solver_is_writer"
        return unscored(one)

    def _writers(self, one: RolloutRecord) -> tuple[str, ...]:
        known = self.writers[one.environment_digest]
        return tuple(dict.fromkeys((*one.writers, *known)))


def unscored(one: RolloutRecord) -> Unscored | None:
    """Return why a rollout by itself says nothing of its solver; None if it does."""
    if one.error_class is not None or one.ending == "infrastructure_error":
        return "infrastructure_error"
    if any(mistake.severity != "minor" for mistake in one.user_mistakes):
        return "user_mistake"
    if one.reward is None:
        return None if one.grading_failure in _OWN_DOING else "ungraded"
    return None if is_reward(one.reward) else "bad_reward"


def is_reward(value: float) -> bool:
    """Whether a number is a reward: NaN and the infinite are none."""
    return isfinite(value) and 0 <= value <= 1


def is_writer(policy: str, writers: Iterable[str]) -> bool:
    """Whether a policy is among the writers; names differ in more than case."""
    return policy.casefold() in {name.casefold() for name in writers}


def _attempt(batch: str, one: RolloutRecord, writers: tuple[str, ...]) -> Attempt:
    return Attempt(
        trajectory_id=one.trajectory_id,
        batch=batch,
        task=one.environment_digest,
        harness=one.harness,
        policy=one.policy,
        seed=one.seed,
        reward=one.reward or 0.0,
        tokens=one.usage.prompt_tokens + one.usage.completion_tokens,
        usd=one.usage.usd,
        seconds=one.agent_seconds + one.grading_seconds,
        writers=writers,
        limits=one.limits,
    )
