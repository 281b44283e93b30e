"""The dispatch log: what was asked and how it ended, one canonical line a request.

There are no times and no addresses in it, so that the same session gives the same
log through every face. What a resource held is told by digest and length; what the
agent sent stands in full, since graders read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .wire import Reply, Request, canonical, digest

_LONGEST_ARGUMENT = 100_000


class Entry(NamedTuple):
    """One request that was dispatched, answered with yes or no."""

    number: int
    """From 1, in the order of dispatch."""
    by: str
    """`agent`, or `user` for a change that the user made."""
    operation: str
    arguments: Mapping[str, Any]
    """As they came; longer texts are told by digest and length."""
    error: str | None
    reply_sha256: str
    """Of the content, or of the canonical data."""
    reply_bytes: int

    def line(self) -> str:
        """Return the canonical line, without its newline."""
        return canonical(
            {
                "n": self.number,
                "by": self.by,
                "op": self.operation,
                "args": dict(self.arguments),
                "error": self.error,
                "reply": {"sha256": self.reply_sha256, "bytes": self.reply_bytes},
            }
        )


def entry_of(number: int, request: Request, reply: Reply, *, by: str) -> Entry:
    """Return the entry of one dispatch."""
    answer = (
        reply.content if reply.content is not None else canonical(reply.data).encode()
    )
    return Entry(
        number=number,
        by=by,
        operation=request.operation[:100],
        arguments={k: _short(v) for k, v in request.arguments.items()},
        error=reply.error,
        reply_sha256=digest(answer),
        reply_bytes=len(answer),
    )


def _short(value: object) -> object:
    text = value if isinstance(value, str) else canonical(value)
    if len(text) <= _LONGEST_ARGUMENT:
        return value
    data = text.encode("utf-8", "surrogatepass")
    told: dict[str, Any] = {"sha256": digest(data), "bytes": len(data)}
    return told
