"""Whether an agent noticed what changed under its hands, and what went wrong.

After a change of the user, something that shows it must be read again, and something
must be done after that. What happened within one shell command is known by the
dispatch log alone; that a command wrote files, nobody sees.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from envplatform.trajectories.dispatches import Dispatch
from envplatform.trajectories.record import ToolOutcome, Trajectory
from envplatform.trajectories.users import UserTurn

RecoveryFault = Literal["ignored_patch", "not_redone", "gave_up_on_error"]

_READING = frozenset({"read", "search", "query", "list", "call", "act"})
_ONLY_LOOKS = frozenset(
    {"ws_read", "ws_search", "ws_query", "ws_list", "ws_say", "submit"}
)
_ONLY_ENDS = frozenset({"submit"})


def recovery_faults(trajectory: Trajectory) -> Iterator[RecoveryFault]:
    """Tell what was not recovered from; each change of the user counts."""
    outcomes = [one for step in trajectory.steps for one in step.outcomes]
    log = trajectory.dispatches
    patches = [one for one in log if one.by == "user" and one.error is None]
    changing = [
        (number, turn)
        for number, turn in enumerate(trajectory.user_turns, 1)
        if turn.patches and turn.changed
    ]
    for patch, (number, turn) in zip(patches, changing, strict=False):
        if not _is_read_again(log, patch, turn):
            yield "ignored_patch"
        elif not _is_redone(outcomes, number):
            yield "not_redone"
    if _gave_up(outcomes, log):
        yield "gave_up_on_error"


def _is_read_again(log: Sequence[Dispatch], patch: Dispatch, turn: UserTurn) -> bool:
    """Whether a later request was granted that may show the change.

    A list shows that a file came or went, and nothing of what is in it. What has no
    public name can't be read again.
    """
    names = {name for one in turn.patches for name in one.names}
    if not names:
        return True
    came_or_went = any(one.action in ("create", "delete") for one in turn.patches)
    return any(
        one.by == "agent"
        and one.error is None
        and one.number > patch.number
        and one.operation in _READING
        and (one.name in names or (one.operation == "list" and came_or_went))
        for one in log
    )


def _is_redone(outcomes: Sequence[ToolOutcome], turn_number: int) -> bool:
    """Whether something that can change files ended after the user's turn."""
    return any(
        one.user_turns >= turn_number
        and one.problem is None
        and one.tool not in _ONLY_LOOKS
        for one in outcomes
    )


def _gave_up(outcomes: Sequence[ToolOutcome], log: Sequence[Dispatch]) -> bool:
    """Whether the last call but for `submit` failed, and nothing was tried after it."""
    tried = [one for one in outcomes if one.tool not in _ONLY_ENDS]
    if not tried:
        return False
    last = tried[-1]
    is_refused = last.problem in ("unknown_tool", "invalid_arguments")
    if last.tool.startswith("ws_") and last.problem is None:
        asked = [one for one in log if one.by == "agent"]
        is_refused = bool(asked) and asked[-1].error is not None
    failed = last.ending is not None and (
        last.ending != "exited" or last.exit_code != 0
    )
    return is_refused or failed
