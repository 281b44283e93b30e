"""What became of a batch of rollouts, counted; running one is `rollout_bench.py`."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from assets.pictures import counts_table, in_cell
from envplatform.rollout.schedule import Done, FailedAttempt, Lost, Outcome, Refused
from envplatform.store import Manifest, Store
from envplatform.trajectories import Trajectory

FAILED = "failed_attempts"
"""Table of what the sandbox or the model server did wrong, beside the asset."""
REFUSED = "refused_rollouts"
"""Table of rollouts that can't be, with the reason."""


LOST = "lost_rollouts"
"""Table of rollouts without a record, to be run when the batch is materialised again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostRollout:
    """A rollout that the machine or the model server failed at every attempt."""

    trajectory_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRollout:
    """A rollout that a batch asked for and that can't be, whoever tries."""

    trajectory_id: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of a batch so far."""

    done: int = 0
    known: int = 0
    refused: list[RefusedRollout] = field(default_factory=list)
    failed: list[FailedAttempt] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        trajectory_id = outcome.job.trajectory_id
        match outcome:
            case Done(is_known=is_known, failures=failures):
                self.done += 1
                self.known += is_known
                self.failed += failures
            case Refused(reason=reason):
                refused = RefusedRollout(trajectory_id=trajectory_id, reason=reason)
                self.refused.append(refused)
            case Lost(failures=failures):
                self.failed += failures
                self.lost.append(outcome)

    @property
    def losses(self) -> list[LostRollout]:
        """What was lost, as rows."""
        return [
            LostRollout(trajectory_id=one.job.trajectory_id, reason=one.reason)
            for one in self.lost
        ]


@dataclass(slots=True, kw_only=True)
class Figures:
    """What is told of the records, filled while they are written."""

    endings: Counter[str] = field(default_factory=Counter)
    rewards: list[float] = field(default_factory=list)
    tokens: int = 0
    usd: float = 0.0

    def add(self, one: Trajectory) -> None:
        """Count one record."""
        self.endings[one.ending] += 1
        self.tokens += one.usage.prompt_tokens + one.usage.completion_tokens
        self.usd += one.usage.usd
        if one.reward is not None:
            self.rewards.append(one.reward)


def is_whole(store: Store, manifest: Manifest) -> bool:
    """Whether no rollout of a stored batch was lost: else the rest is run again."""
    if LOST not in store.assets():
        return True
    return not store.rows(LostRollout, LOST, manifest.partition)


def facts_of(figures: Figures, tally: Tally) -> dict[str, Any]:
    """Return figures of a batch for its metadata."""
    rewards = figures.rewards
    facts: dict[str, Any] = {
        "rollouts": tally.done,
        "of an earlier run": tally.known,
        "refused": len(tally.refused),
        "failed attempts": len(tally.failed),
        "lost": len(tally.lost),
        "tokens of the policy": figures.tokens,
        "usd of the policy": figures.usd,
    }
    if rewards:
        facts["mean reward"] = sum(rewards) / len(rewards)
        facts["full marks"] = sum(one == 1 for one in rewards) / len(rewards)
    return facts


def refusals_of(tally: Tally) -> str:
    """Count why rollouts can't be."""
    counts = Counter(in_cell(one.reason[:120]) for one in tally.refused)
    return counts_table(dict(counts.most_common(8)), of="reason")


def losses_of(tally: Tally, total: int) -> str:
    """Say how many rollouts have no record, and why."""
    classes = Counter(one.error_class for one in tally.failed)
    told = ", ".join(f"{count} {name}" for name, count in classes.most_common())
    return (
        f"{len(tally.lost)} of {total} rollouts have no record, the machine or the model "
        f"server failed ({told}); first: {tally.lost[0].reason}. The {tally.done} that "
        f"ended are kept: materialise again to run the rest"
    )
