"""Where a replayed rollout came out otherwise than the recorded one."""

from collections.abc import Iterator
from itertools import zip_longest

from envplatform.trajectories.record import Step, ToolOutcome, Trajectory

_SHOWN = 120


def differences(recorded: Trajectory, again: Trajectory) -> tuple[str, ...]:
    """Name every difference in results, one line each; empty if there is none.

    Time, limits, harness and sandbox are no results.
    """
    return tuple(_differences(recorded, again))


def _differences(recorded: Trajectory, again: Trajectory) -> Iterator[str]:
    pairs = zip_longest(recorded.steps, again.steps)
    for number, (then, now) in enumerate(pairs, 1):
        if then is None or now is None:
            counts = f"{len(recorded.steps)} steps became {len(again.steps)}"
            yield counts
            break
        yield from (f"step {number}: {what}" for what in _of_steps(then, now))
    if recorded.dispatches != again.dispatches:
        yield _of_logs(recorded, again)
    for what in ("ending", "final_state", "reward", "scores", "grading_failure"):
        then_value, now_value = getattr(recorded, what), getattr(again, what)
        if then_value != now_value:
            yield _told(what, then_value, now_value)


def _of_steps(then: Step, now: Step) -> Iterator[str]:
    for before, after in zip_longest(then.outcomes, now.outcomes):
        if _result(before) != _result(after):
            yield _told("outcome", _result(before), _result(after))
    for said, heard in zip_longest(then.replies, now.replies):
        if said != heard:
            yield _told("reply", said and said.content, heard and heard.content)


def _result(outcome: ToolOutcome | None) -> tuple[object, ...] | None:
    if outcome is None:
        return None
    return (outcome.tool, outcome.problem, outcome.ending, outcome.exit_code)


def _of_logs(recorded: Trajectory, again: Trajectory) -> str:
    pairs = zip_longest(recorded.dispatches, again.dispatches)
    for number, (then, now) in enumerate(pairs, 1):
        if then != now:
            return _told(f"dispatch {number}", then, now)
    return ""


def _told(what: str, then: object, now: object) -> str:
    return f"{what}: {_short(then)} became {_short(now)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
