"""Try again what failed because of the sandbox, never because of the code in it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from envplatform.errors import (
    DownloadTooLargeError,
    SandboxError,
    SandboxUnavailableError,
)

T = TypeVar("T")

_LASTING = (SandboxUnavailableError, DownloadTooLargeError)
"""Would fail again in the same way."""


async def with_retries(
    work: Callable[[], Awaitable[T]],
    *,
    attempts: int = 3,
    pause_s: float = 0.5,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """Return what `work()` gives; after a SandboxError it is called anew.

    `work` must open its own sandbox: the old one is of no more use. The pause
    doubles after each attempt, from `pause_s` on.

    Raises:
        SandboxError: the last attempt's, or one that would come again.
    """
    for attempt in range(attempts - 1):
        try:
            return await work()
        except _LASTING:
            raise
        except SandboxError:
            await sleep(pause_s * 2**attempt)
    return await work()
