"""Changes that the user inside an environment makes to what is held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import CONFLICT, INVALID, NOT_FOUND, WsError
from .holdings import Holdings, clean

ACTIONS = ("create", "overwrite", "append", "edit", "delete")


class Change(NamedTuple):
    """One change of one file, as PawBench's patches spell it."""

    path: str
    action: str
    old: str = ""
    """Of `edit`: the passage, which must occur once."""
    new: str = ""

    def said(self) -> dict[str, str]:
        """Return it as JSON."""
        return {
            "path": self.path,
            "action": self.action,
            "old": self.old,
            "new": self.new,
        }


def read_change(said: object) -> Change:
    """Parse one change.

    Raises:
        WsError: `invalid`; it is none.
    """
    if not isinstance(said, dict) or not set(said) <= {"path", "action", "old", "new"}:
        raise WsError(INVALID, "a change has path, action, old and new")
    texts: Mapping[str, Any] = {"old": "", "new": "", **said}
    if not all(isinstance(value, str) for value in texts.values()):
        raise WsError(INVALID, "path, action, old and new are texts")
    if texts.get("action") not in ACTIONS:
        raise WsError(INVALID, f"action is one of {', '.join(ACTIONS)}")
    return Change(
        clean(texts.get("path", "")), texts["action"], texts["old"], texts["new"]
    )


def apply_changes(holdings: Holdings, changes: list[Change]) -> None:
    """Apply all of them in order, or none.

    Raises:
        WsError: one can't be applied; says which, and nothing was changed.
    """
    after: dict[str, bytes | None] = {}
    for number, change in enumerate(changes, 1):
        before = _now(holdings, after, change.path)
        try:
            after[change.path] = _result(change, before)
        except WsError as error:
            msg = f"change {number} ({change.action} {change.path}): {error.message}"
            raise WsError(error.code, msg) from None
    for path, content in after.items():
        if content is not None:
            holdings.write(path, content)
        elif holdings.holds(path):
            holdings.delete(path)


def _now(
    holdings: Holdings, after: Mapping[str, bytes | None], path: str
) -> bytes | None:
    if path in after:
        return after[path]
    return holdings.read(path) if holdings.holds(path) else None


def _result(change: Change, before: bytes | None) -> bytes | None:
    new = change.new.encode("utf-8", "surrogatepass")
    if change.action == "create":
        if before is not None:
            raise WsError(CONFLICT, "the file is there already")
        return new
    if before is None:
        raise WsError(NOT_FOUND, "the file is not there any more")
    if change.action == "delete":
        return None
    if change.action == "append":
        return before + new
    if change.action == "overwrite":
        return new
    old = change.old.encode("utf-8", "surrogatepass")
    if not old or before.count(old) != 1:
        raise WsError(CONFLICT, f"old occurs {before.count(old) if old else 0} times")
    return before.replace(old, new)
