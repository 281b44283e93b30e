"""How far a judge can be believed: its scores of states of which code knows the worth.

The states are controlled: what the oracle left, what nobody touched, and the oracle's
with one written-down fault each. V_code of each is known, so a judge that can't tell
them apart shows it here, before it has a part in a reward. Figures are of the model
that was asked; no model, no figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean

from envplatform.errors import ConfigError
from envplatform.grading.batch import Bench
from envplatform.grading.checks.criterion_mutants import faulty
from envplatform.grading.evidence import Evidence
from envplatform.grading.judge import Judgement, Rubric, judge
from envplatform.grading.pieces import pieces_of, solved_of
from envplatform.grading.sessions import Final
from envplatform.llm.chat import ChatModel
from envplatform.workspace import Fault

_HELD = "held/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlledState:
    """One final state, and what code says of it."""

    name: str
    """`oracle`, `untouched`, or `fault N of CRITERION`."""
    work: Mapping[str, bytes]
    """Files by path; what the broker held stands below `held/`."""
    code: float
    """V_code: the verifier's reward, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedState:
    """The same with a judge's score."""

    name: str
    code: float
    judge: float
    """Median of its votes, 0 to 1."""
    spread: float
    """Of its votes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a judge made of controlled states. A rate is None where nothing was to rate."""

    judged_by: str
    states: tuple[JudgedState, ...]
    concordance: float | None
    """Share of pairs that code tells apart and the judge orders alike; a tie of the
    judge's counts half. 0.5 is a judge that sees nothing.
    """
    kill_rate: float | None
    """Share of states below 1 by code that the judge scores below every state at 1:
    the faults that it notices, whatever its scale.
    """
    faultless: float | None
    """Mean score of states at 1 by code; a judge that gives less lowers rewards of
    work that nothing is wrong with.
    """
    bias: float
    """Mean of judge less code: above 0 it is lenient."""
    spread: float
    """Mean spread of its votes on one state."""


async def controlled_states(
    evidence: Evidence, bench: Bench, faults: Sequence[Fault]
) -> tuple[ControlledState, ...]:
    """Grade the oracle's state, the untouched one and one for each fault.

    Raises:
        BundleError: a fault does not fit the oracle's state.
        ConfigError: there are no gradings, or one gave no verdict: nothing to hold a
            judge to.
        SandboxError: a sandbox failed.
    """
    if not evidence.oracle or evidence.untouched is None:
        msg = "a judge is calibrated on graded states, and the oracle left none"
        raise ConfigError(msg)
    solved = solved_of(evidence)
    named = {
        "oracle": solved,
        "untouched": evidence.untouched,
        **{
            f"fault {number} of {fault.criterion}": faulty(solved, fault)
            for number, fault in enumerate(faults, 1)
        },
    }
    gradings = await bench.grade(list(named.values()))
    found = []
    for (name, final), grading in zip(named.items(), gradings, strict=True):
        if grading.reward is None:
            msg = f"{name}: the verifier gives no verdict ({grading.failure})"
            raise ConfigError(msg)
        found.append(
            ControlledState(name=name, work=work_of(final), code=grading.reward)
        )
    return tuple(found)


def goal_as_rubric(evidence: Evidence) -> Rubric:
    """Return the rubric of a task that has none of its own: its goal, all of it.

    Read is what the oracle made or changed.
    """
    paths = (
        piece.path if piece.where == "workspace" else f"{_HELD}{piece.path}"
        for piece in pieces_of(evidence)
    )
    return Rubric(text=evidence.environment.instruction, paths=tuple(paths))


def work_of(final: Final) -> dict[str, bytes]:
    """What a judge may read of a final state."""
    held = final.served.held if final.served else {}
    return {
        **{path: file.data for path, file in final.workspace.items()},
        **{f"{_HELD}{path}": file.data for path, file in held.items()},
    }


async def calibrate(
    model: ChatModel,
    rubric: Rubric,
    states: Sequence[ControlledState],
    *,
    seed: int = 0,
) -> Calibration:
    """Have `model` judge every state, and sum up.

    Raises:
        ConfigError: the rubric can't be judged by, or there is no state.
        ModelError: the model failed; nothing is known of it.
    """
    if not states:
        msg = "a judge is calibrated on states, and there are none"
        raise ConfigError(msg)
    judged = []
    for state in states:
        found = await judge(model, rubric, state.work, seed=seed)
        judged.append(_judged(state, found))
    return sum_up(model.name, judged)


def sum_up(judged_by: str, states: Sequence[JudgedState]) -> Calibration:
    """Return the figures over judged states, of which there is one at least."""
    right = [one.judge for one in states if one.code == 1]
    wrong = [one.judge for one in states if one.code < 1]
    seen = [score < min(right) for score in wrong] if right else []
    return Calibration(
        judged_by=judged_by,
        states=tuple(states),
        concordance=_concordance(states),
        kill_rate=round(mean(seen), 4) if seen else None,
        faultless=round(mean(right), 4) if right else None,
        bias=round(mean(one.judge - one.code for one in states), 4),
        spread=round(mean(one.spread for one in states), 4),
    )


def _judged(state: ControlledState, found: Judgement) -> JudgedState:
    return JudgedState(
        name=state.name, code=state.code, judge=found.score, spread=found.spread
    )


def _concordance(states: Sequence[JudgedState]) -> float | None:
    pairs = [
        (low, high) if low.code < high.code else (high, low)
        for low, high in combinations(states, 2)
        if low.code != high.code
    ]
    if not pairs:
        return None
    points = [
        1.0 if low.judge < high.judge else 0.5 if low.judge == high.judge else 0.0
        for low, high in pairs
    ]
    return round(mean(points), 4)
