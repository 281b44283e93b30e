"""Whether a trajectory is fit for training, in three dimensions, with named reasons.

The record itself, what the task came to, and whether the agent's claims hold and it
recovered: read again and went on after the user changed something or a call failed.
Every reason is told, not only the first; none of them is an error of ours.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from envplatform.trajectories.record import Step, Trajectory
from envplatform.trajectories.recovery import recovery_faults

RecordFault = Literal[
    "infrastructure_error",  # says nothing about the agent
    "empty_record",  # no turn was taken
    "duplicate",  # another record has its id
    "unanswered_call",  # results and calls do not match
    "malformed_call",  # a call's arguments were none
    "unknown_tool",  # a call by a name that does not exist
    "truncated_answer",  # an answer was cut off at its longest
    "not_submitted",  # a limit ended it, or the agent fell silent
    "user_mistake",  # the user inside helped or hindered
]
OutcomeFault = Literal[
    "ungraded",  # the verifier gave no verdict
    "low_reward",
    "low_score",  # a second verifier, a criterion of its own, is below its threshold
]
ClaimFault = Literal[
    "no_claims",
    "false_claim",
    "ignored_patch",  # nothing was read again after the user changed something
    "not_redone",  # it was read again, and nothing was done after that
    "gave_up_on_error",  # the last thing that was tried failed
]
Reason = Literal[RecordFault, OutcomeFault, ClaimFault]
Dimension = Literal["record", "outcome", "claims_and_recovery"]

DIMENSIONS: tuple[tuple[Dimension, frozenset[str]], ...] = (
    ("record", frozenset(get_args(RecordFault))),
    ("outcome", frozenset(get_args(OutcomeFault))),
    ("claims_and_recovery", frozenset(get_args(ClaimFault))),
)
"""In the order in which the funnel narrows."""
_REPLAYED = frozenset({"finished"})
"""How harnesses end that have nobody to submit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A criterion that must reach a score."""

    criterion: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standards:
    """What is asked of a trajectory."""

    reward: float = 1.0
    """At least."""
    scores: tuple[Threshold, ...] = ()
    """Of further verifiers; one whose criterion the environment has not is passed by."""
    claims: Literal["if_made", "required"] = "if_made"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with one trajectory; nothing makes it valid."""

    trajectory_id: str
    reasons: tuple[Reason, ...]
    """In the order in which they are tried; each once."""

    @property
    def is_valid(self) -> bool:
        """Whether it may be trained on."""
        return not self.reasons

    def passes(self, dimension: Dimension) -> bool:
        """Whether no reason belongs to a dimension."""
        return not dict(DIMENSIONS)[dimension] & set(self.reasons)


def verdicts(
    trajectories: Iterable[Trajectory], standards: Standards
) -> Iterator[tuple[Trajectory, Verdict]]:
    """Judge trajectories in their order; of one id only the first is no duplicate."""
    seen: set[str] = set()
    for one in trajectories:
        reasons = list(faults(one, standards))
        if one.trajectory_id in seen:
            reasons.insert(0, "duplicate")
        seen.add(one.trajectory_id)
        told = tuple(dict.fromkeys(reasons))
        yield one, Verdict(trajectory_id=one.trajectory_id, reasons=told)


def faults(trajectory: Trajectory, standards: Standards) -> Iterator[Reason]:
    """Tell everything that is wrong with one; a reason may come more than once.

    Of an infrastructure error only that is told: what is missing is not its doing.
    """
    if trajectory.error_class is not None:
        yield "infrastructure_error"
        return
    yield from _record_faults(trajectory)
    yield from _outcome_faults(trajectory, standards)
    yield from _claim_faults(trajectory, standards)
    yield from recovery_faults(trajectory)


def _record_faults(trajectory: Trajectory) -> Iterator[RecordFault]:
    if not trajectory.steps:
        yield "empty_record"
    for step in trajectory.steps:
        yield from _step_faults(step)
    if trajectory.ending != "submitted" and trajectory.ending not in _REPLAYED:
        yield "not_submitted"
    if any(one.severity != "minor" for one in trajectory.user_mistakes):
        yield "user_mistake"


def _step_faults(step: Step) -> Iterator[RecordFault]:
    called = [call.call_id for call in step.message.tool_calls]
    answered = [one.tool_call_id for one in step.replies if one.role == "tool"]
    known = [outcome.call_id for outcome in step.outcomes]
    if called and (called != known or called != answered):
        yield "unanswered_call"
    problems = {outcome.problem for outcome in step.outcomes}
    if "invalid_arguments" in problems:
        yield "malformed_call"
    if "unknown_tool" in problems:
        yield "unknown_tool"
    if step.finish_reason == "length":
        yield "truncated_answer"


def _outcome_faults(
    trajectory: Trajectory, standards: Standards
) -> Iterator[OutcomeFault]:
    if trajectory.reward is None:
        yield "ungraded"
    elif not trajectory.reward >= standards.reward:  # NaN, too, is below
        yield "low_reward"
    scores = {one.criterion: one.score for one in trajectory.scores}
    for wanted in standards.scores:
        if not scores.get(wanted.criterion, wanted.score) >= wanted.score:
            yield "low_score"


def _claim_faults(trajectory: Trajectory, standards: Standards) -> Iterator[ClaimFault]:
    if not trajectory.claims and standards.claims == "required":
        yield "no_claims"
    if not all(claim.holds for claim in trajectory.claims):
        yield "false_claim"


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """What is left after each dimension, and why the others fell away."""

    counts: tuple[tuple[str, int], ...]
    """`all`, then what passes the first dimension, the first two, all three."""
    reasons: tuple[tuple[Reason, int], ...]
    """Trajectories with each reason, most frequent first; one may have several."""


def funnel(judged: Sequence[Verdict]) -> Funnel:
    """Count them."""
    left = list(judged)
    counts = [("all", len(left))]
    for dimension, _ in DIMENSIONS:
        left = [one for one in left if one.passes(dimension)]
        counts.append((dimension, len(left)))
    found = Counter(reason for one in judged for reason in one.reasons)
    return Funnel(counts=tuple(counts), reasons=tuple(found.most_common()))
