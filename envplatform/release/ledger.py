"""Figures of a release, added up row by row while it is written."""

from collections import Counter
from dataclasses import dataclass, field

from envplatform.bundle.row import EnvironmentRow
from envplatform.release.members import LeftOut, Member
from envplatform.trajectories import Trajectory


@dataclass(slots=True, kw_only=True)
class Rates:
    """Kill rates of those verifiers for which one was measured."""

    known: int = 0
    total: float = 0.0
    least: float = 1.0

    def add(self, rate: float | None) -> None:
        """Take one in; None counts as not measured."""
        if rate is not None:
            self.known += 1
            self.total += rate
            self.least = min(self.least, rate)

    @property
    def mean(self) -> float | None:
        """None where none was measured."""
        return self.total / self.known if self.known else None


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Members, what fell away, and the sums that the card shows."""

    members: list[Member] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pillars: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By pillar and split."""
    policies: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Trajectories by policy and split."""
    licences: Counter[str] = field(default_factory=Counter)
    origins: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Members by asset and revision of its recipe."""
    kill_criteria: Rates = field(default_factory=Rates)
    kill_generic: Rates = field(default_factory=Rates)
    writers: set[str] = field(default_factory=set)
    """Models that wrote tasks."""
    making_tokens: int = 0
    making_seconds: float = 0.0
    rollout_tokens: int = 0
    rollout_usd: float = 0.0
    rollout_seconds: float = 0.0
    rewards: float = 0.0

    @property
    def environments(self) -> int:
        """How many are in."""
        return sum(self.pillars.values())

    @property
    def trajectories(self) -> int:
        """How many are in."""
        return sum(self.policies.values())

    def add_environment(
        self, member: Member, row: EnvironmentRow, writers: list[str]
    ) -> None:
        """Take in an environment that was written."""
        self._add(member)
        self.pillars[row.pillar, member.split] += 1
        self.licences[row.licence or "unknown"] += 1
        self.kill_criteria.add(row.kill_rate_criteria)
        self.kill_generic.add(row.kill_rate_generic)
        self.writers.update(writers)
        self.making_tokens += row.tokens
        self.making_seconds += row.seconds

    def add_trajectory(self, member: Member, one: Trajectory) -> None:
        """Take in a trajectory that was written."""
        self._add(member)
        self.policies[one.policy, member.split] += 1
        self.rewards += one.reward or 0.0
        self.rollout_tokens += one.usage.prompt_tokens + one.usage.completion_tokens
        self.rollout_usd += one.usage.usd
        self.rollout_seconds += one.agent_seconds + one.grading_seconds

    def _add(self, member: Member) -> None:
        self.members.append(member)
        self.origins[member.asset, member.revision] += 1
