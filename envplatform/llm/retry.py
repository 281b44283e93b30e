"""When to try a model server again and how long to wait first.

Pure arithmetic over injected time and randomness; who calls and sleeps is
`openai_model`.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY, _SERVER_ERROR = 408, 425, 429, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential backoff with jitter; a server's Retry-After goes first."""

    attempts: int = 6
    """All in all, the first one included."""
    base_s: float = 0.5
    """Longest wait before the second attempt; doubles from then on."""
    cap_s: float = 30.0
    """Longest wait of our own choosing."""
    retry_after_cap_s: float = 120.0
    """Longest wait that a server may ask for; a longer wish is cut to this."""

    def wait_s(
        self, failures: int, *, retry_after_s: float | None, rng: random.Random
    ) -> float:
        """Seconds to wait after the `failures`-th failure (from 1).

        Jitter spreads many waiting calls: it shortens our own waits by up to half and
        lengthens an asked wait by up to a tenth.
        """
        if retry_after_s is not None:
            asked = min(max(retry_after_s, 0.0), self.retry_after_cap_s)
            return asked * (1.0 + 0.1 * rng.random())
        longest = min(self.cap_s, self.base_s * 2.0 ** (failures - 1))
        return longest * (0.5 + 0.5 * rng.random())


DEFAULT_RETRY = RetryPolicy()


def retryable_status(status: int) -> bool:
    """Whether the same request may succeed later."""
    return status in {_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY} or (
        status >= _SERVER_ERROR
    )


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds a server asks us to wait: a number or an HTTP date; None if unreadable.

    Negative for a date that has passed.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:  # RFC 9110: an HTTP date is always in GMT
        date = date.replace(tzinfo=UTC)
    return (date - now).total_seconds()
