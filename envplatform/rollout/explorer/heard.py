"""What a search had of the user inside, by which its attempt is judged.

What a user changes is evidence like any other: had by whoever read it after the change.
What it says is had by whoever it was said to.
"""

from collections.abc import Collection, Mapping

from envplatform.bundle import Environment
from envplatform.tree import File
from envplatform.user.plan import Plan, Signal, WorkspaceChange
from envplatform.user.sidecar import plan_files, read_user
from envplatform.ws import MemoryHoldings
from envplatform.ws.changes import Change, apply_changes
from envplatform.ws.errors import WsError


def left_by_user(root: Environment, fired: Collection[str]) -> Mapping[str, File]:
    """Return what `root` holds once its user has done what is required and what `fired`.

    Raises:
        BundleError: the user can't be read.
    """
    if not root.user:
        return root.served
    signals = {one.id: one for one in read_user(root.user).signals}
    rest = [one.id for one in signals.values() if one.required and one.id not in fired]
    holdings = MemoryHoldings({path: file.data for path, file in root.served.items()})
    for name in (*fired, *rest):
        changes = signals[name].changes if name in signals else ()
        try:
            apply_changes(holdings, [Change(**one.model_dump()) for one in changes])
        except WsError:  # as in a session, one that can't be applied changes nothing
            continue
    return {
        path: File(data, root.served[path].executable)
        if path in root.served
        else File(data)
        for path in holdings.below("")
        for data in [holdings.read(path)]
    }


def as_heard(
    root: Environment, fired: Collection[str], missing: Collection[str]
) -> Mapping[str, File]:
    """Return the user of `root` as a search had it, for who works on what it found.

    It says what it said in the search, and shows no change at a place in `missing`.

    Raises:
        BundleError: the user can't be read.
    """
    if not root.user:
        return root.user
    plan = read_user(root.user)
    idle = _idle(root, missing)
    signals = tuple(_as_heard(one, plan, fired, missing, idle) for one in plan.signals)
    return plan_files(plan.model_copy(update={"signals": signals}))


def _as_heard(
    signal: Signal,
    plan: Plan,
    fired: Collection[str],
    missing: Collection[str],
    idle: tuple[WorkspaceChange, ...],
) -> Signal:
    said = signal.message
    if said and signal.id not in fired:
        said = plan.idle[0] if plan.idle else "Nothing new."
    changes = tuple(one for one in signal.changes if one.path not in missing)
    if not said and not changes:
        changes = idle
    return signal.model_copy(update={"message": said, "changes": changes})


def _idle(root: Environment, missing: Collection[str]) -> tuple[WorkspaceChange, ...]:
    """Return a change of nothing, since a signal has to do something."""
    path = next((one for one in sorted(root.served) if one not in missing), "none")
    return (WorkspaceChange(path=path, action="append"),)
