"""What a student says of a trajectory, as sums, so that selecting is arithmetic.

Who computes them is `learning`; the torch is there.
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryScore:
    """Sums over the assistant's tokens of one trajectory under one student."""

    SCHEMA_VERSION: ClassVar[int] = 1

    trajectory_id: str
    tokens: int
    """The assistant's; 0 where it was skipped."""
    sum_surprisal: float
    """Nats."""
    sum_clipped_rank: int
    """Sum of min(rank, 100); rank is 1 + the number of strictly higher logits."""
    dtype: str
    """Of weights and logits. Scores of two dtypes are never compared: ties differ."""
    model_digest: str
    length: int = 0
    """Tokens of the whole conversation."""
    skipped: str | None = None
    """Why there is no score; None: there is one."""
    detail: str = ""
    """What exactly stood in the way; empty where there is a score."""

    @property
    def nll(self) -> float:
        """Mean surprisal in nats; infinite where there is no token."""
        return self.sum_surprisal / self.tokens if self.tokens else inf

    @property
    def rsr(self) -> float:
        """Rank to surprisal, a ratio of sums; infinite where nothing surprised."""
        return self.sum_clipped_rank / self.sum_surprisal if self.sum_surprisal else inf
