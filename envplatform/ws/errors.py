"""What a request can meet, as a code that graders read and a text for the agent."""

from __future__ import annotations

NOT_FOUND = "not_found"
REFUSED = "refused"
INVALID = "invalid"
NOT_READY = "not_ready"
CONFLICT = "conflict"
TOO_LARGE = "too_large"
FAILED = "failed"

CODES = (NOT_FOUND, REFUSED, INVALID, NOT_READY, CONFLICT, TOO_LARGE, FAILED)
"""`refused`: the rules forbid it. `failed`: a service broke, not the request."""


class WsError(Exception):
    """A request that was answered with no. Says nothing that is not public."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ManifestError(ValueError):
    """The environment's own description can't be served; names the entry."""
