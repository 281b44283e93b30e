"""Single faults: what a verifier must notice, one for each of its criteria.

A fault is an edit of the final state that the oracle leaves, written down as data, so
that a grader can be tested without running anything of the task's.
"""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from envplatform.errors import BundleError
from envplatform.tree import File, Tree


class Fault(BaseModel):
    """One edit, after which one criterion must score lower."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    criterion: str
    where: Literal["workspace", "held"]
    """What the agent leaves in /workspace, or what the broker holds."""
    path: str
    action: Literal["edit", "delete", "overwrite"] = "edit"
    old: str = Field(default="")
    """Regular expression; of `edit`. What it matches first is replaced."""
    new: str = ""


def with_fault(state: Tree, fault: Fault) -> dict[str, File]:
    """Return `state`, one of both trees that a fault can be in, with the fault.

    Raises:
        BundleError: the fault does not fit the state, so it would test nothing.
    """
    if fault.path not in state:
        msg = f"fault of {fault.criterion}: the oracle leaves no {fault.path}"
        raise BundleError(msg)
    if fault.action == "delete":
        return {path: file for path, file in state.items() if path != fault.path}
    before = state[fault.path]
    after = File(_changed(before.data, fault), before.executable)
    if after == before:
        msg = (
            f"fault of {fault.criterion}: {fault.old!r} changes nothing in {fault.path}"
        )
        raise BundleError(msg)
    return {**state, fault.path: after}


def check_faults(faults: tuple[Fault, ...], criteria: tuple[str, ...]) -> None:
    """Refuse criteria without a fault, and faults of no criterion.

    Raises:
        BundleError: names it.
    """
    told = {fault.criterion for fault in faults}
    wanted = set(criteria) - {"reward"}
    for name in sorted(wanted ^ told):
        what = "has no fault" if name in wanted else "is no criterion"
        msg = f"faults: {name} {what}"
        raise BundleError(msg)


def _changed(data: bytes, fault: Fault) -> bytes:
    if fault.action == "overwrite":
        return fault.new.encode()
    text = data.decode("utf-8", "surrogateescape")
    changed = re.sub(fault.old, lambda _: fault.new, text, count=1, flags=re.MULTILINE)
    return changed.encode("utf-8", "surrogateescape")
