"""What a user did wrong in a recorded conversation, and how much it matters.

A rollout in which the user gave the agent an unfair advantage (`critical_helped`) or
disadvantage (`critical_hindered`) says nothing about the agent and is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from envplatform.user.boundary import has, oversteps
from envplatform.user.plan import Plan, Signal
from envplatform.user.wording import How

ErrorKind = Literal[
    "hallucination",
    "misreading",
    "revealed_early",
    "inconsistency",
    "premature_stop",
    "missed_action",
    "wrong_order",
]
Severity = Literal["critical_helped", "critical_hindered", "minor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """One turn as it is kept with a rollout."""

    number: int
    agent: str
    user: str
    signal: str | None
    due: tuple[str, ...]
    """Signals whose predicate held in this turn and that had not fired before."""
    changed: bool
    """Whether the changes of its signal were applied; true if it has none."""
    is_over: bool
    wording: How | None = None
    """How its words came about; None where it said nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserError:
    """One mistake of a user."""

    kind: ErrorKind
    severity: Severity
    turn: int
    """0 for one that belongs to no single turn."""
    detail: str


def review(plan: Plan, turns: Sequence[RecordedTurn]) -> tuple[UserError, ...]:
    """Return every mistake that rules can see, in the order of the turns."""
    signals = {signal.id: signal for signal in plan.signals}
    found: list[UserError] = []
    fired: list[str] = []
    told: list[str] = []
    known = [plan.opening, plan.farewell, *plan.idle]
    known += [signal.message for signal in plan.signals]
    for turn in turns:
        signal = signals.get(turn.signal or "")
        known.append(turn.agent)
        found += _said_wrongly(plan, turn, told, known)
        known.append(turn.user)
        found += _done_wrongly(turn, signal, fired)
        if signal is not None:
            fired.append(signal.id)
            told += signal.reveals
    found += _left_undone(plan, turns, fired)
    return tuple(found)


def is_excluded(errors: Sequence[UserError]) -> bool:
    """Whether a rollout with these mistakes says nothing about the agent."""
    return any(one.severity != "minor" for one in errors)


_SAID: Mapping[str, tuple[ErrorKind, Severity]] = MappingProxyType(
    {
        "canary": ("hallucination", "critical_helped"),
        "untold_fact": ("revealed_early", "critical_helped"),
        "missing_fact": ("misreading", "critical_hindered"),
        "invented_number": ("hallucination", "critical_hindered"),
    }
)


def _said_wrongly(
    plan: Plan, turn: RecordedTurn, told: Sequence[str], known: Sequence[str]
) -> list[UserError]:
    signal = next((s for s in plan.signals if s.id == turn.signal), None)
    tells = signal.reveals if signal else ()
    found = [
        _error(*_SAID[one.breach], turn, one.what)
        for one in oversteps(turn.user, plan, told=told, tells=tells, known=known)
    ]
    marks = [mark for fact in plan.facts if fact.id in told for mark in fact.marks]
    denied = [mark for mark in marks if has(turn.user, f"not {mark}")]
    if denied:
        detail = f"denies {denied[0]}"
        found.append(_error("inconsistency", "critical_hindered", turn, detail))
    return found


def _done_wrongly(
    turn: RecordedTurn, signal: Signal | None, fired: Sequence[str]
) -> list[UserError]:
    found = []
    if turn.signal is not None and signal is None:
        found.append(_error("hallucination", "minor", turn, f"signal {turn.signal}"))
    if signal is not None and signal.id in fired:
        found.append(_error("inconsistency", "minor", turn, f"{signal.id} again"))
    if signal is not None and signal.id not in fired and signal.id not in turn.due:
        found.append(_error("wrong_order", "critical_helped", turn, signal.id))
    if signal is None and turn.due:
        found.append(_error("missed_action", "critical_hindered", turn, turn.due[0]))
    if not turn.changed:
        found.append(_error("missed_action", "critical_hindered", turn, "its changes"))
    return found


def _left_undone(
    plan: Plan, turns: Sequence[RecordedTurn], fired: Sequence[str]
) -> list[UserError]:
    if not turns or not turns[-1].is_over or turns[-1].number >= plan.most_turns:
        return []
    open_ones = [s.id for s in plan.signals if s.required and s.id not in fired]
    return [
        _error("premature_stop", "critical_hindered", turns[-1], one)
        for one in open_ones
    ]


def _error(
    kind: ErrorKind, severity: Severity, turn: RecordedTurn, detail: str
) -> UserError:
    return UserError(kind=kind, severity=severity, turn=turn.number, detail=detail)
