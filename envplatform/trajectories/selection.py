"""Keeping the best part of the valid trajectories, within bins of equal length.

Arithmetic over stored values: nothing is computed anew if a fraction or a metric is
changed. Ties break by id; the control draws as many from each bin by chance.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, isfinite
from typing import Literal

from envplatform.errors import ConfigError
from envplatform.trajectories.scores import TrajectoryScore

Metric = Literal["nll", "rsr", "reward", "length", "random"]
METRICS: tuple[Metric, ...] = ("nll", "rsr", "reward", "length", "random")
Arm = Literal["selected", "control"]

_OF_SCORE: Mapping[str, Callable[[TrajectoryScore], float]] = {
    "nll": lambda score: score.nll,
    "rsr": lambda score: score.rsr,
}
SCORED: frozenset[str] = frozenset(_OF_SCORE)
"""Metrics that need a student's scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One valid trajectory, as far as selecting it goes."""

    trajectory_id: str
    length: int
    """By which it is put into a bin: tokens, where a student counted them."""
    value: float
    """Of the metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How much is kept, and of which end."""

    keep: float = 0.7
    """Of each bin, 0 to 1; rounded to the nearest whole number, a half up."""
    bins: int = 4
    better: Literal["lower", "higher"] = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A candidate that is kept."""

    candidate: Candidate
    bin: int
    """From 0, the shortest."""


def select(found: Iterable[Candidate], cut: Cut) -> tuple[Chosen, ...]:
    """Keep the best of each bin; in the order of bins, the best first."""
    sign = 1 if cut.better == "lower" else -1
    chosen: list[Chosen] = []
    for number, members in enumerate(binned(found, cut.bins)):
        ranked = sorted(members, key=lambda one: (sign * one.value, one.trajectory_id))
        kept = ranked[: floor(cut.keep * len(ranked) + 0.5)]
        chosen += [Chosen(candidate=one, bin=number) for one in kept]
    return tuple(chosen)


def control(found: Iterable[Candidate], cut: Cut, *, seed: int) -> tuple[Chosen, ...]:
    """Keep as many of each bin, drawn by the seed; who else is there changes no draw."""
    drawn = [replace(one, value=_chance(one.trajectory_id, seed)) for one in found]
    return select(drawn, replace(cut, better="lower"))


def binned(found: Iterable[Candidate], bins: int) -> tuple[tuple[Candidate, ...], ...]:
    """Divide by length into bins of as many each, give or take one; some may be empty."""
    ordered = sorted(found, key=lambda one: (one.length, one.trajectory_id))
    ends = [len(ordered) * number // bins for number in range(bins + 1)]
    pairs = pairwise(ends)
    return tuple(tuple(ordered[start:end]) for start, end in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Valid:
    """What of a valid trajectory metrics without a student go by."""

    trajectory_id: str
    reward: float
    length: int


def candidates(
    valid: Sequence[Valid],
    scores: Iterable[TrajectoryScore],
    *,
    metric: Metric,
    seed: int,
) -> tuple[Candidate, ...]:
    """Give each valid trajectory its value; those without a finite one are left out.

    Raises:
        ConfigError: a student's scores are needed and there are none, or they are of
            several students or dtypes.
    """
    known = {one.trajectory_id: one for one in scores if one.skipped is None}
    if metric in SCORED:
        _check_alike(known.values(), metric)
    found = (
        _candidate(one, known.get(one.trajectory_id), metric, seed) for one in valid
    )
    return tuple(one for one in found if one is not None and isfinite(one.value))


def _candidate(
    valid: Valid, score: TrajectoryScore | None, metric: Metric, seed: int
) -> Candidate | None:
    length = score.length if score and score.length else valid.length
    if metric in SCORED:
        if score is None:
            return None
        value = _OF_SCORE[metric](score)
    elif metric == "random":
        value = _chance(valid.trajectory_id, seed)
    else:
        value = valid.reward if metric == "reward" else float(length)
    return Candidate(trajectory_id=valid.trajectory_id, length=length, value=value)


def _check_alike(scores: Iterable[TrajectoryScore], metric: str) -> None:
    kinds = {(one.model_digest, one.dtype) for one in scores}
    if not kinds:
        msg = (
            f"metric {metric!r} needs scores of a student and there are none: "
            f"name a student and materialise trajectory_scores, or choose reward, "
            f"length or random"
        )
        raise ConfigError(msg)
    if len(kinds) > 1:
        told = ", ".join(f"{model[:12]} in {dtype}" for model, dtype in sorted(kinds))
        msg = f"scores of several students or dtypes are never compared: {told}"
        raise ConfigError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How far two selections of the same candidates agree."""

    first: int
    second: int
    both: int

    @property
    def jaccard(self) -> float:
        """Share of what either has that both have; 1 of nothing."""
        either = self.first + self.second - self.both
        return self.both / either if either else 1.0


def overlap(first: Iterable[Chosen], second: Iterable[Chosen]) -> Overlap:
    """Compare two selections."""
    one = {each.candidate.trajectory_id for each in first}
    other = {each.candidate.trajectory_id for each in second}
    return Overlap(first=len(one), second=len(other), both=len(one & other))


def _chance(trajectory_id: str, seed: int) -> float:
    """A number of 0 to 1 that an id has by a seed."""
    digest = hashlib.sha256(f"{seed}:{trajectory_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
