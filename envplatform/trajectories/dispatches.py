"""The dispatch log of a rollout as rows: what was asked of the broker, in order."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from envplatform.errors import BundleError


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """One request, granted or refused. The log itself says what its fields mean."""

    number: int
    by: Literal["agent", "user"]
    operation: str
    arguments: str
    """A JSON object; texts of over 100,000 characters by digest and length."""
    error: str | None
    reply_sha256: str
    reply_bytes: int

    @property
    def name(self) -> str:
        """The public name that was asked for; empty where the operation takes none."""
        found = self.parsed.get("name", "")
        return found if isinstance(found, str) else ""

    @property
    def parsed(self) -> Mapping[str, Any]:
        """The arguments."""
        arguments: dict[str, Any] = json.loads(self.arguments)
        return arguments


def dispatches_of(log: bytes) -> tuple[Dispatch, ...]:
    """Read a dispatch log, JSON lines.

    Raises:
        BundleError: a line is no entry; names it.
    """
    return tuple(
        _dispatch(number, line) for number, line in enumerate(log.splitlines(), 1)
    )


def _dispatch(number: int, line: bytes) -> Dispatch:
    try:
        said = json.loads(line)
        by: Literal["agent", "user"] = "user" if said["by"] == "user" else "agent"
        return Dispatch(
            number=int(said["n"]),
            by=by,
            operation=str(said["op"]),
            arguments=json.dumps(dict(said["args"]), sort_keys=True),
            error=None if said["error"] is None else str(said["error"]),
            reply_sha256=str(said["reply"]["sha256"]),
            reply_bytes=int(said["reply"]["bytes"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        msg = f"line {number} of the dispatch log is no entry: {error!r}"
        raise BundleError(msg) from error
